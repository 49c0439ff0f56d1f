package children

import (
	"fmt"
	"math"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
	kubevirtv1 "kubevirt.io/api/core/v1"
	cdiv1beta1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	"cato.dev/cato/policy/facts"
	"cato.dev/cato/policy/facts/cloudinit"
)

// Names of the machine's disks and of its one interface, as in the children
// of the original.
const (
	rootDisk      = "rootdisk"
	cloudInitDisk = "cloudinitdisk"
	podNetwork    = "default"
	userDataKey   = "userdata"
)

// MachineInput is what a UDSVirtualMachine's children are made of.
type MachineInput struct {
	Machine  *udsv1alpha1.UDSVirtualMachine
	UserData []byte          // the content of guest.userDataSecretRef; nil without one
	DNS      []facts.DNSPeer // who answers for cluster DNS
	Start    bool            // the guest may start: its disk is verified, or nothing has to be
}

// Machine are the children of a UDSVirtualMachine, in the order in which they
// are written: what protects comes first, what runs comes last.
type Machine struct {
	NetworkPolicy  *networkingv1.NetworkPolicy
	CloudInit      *corev1.Secret
	DataVolume     *cdiv1beta1.DataVolume
	VirtualMachine *kubevirtv1.VirtualMachine
}

// ForMachine renders the children. It fails for a specification that no
// children can be made for, with the field, the value and the remedy; what a
// user supplies as user data is never part of the error.
func ForMachine(in MachineInput) (*Machine, error) {
	memory, err := sizeOf(in.Machine, "spec.memory", string(in.Machine.Spec.Memory))
	if err != nil {
		return nil, err
	}
	userData, err := hardened(in)
	if err != nil {
		return nil, err
	}
	volume, err := dataVolume(in)
	if err != nil {
		return nil, err
	}
	return &Machine{
		NetworkPolicy: machinePolicy(in),
		CloudInit: &corev1.Secret{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
			ObjectMeta: machineMeta(in.Machine, udsv1alpha1.CloudInitSuffix),
			Type:       corev1.SecretTypeOpaque,
			Data:       map[string][]byte{userDataKey: userData},
		},
		DataVolume:     volume,
		VirtualMachine: virtualMachine(in, memory),
	}, nil
}

// hardened merges the guest's wishes into the hardened user data.
func hardened(in MachineInput) ([]byte, error) {
	if in.Machine.Spec.OSType == udsv1alpha1.OSWindows {
		return nil, fmt.Errorf("%s: spec.osType windows cannot be provisioned by this release: use linux", named(in.Machine))
	}
	options := cloudinit.HardenOptions{}
	if guest := in.Machine.Spec.Guest; guest != nil {
		options.User, options.SSHAuthorizedKeys, options.Packages = guest.User, guest.SSHAuthorizedKeys, guest.Packages
		options.FIPS = guest.FIPS == nil || *guest.FIPS
	} else {
		options.FIPS = true
	}
	data, err := cloudinit.Harden(in.UserData, options)
	if err != nil {
		return nil, fmt.Errorf("%s: spec.guest: %w", named(in.Machine), err)
	}
	return data, nil
}

func named(machine *udsv1alpha1.UDSVirtualMachine) string {
	return "UDSVirtualMachine " + machine.Namespace + "/" + machine.Name
}

// sizeOf parses a positive size of whole bytes that a user wrote.
func sizeOf(machine *udsv1alpha1.UDSVirtualMachine, field, text string) (resource.Quantity, error) {
	bytes, problem := facts.Bytes(text)
	switch {
	case problem != "":
		return resource.Quantity{}, fmt.Errorf("%s: %s: %q %s: write a size such as 4Gi", named(machine), field, text, problem)
	case bytes <= 0:
		return resource.Quantity{}, fmt.Errorf("%s: %s: %q is not a positive size: write a size such as 4Gi", named(machine), field, text)
	}
	return *resource.NewQuantity(bytes, resource.BinarySI), nil
}

func machineMeta(machine *udsv1alpha1.UDSVirtualMachine, suffix string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name: machine.Name + suffix, Namespace: machine.Namespace, Labels: machineLabels(machine),
		OwnerReferences: owner(machine, udsv1alpha1.GroupVersion.WithKind("UDSVirtualMachine")),
	}
}

func machineLabels(machine *udsv1alpha1.UDSVirtualMachine) map[string]string {
	return map[string]string{udsv1alpha1.LabelVM: machine.Name}
}

// owner makes the controller reference. Before its object exists the uid is
// empty, on both sides, which is how a plan over files is judged.
func owner(object client.Object, kind schema.GroupVersionKind) []metav1.OwnerReference {
	return []metav1.OwnerReference{*metav1.NewControllerRef(object, kind)}
}

