package node

import (
	"context"
	"fmt"
	"net/netip"
	"path/filepath"
	"time"

	nooptrace "go.opentelemetry.io/otel/trace/noop"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	critesting "k8s.io/cri-api/pkg/apis/testing"
	"k8s.io/klog/v2"
	kubeletapp "k8s.io/kubernetes/cmd/kubelet/app"
	"k8s.io/kubernetes/cmd/kubelet/app/options"
	"k8s.io/kubernetes/pkg/kubelet"
	kubeletconfig "k8s.io/kubernetes/pkg/kubelet/apis/config"
	kubeletutil "k8s.io/kubernetes/pkg/kubelet/util"
	"k8s.io/kubernetes/pkg/util/oom"
	"k8s.io/kubernetes/pkg/volume"
	"k8s.io/kubernetes/pkg/volume/configmap"
	"k8s.io/kubernetes/pkg/volume/downwardapi"
	"k8s.io/kubernetes/pkg/volume/emptydir"
	"k8s.io/kubernetes/pkg/volume/hostpath"
	"k8s.io/kubernetes/pkg/volume/projected"
	"k8s.io/kubernetes/pkg/volume/secret"
	"k8s.io/kubernetes/pkg/volume/util/hostutil"
	"k8s.io/kubernetes/pkg/volume/util/subpath"
	"k8s.io/mount-utils"

	"cato.dev/cato/test/controlplane/kube/process"
)

// kubeletPort is the port of the kubelet's API; each node has an address of its
// own.
const kubeletPort = 10250

func kubeletFlags(s settings) *options.KubeletFlags {
	f := options.NewKubeletFlags()
	f.RootDirectory = filepath.Join(s.dir, "root")
	f.CertDirectory = filepath.Join(s.dir, "root", "pki")
	f.HostnameOverride = s.name
	f.NodeIP = s.address
	f.MinimumGCAge = metav1.Duration{Duration: time.Minute}
	f.MaxContainerCount, f.MaxPerPodContainerCount = 100, 2
	return f
}

func kubeletConfiguration(s settings, gateway netip.Prefix) (*kubeletconfig.KubeletConfiguration, error) {
	c, err := options.NewKubeletConfiguration()
	if err != nil {
		return nil, fmt.Errorf("make the kubelet's configuration: %w", err)
	}
	c.Address, c.Port, c.ReadOnlyPort, c.HealthzPort = s.address, kubeletPort, 0, 0
	c.EnableServer = true
	c.StaticPodPath = filepath.Join(s.dir, "static")
	c.PodLogsDir = s.podLogs
	c.NodeStatusUpdateFrequency.Duration, c.NodeStatusReportFrequency.Duration = 5*time.Second, time.Minute
	c.NodeLeaseDurationSeconds = 20
	c.SyncFrequency.Duration = 5 * time.Second
	c.MaxPods = 500
	c.RegisterNode = true
	c.ProviderID = "cato-test://" + s.name
	c.ClusterDNS, c.ClusterDomain = []string{gateway.Addr().String()}, "cluster.local"
	// There are no cgroups, so nothing is enforced.
	c.CgroupsPerQOS, c.EnforceNodeAllocatable, c.CgroupRoot = false, nil, ""
	c.EnableControllerAttachDetach = false
	c.HairpinMode = kubeletconfig.HairpinNone
	c.ImageGCHighThresholdPercent, c.ImageGCLowThresholdPercent = 100, 99
	// The address is one of this machine only, and the API server comes without
	// a certificate.
	c.Authentication.Anonymous.Enabled = true
	c.Authentication.Webhook.Enabled = false
	c.Authorization.Mode = kubeletconfig.KubeletAuthorizationModeAlwaysAllow
	return c, nil
}

func dependencies(ctx context.Context, name string, client kubernetes.Interface, containers *process.Runtime,
	flags *options.KubeletFlags, configuration *kubeletconfig.KubeletConfiguration,
) (*kubelet.Dependencies, error) {
	tls, err := kubeletapp.InitializeTLS(ctx, flags, configuration)
	if err != nil {
		return nil, fmt.Errorf("make the kubelet's certificate: %w", err)
	}
	var plugins []volume.VolumePlugin
	for _, some := range [][]volume.VolumePlugin{
		emptydir.ProbeVolumePlugins(), hostpath.ProbeVolumePlugins(volume.VolumeConfig{}), secret.ProbeVolumePlugins(),
		downwardapi.ProbeVolumePlugins(), configmap.ProbeVolumePlugins(), projected.ProbeVolumePlugins(),
	} {
		plugins = append(plugins, some...)
	}
	images := critesting.NewFakeImageService()
	images.SetFakeFilesystemUsage([]*runtimeapi.FilesystemUsage{{
		FsId:       &runtimeapi.FilesystemIdentifier{Mountpoint: "/"},
		UsedBytes:  &runtimeapi.UInt64Value{Value: 1},
		InodesUsed: &runtimeapi.UInt64Value{Value: 1},
	}})
	return &kubelet.Dependencies{
		TLSOptions:           tls,
		KubeClient:           client,
		HeartbeatClient:      client,
		EventClient:          client.CoreV1(),
		RemoteRuntimeService: containers,
		RemoteImageService:   userImages{images},
		CAdvisorInterface:    newMachine(name),
		OSInterface:          noSymlinks{},
		ContainerManager:     newContainerManager(),
		VolumePlugins:        plugins,
		OOMAdjuster:          oom.NewFakeOOMAdjuster(),
		// Volumes are plain folders, which the runtime binds into containers:
		// nothing is mounted in the machine's own mount namespace.
		Mounter:                   mount.NewFakeMounter(nil),
		Subpather:                 &subpath.FakeSubpath{},
		HostUtil:                  hostUtil{hostutil.NewHostUtil()},
		PodStartupLatencyTracker:  kubeletutil.NewPodStartupLatencyTracker(),
		NodeStartupLatencyTracker: kubeletutil.NewNodeStartupLatencyTracker(klog.FromContext(ctx)),
		TracerProvider:            nooptrace.NewTracerProvider(),
	}, nil
}
