// Package fleet makes the objects of any number of virtual machines, for tests
// and benchmarks of size. It is deterministic: the i-th machine
// does not depend on those before it, nor on when or where it is made.
//
// Each machine is what the operator itself renders from a UDSVirtualMachine,
// with what CDI and KubeVirt add once it runs: a hardened guest of an http
// import with its digest, isolated by a policy of its own. One in fifty departs
// from that in one of the ways that Breaks lists.
package fleet

import (
	"fmt"
	"time"

	"github.com/google/uuid"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	kubevirtv1 "kubevirt.io/api/core/v1"
	cdiv1beta1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	"cato.dev/cato/controllers/children"
	"cato.dev/cato/policy/facts"
)

// BrokenOneIn is how rare the broken machines are: the last of so many.
const BrokenOneIn = 50

// Fleet is any number of machines.
type Fleet struct {
	PerNamespace int // how many machines share a namespace, at least 1
}

// Created is the creation time of every object.
func Created() time.Time { return time.Date(2026, time.November, 20, 8, 0, 0, 0, time.UTC) }

// Machine is one machine with everything that belongs to it alone.
type Machine struct {
	Resource *udsv1alpha1.UDSVirtualMachine
	Break    Break           // None for a hardened one
	Children []client.Object // as they stand in the cluster, without the namespace
}

// Objects are the custom resource and its children.
func (m *Machine) Objects() []client.Object {
	return append([]client.Object{m.Resource}, m.Children...)
}

// Namespace returns the namespace of the i-th machine.
func (f Fleet) Namespace(i int) *corev1.Namespace {
	name := fmt.Sprintf("mission-%05d", i/f.PerNamespace)
	return &corev1.Namespace{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"},
		ObjectMeta: metav1.ObjectMeta{
			Name: name, UID: uid("Namespace", name, ""), ResourceVersion: "1", CreationTimestamp: metav1.NewTime(Created()),
			Labels: map[string]string{corev1.LabelMetadataName: name, "cato.dev/vm-namespace": "true"},
		},
		Status: corev1.NamespaceStatus{Phase: corev1.NamespaceActive},
	}
}

// At returns the i-th machine. An error means that the operator cannot render it.
func (f Fleet) At(i int) (*Machine, error) {
	m := &Machine{Resource: f.wish(i), Break: breakOf(i)}
	parameters := catov1alpha1.ComplianceProfileParameters{}
	rendered, err := children.ForMachine(children.MachineInput{Machine: m.Resource, DNS: facts.DNSOf(&parameters), Start: true})
	if err != nil {
		return nil, fmt.Errorf("machine %d: %w", i, err)
	}
	p := &parts{
		policies: []*networkPolicy{rendered.NetworkPolicy}, cloudInit: rendered.CloudInit,
		volume: rendered.DataVolume, vm: rendered.VirtualMachine,
	}
	m.Break.apply(p)
	p.observe(m.Resource)
	m.Children = p.objects()
	for _, child := range m.Children {
		stored(child)
	}
	return m, nil
}

// wish is what the user of the i-th machine asks for.
func (f Fleet) wish(i int) *udsv1alpha1.UDSVirtualMachine {
	cores := int32(2)
	name := fmt.Sprintf("vm-%05d", i)
	class := "standard-rwo"
	machine := &udsv1alpha1.UDSVirtualMachine{
		TypeMeta:   metav1.TypeMeta{APIVersion: udsv1alpha1.GroupVersion.String(), Kind: facts.KindUDSVirtualMachine},
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: f.Namespace(i).Name},
		Spec: udsv1alpha1.UDSVirtualMachineSpec{
			CPU: udsv1alpha1.CPU{Cores: &cores}, Memory: "4Gi", DiskSize: "10Gi", StorageClassName: &class,
			SourceType: udsv1alpha1.SourceHTTP, URL: "https://images.example.com/golden/linux-9.qcow2",
			Checksum: "sha256:9f2c4b1e7d3a5860c1f4e2b7a9d806354e6b1c2d3f40516273849aabbccddeef",
			Guest: &udsv1alpha1.Guest{User: "ops", SSHAuthorizedKeys: []string{
				"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIC6WE3pJ1NWbpwWEQZvx05Nybo6WPgEQOAzcuq6j7V1w ops-key",
			}},
		},
	}
	machine.Spec.SetDefaults()
	stored(machine)
	return machine
}

// stored gives an object what the API server gives it.
func stored(object client.Object) {
	kind := object.GetObjectKind().GroupVersionKind().Kind
	object.SetUID(uid(kind, object.GetNamespace(), object.GetName()))
	object.SetResourceVersion("1")
	object.SetCreationTimestamp(metav1.NewTime(Created()))
}

func uid(kind, namespace, name string) types.UID {
	return types.UID(uuid.NewSHA1(uuid.NameSpaceURL, []byte(kind+"/"+namespace+"/"+name)).String())
}

// observe adds what CDI and KubeVirt report of a machine that runs, in the
// state in which the break left it.
func (p *parts) observe(machine *udsv1alpha1.UDSVirtualMachine) {
	const overheadPercent = 106 // CDI's default file system overhead
	size := p.volume.Spec.Storage.Resources.Requests[corev1.ResourceStorage]
	capacity := corev1.ResourceList{corev1.ResourceStorage: *resource.NewQuantity((size.Value()*overheadPercent+99)/100, resource.BinarySI)}
	mode := corev1.PersistentVolumeFilesystem
	p.volume.Status = cdiv1beta1.DataVolumeStatus{ClaimName: p.volume.Name, Phase: cdiv1beta1.Succeeded, Progress: "100.0%"}
	p.claim = &corev1.PersistentVolumeClaim{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PersistentVolumeClaim"},
		ObjectMeta: metav1.ObjectMeta{
			Name: p.volume.Name, Namespace: p.volume.Namespace,
			OwnerReferences: []metav1.OwnerReference{controller(cdiv1beta1.SchemeGroupVersion.String(), "DataVolume", p.volume)},
		},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}, VolumeMode: &mode,
			StorageClassName: machine.Spec.StorageClassName, VolumeName: "pv-" + p.volume.Name,
			Resources: corev1.VolumeResourceRequirements{Requests: capacity},
		},
		Status: corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimBound, Capacity: capacity},
	}
	p.vm.Status = kubevirtv1.VirtualMachineStatus{Created: true, Ready: true, PrintableStatus: kubevirtv1.VirtualMachineStatusRunning}
	p.instance = &kubevirtv1.VirtualMachineInstance{
		TypeMeta: metav1.TypeMeta{APIVersion: kubevirtv1.GroupVersion.String(), Kind: "VirtualMachineInstance"},
		ObjectMeta: metav1.ObjectMeta{
			Name: p.vm.Name, Namespace: p.vm.Namespace,
			Labels:          map[string]string{udsv1alpha1.LabelVM: machine.Name, kubevirtv1.NodeNameLabel: "worker-1"},
			OwnerReferences: []metav1.OwnerReference{controller(kubevirtv1.GroupVersion.String(), "VirtualMachine", p.vm)},
		},
		Spec:   *p.vm.Spec.Template.Spec.DeepCopy(),
		Status: kubevirtv1.VirtualMachineInstanceStatus{Phase: kubevirtv1.Running, NodeName: "worker-1"},
	}
}

func controller(apiVersion, kind string, object client.Object) metav1.OwnerReference {
	yes := true
	return metav1.OwnerReference{
		APIVersion: apiVersion, Kind: kind, Name: object.GetName(), Controller: &yes, BlockOwnerDeletion: &yes,
		UID: uid(kind, object.GetNamespace(), object.GetName()),
	}
}
