package node

import (
	"context"

	cadvisorapi "github.com/google/cadvisor/lib/model"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	critesting "k8s.io/cri-api/pkg/apis/testing"
	"k8s.io/klog/v2"
	cadvisortesting "k8s.io/kubernetes/pkg/kubelet/cadvisor/testing"
	"k8s.io/kubernetes/pkg/kubelet/cm"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
	"k8s.io/kubernetes/pkg/volume/util/hostutil"
)

// What a node claims to have. It is far more than the machine has, because
// almost all of what is scheduled here does nothing.
const (
	cpus      = 64
	memory    = 256 << 30
	diskSpace = 1 << 40
	devices   = 1000
	// imageUser is the user that images claim to run as, so that pods with
	// runAsNonRoot are admitted; the runtime has no users.
	imageUser = 1001
)

// machine is a machine of that size.
type machine struct{ *cadvisortesting.Fake }

func newMachine(node string) machine { return machine{&cadvisortesting.Fake{NodeName: node}} }

// MachineInfo tells CPUs and memory.
func (m machine) MachineInfo(logger klog.Logger) (*cadvisorapi.MachineInfo, error) {
	info, err := m.Fake.MachineInfo(logger)
	if err != nil {
		return nil, err
	}
	info.NumCores, info.MemoryCapacity = cpus, memory
	return info, nil
}

func disk() cadvisorapi.FsInfo {
	return cadvisorapi.FsInfo{Capacity: diskSpace, Available: diskSpace, Usage: 1}
}

// ImagesFsInfo tells the space for images.
func (machine) ImagesFsInfo(context.Context) (cadvisorapi.FsInfo, error) { return disk(), nil }

// RootFsInfo tells the space for volumes.
func (machine) RootFsInfo() (cadvisorapi.FsInfo, error) { return disk(), nil }

// ContainerFsInfo tells the space for containers.
func (machine) ContainerFsInfo(context.Context) (cadvisorapi.FsInfo, error) { return disk(), nil }

// containerManager offers the devices that virt-launcher asks for.
type containerManager struct{ cm.ContainerManager }

func newContainerManager() containerManager {
	offered := corev1.ResourceList{}
	for _, device := range []corev1.ResourceName{"devices.kubevirt.io/kvm", "devices.kubevirt.io/tun", "devices.kubevirt.io/vhost-net"} {
		offered[device] = *resource.NewQuantity(devices, resource.DecimalSI)
	}
	return containerManager{cm.NewStubContainerManagerWithDevicePluginResource(offered)}
}

// GetCapacity tells the space for ephemeral storage.
func (containerManager) GetCapacity(klog.Logger, bool) corev1.ResourceList {
	return corev1.ResourceList{corev1.ResourceEphemeralStorage: *resource.NewQuantity(diskSpace, resource.BinarySI)}
}

// noSymlinks is the real operating system without the links that the kubelet
// makes in /var/log/containers, which would stay behind.
type noSymlinks struct{ kubecontainer.RealOS }

// Symlink does nothing.
func (noSymlinks) Symlink(string, string) error { return nil }

// hostUtil is the real one, but leaves the machine's mounts as they are.
type hostUtil struct{ *hostutil.HostUtil }

// MakeRShared does nothing: no mount of a container propagates.
func (hostUtil) MakeRShared(string) error { return nil }

// userImages are images of a user that is not root.
type userImages struct{ *critesting.FakeImageService }

// ImageStatus tells that an image exists, and its user.
func (u userImages) ImageStatus(ctx context.Context, image *runtimeapi.ImageSpec, verbose bool) (*runtimeapi.ImageStatusResponse, error) {
	status, err := u.FakeImageService.ImageStatus(ctx, image, verbose)
	if err == nil && status.GetImage() != nil {
		status.Image.Uid = &runtimeapi.Int64Value{Value: imageUser}
	}
	return status, err
}