func machinePolicy(in MachineInput) *networkingv1.NetworkPolicy {
	egress := dnsEgress(in.DNS)
	if network := in.Machine.Spec.Network; network != nil {
		for _, ask := range network.Egress {
			egress = append(egress, networkingv1.NetworkPolicyEgressRule{
				To:    []networkingv1.NetworkPolicyPeer{{IPBlock: &networkingv1.IPBlock{CIDR: ask.CIDR}}},
				Ports: egressPorts(ask.Ports),
			})
		}
	}
	return &networkingv1.NetworkPolicy{
		TypeMeta:   metav1.TypeMeta{APIVersion: "networking.k8s.io/v1", Kind: "NetworkPolicy"},
		ObjectMeta: machineMeta(in.Machine, udsv1alpha1.NetworkPolicySuffix),
		Spec: networkingv1.NetworkPolicySpec{
			PodSelector: metav1.LabelSelector{MatchLabels: machineLabels(in.Machine)},
			PolicyTypes: bothDirections(),
			Ingress:     []networkingv1.NetworkPolicyIngressRule{},
			Egress:      egress,
		},
	}
}

func egressPorts(ports []udsv1alpha1.Port) []networkingv1.NetworkPolicyPort {
	all := make([]networkingv1.NetworkPolicyPort, 0, len(ports))
	for _, p := range ports {
		protocol := corev1.Protocol(p.Protocol)
		if protocol == "" {
			protocol = corev1.ProtocolTCP
		}
		number := intstr.FromInt32(p.Port)
		all = append(all, networkingv1.NetworkPolicyPort{Protocol: &protocol, Port: &number, EndPort: p.EndPort})
	}
	return all
}

func virtualMachine(in MachineInput, memory resource.Quantity) *kubevirtv1.VirtualMachine {
	strategy := runStrategy(in)
	cores := uint32(1)
	if c := in.Machine.Spec.CPU.Cores; c != nil && *c > 0 && int64(*c) <= math.MaxUint32 {
		cores = uint32(*c)
	}
	networks, interfaces := networksOf(in.Machine)
	return &kubevirtv1.VirtualMachine{
		TypeMeta:   metav1.TypeMeta{APIVersion: kubevirtv1.GroupVersion.String(), Kind: "VirtualMachine"},
		ObjectMeta: machineMeta(in.Machine, ""),
		Spec: kubevirtv1.VirtualMachineSpec{
			RunStrategy: &strategy,
			Template: &kubevirtv1.VirtualMachineInstanceTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: machineLabels(in.Machine)},
				Spec: kubevirtv1.VirtualMachineInstanceSpec{
					Domain: kubevirtv1.DomainSpec{
						CPU:    &kubevirtv1.CPU{Cores: cores, DedicatedCPUPlacement: in.Machine.Spec.CPU.Dedicated},
						Memory: &kubevirtv1.Memory{Guest: &memory},
						Devices: kubevirtv1.Devices{
							Disks:      []kubevirtv1.Disk{virtioDisk(rootDisk), virtioDisk(cloudInitDisk)},
							Interfaces: interfaces,
							Rng:        &kubevirtv1.Rng{},
						},
					},
					Networks: networks,
					Volumes: []kubevirtv1.Volume{
						{Name: rootDisk, VolumeSource: kubevirtv1.VolumeSource{DataVolume: &kubevirtv1.DataVolumeSource{Name: in.Machine.Name + udsv1alpha1.DataVolumeSuffix}}},
						{Name: cloudInitDisk, VolumeSource: kubevirtv1.VolumeSource{CloudInitNoCloud: &kubevirtv1.CloudInitNoCloudSource{
							UserDataSecretRef: &corev1.LocalObjectReference{Name: in.Machine.Name + udsv1alpha1.CloudInitSuffix},
						}}},
					},
				},
			},
		},
	}
}

func runStrategy(in MachineInput) kubevirtv1.VirtualMachineRunStrategy {
	if !in.Start {
		return kubevirtv1.RunStrategyHalted
	}
	if in.Machine.Spec.RunStrategy == "" {
		return kubevirtv1.RunStrategyAlways
	}
	return kubevirtv1.VirtualMachineRunStrategy(in.Machine.Spec.RunStrategy)
}

func virtioDisk(name string) kubevirtv1.Disk {
	return kubevirtv1.Disk{Name: name, DiskDevice: kubevirtv1.DiskDevice{Disk: &kubevirtv1.DiskTarget{Bus: kubevirtv1.DiskBusVirtio}}}
}

// networksOf binds the pod network by masquerade, so that NetworkPolicies hold,
// and adds each secondary network by a bridge.
func networksOf(machine *udsv1alpha1.UDSVirtualMachine) ([]kubevirtv1.Network, []kubevirtv1.Interface) {
	networks := []kubevirtv1.Network{*kubevirtv1.DefaultPodNetwork()}
	interfaces := []kubevirtv1.Interface{{
		Name:                   podNetwork,
		InterfaceBindingMethod: kubevirtv1.InterfaceBindingMethod{Masquerade: &kubevirtv1.InterfaceMasquerade{}},
	}}
	if machine.Spec.Network == nil {
		return networks, interfaces
	}
	for i, name := range machine.Spec.Network.Networks {
		nic := fmt.Sprintf("net%d", i+1)
		networks = append(networks, kubevirtv1.Network{Name: nic, NetworkSource: kubevirtv1.NetworkSource{Multus: &kubevirtv1.MultusNetwork{NetworkName: name}}})
		interfaces = append(interfaces, kubevirtv1.Interface{Name: nic, InterfaceBindingMethod: kubevirtv1.InterfaceBindingMethod{Bridge: &kubevirtv1.InterfaceBridge{}}})
	}
	return networks, interfaces
}
