package children

import (
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	kubevirtv1 "kubevirt.io/api/core/v1"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/policy/facts"
	"cato.dev/cato/policy/facts/cloudinit"
)

// containerDisk is the name of an Instance's boot disk, as users know it.
const containerDisk = "containerdisk"

// domainLabel is the label by which users of KubeVirt select a guest.
const domainLabel = "kubevirt.io/domain"

// seedUser is the account that gets the keys of sshKeyRefs.
const seedUser = "ubuntu"

// InstanceInput is what an Instance's children are made of.
type InstanceInput struct {
	Found    *facts.Gathered // the Instance and what it names
	UserData []byte          // the user data that was chosen; empty without any
	// UserDataSecret is the uid of the Secret that the user data lies in; empty where it is not from a Secret.
	UserDataSecret types.UID
	Dedicated      bool // the grant dedicated_cpu is given
	PodNetwork     bool // the grant pod_network is given
}

// Instance are the children of an Instance, in the order in which they are written.
type Instance struct {
	Addresses []*virtfoundryv1alpha1.IPAddress
	// Awaits names the Addresses that are not allocated yet; until they are, the
	// rest is what it will be but for its network configuration, and not to be written.
	Awaits         []string
	CloudInit      *corev1.Secret
	VirtualMachine *kubevirtv1.VirtualMachine
}

// ForInstance renders the children. It fails where none can be made, with the
// object, the field and the remedy; user data and keys are never part of the error.
func ForInstance(in InstanceInput) (*Instance, error) {
	template, err := bootTemplate(in)
	if err != nil {
		return nil, err
	}
	userData, err := seed(in)
	if err != nil {
		return nil, err
	}
	networks, interfaces, err := instanceNetworks(in)
	if err != nil {
		return nil, err
	}
	instance := in.Found.Instance
	planned := &Instance{
		Addresses: nicClaims(in),
		CloudInit: &corev1.Secret{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
			ObjectMeta: instanceMeta(instance, virtfoundryv1alpha1.CloudInitSuffix),
			Type:       corev1.SecretTypeOpaque,
			Data:       map[string][]byte{userDataKey: userData},
		},
		VirtualMachine: instanceVM(in, template, networks, interfaces),
	}
	if err := planned.number(in); err != nil {
		return nil, err
	}
	planned.sealed(in)
	return planned, nil
}

func namedInstance(instance *virtfoundryv1alpha1.Instance) string {
	return "Instance " + instance.Namespace + "/" + instance.Name
}

// bootTemplate is the one Template that the Instance boots from.
func bootTemplate(in InstanceInput) (*virtfoundryv1alpha1.Template, error) {
	instance := in.Found.Instance
	switch {
	case instance.Spec.TemplateRef == nil || instance.Spec.TemplateRef.Name == "":
		return nil, fmt.Errorf("%s: spec.templateRef is missing: name a Template of namespace %s or of %s", namedInstance(instance), instance.Namespace, virtfoundryv1alpha1.SystemNamespace)
	case len(in.Found.Named.Templates) == 0:
		return nil, &NotReadyError{fmt.Sprintf("%s: spec.templateRef: Template %s exists neither in namespace %s nor in %s: create it, or name another",
			namedInstance(instance), instance.Spec.TemplateRef.Name, instance.Namespace, virtfoundryv1alpha1.SystemNamespace)}
	}
	template := &in.Found.Named.Templates[0]
	if source := template.Spec.SourceType; source != virtfoundryv1alpha1.TemplateContainer {
		return nil, fmt.Errorf("%s: spec.templateRef: Template %s/%s has sourceType %s, which this release cannot boot: name one of sourceType container",
			namedInstance(instance), template.Namespace, template.Name, source)
	}
	return template, nil
}

// seed is the user data with the keys of sshKeyRefs.
func seed(in InstanceInput) ([]byte, error) {
	instance := in.Found.Instance
	if len(instance.Spec.SSHKeyRefs) == 0 {
		if len(in.UserData) == 0 {
			return []byte("#cloud-config\n"), nil
		}
		return in.UserData, nil
	}
	options := cloudinit.KeyOptions{User: seedUser}
	for _, ref := range instance.Spec.SSHKeyRefs {
		key := sshKey(in.Found, ref.Name)
		if key == nil {
			return nil, &NotReadyError{fmt.Sprintf("%s: spec.sshKeyRefs: SSHKey %s does not exist in namespace %s: create it, or remove the entry", namedInstance(instance), ref.Name, instance.Namespace)}
		}
		options.AuthorizedKeys = append(options.AuthorizedKeys, cloudinit.NamedKey{Name: "SSHKey " + key.Name, Line: key.Spec.PublicKey})
	}
	data, err := cloudinit.MergeKeys(in.UserData, options)
	var refusal *cloudinit.Refusal
	if errors.As(err, &refusal) {
		return nil, fmt.Errorf("%s: the keys of spec.sshKeyRefs cannot be merged into the user data: %s: %s: %s", namedInstance(instance), refusal.Part, refusal.Reason, refusal.Remedy)
	}
	return data, err
}

func sshKey(found *facts.Gathered, name string) *virtfoundryv1alpha1.SSHKey {
	for i := range found.Named.SSHKeys {
		if found.Named.SSHKeys[i].Name == name {
			return &found.Named.SSHKeys[i]
		}
	}
	return nil
}

// instanceNetworks attaches each NIC to its Network by a bridge and, where that
// is granted, adds the pod network by masquerade, behind which policies hold.
func instanceNetworks(in InstanceInput) ([]kubevirtv1.Network, []kubevirtv1.Interface, error) {
	instance := in.Found.Instance
	networks, interfaces := []kubevirtv1.Network{}, []kubevirtv1.Interface{}
	if in.PodNetwork {
		networks = append(networks, *kubevirtv1.DefaultPodNetwork())
		interfaces = append(interfaces, kubevirtv1.Interface{
			Name: podNetwork, InterfaceBindingMethod: kubevirtv1.InterfaceBindingMethod{Masquerade: &kubevirtv1.InterfaceMasquerade{}},
		})
	}
	for i := range instance.Spec.NICs {
		nic := &instance.Spec.NICs[i]
		name := facts.NICName(i, nic.Name)
		if in.PodNetwork && name == podNetwork {
			return nil, nil, fmt.Errorf("%s: spec.nics[%d].name %s is that of the NIC on the pod network: give it another, or remove the annotation %s", namedInstance(instance), i, name, virtfoundryv1alpha1.AnnotationAllowPodNetwork)
		}
		network := facts.NetworkOf(in.Found, nic.NetworkRef.Name)
		if network == nil {
			return nil, nil, &NotReadyError{fmt.Sprintf("%s: spec.nics[%d].networkRef: Network %s does not exist in namespace %s: use the metadata.name of a Network", namedInstance(instance), i, nic.NetworkRef.Name, instance.Namespace)}
		}
		attachment := facts.AttachmentOf(network)
		if attachment == "" {
			return nil, nil, &NotReadyError{fmt.Sprintf("%s: spec.nics[%d].networkRef: Network %s/%s has no NetworkAttachmentDefinition yet: its status says why", namedInstance(instance), i, network.Namespace, network.Name)}
		}
		if own := instance.Namespace + "/"; len(attachment) > len(own) && attachment[:len(own)] == own {
			attachment = attachment[len(own):]
		}
		networks = append(networks, kubevirtv1.Network{Name: name, NetworkSource: kubevirtv1.NetworkSource{Multus: &kubevirtv1.MultusNetwork{NetworkName: attachment}}})
		interfaces = append(interfaces, kubevirtv1.Interface{Name: name, InterfaceBindingMethod: kubevirtv1.InterfaceBindingMethod{Bridge: &kubevirtv1.InterfaceBridge{}}})
	}
	if len(interfaces) == 0 {
		return nil, nil, fmt.Errorf("%s: it has no NIC: add spec.nics, or ask for the pod network by the annotation %s=true", namedInstance(instance), virtfoundryv1alpha1.AnnotationAllowPodNetwork)
	}
	return networks, interfaces, nil
}

// NotReadyError tells that children cannot be made yet: what is named may still come.
type NotReadyError struct{ message string }

// Error names object, field and what is awaited.
func (e *NotReadyError) Error() string { return e.message }

func instanceVM(in InstanceInput, template *virtfoundryv1alpha1.Template, networks []kubevirtv1.Network, interfaces []kubevirtv1.Interface) *kubevirtv1.VirtualMachine {
	instance, size := in.Found.Instance, facts.SizeOf(in.Found.Named.Offering)
	strategy := kubevirtv1.RunStrategyAlways
	if instance.Spec.PowerState == virtfoundryv1alpha1.PowerHalted {
		strategy = kubevirtv1.RunStrategyHalted
	}
	memory := *resource.NewQuantity(size.Memory, resource.BinarySI)
	amounts := corev1.ResourceList{corev1.ResourceMemory: memory}
	if in.Dedicated {
		amounts[corev1.ResourceCPU] = *resource.NewQuantity(size.Cores, resource.DecimalSI)
	}
	return &kubevirtv1.VirtualMachine{
		TypeMeta:   metav1.TypeMeta{APIVersion: kubevirtv1.GroupVersion.String(), Kind: "VirtualMachine"},
		ObjectMeta: instanceMeta(instance, ""),
		Spec: kubevirtv1.VirtualMachineSpec{
			RunStrategy: &strategy,
			Template: &kubevirtv1.VirtualMachineInstanceTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{
					domainLabel: instance.Name, virtfoundryv1alpha1.LabelVM: instance.Name,
				}},
				Spec: kubevirtv1.VirtualMachineInstanceSpec{
					Domain: kubevirtv1.DomainSpec{
						CPU:       &kubevirtv1.CPU{Cores: uint32(min(max(size.Cores, 1), 256)), DedicatedCPUPlacement: in.Dedicated},
						Resources: kubevirtv1.ResourceRequirements{Requests: amounts, Limits: amounts.DeepCopy()},
						Devices:   kubevirtv1.Devices{Disks: []kubevirtv1.Disk{virtioDisk(containerDisk), virtioDisk(cloudInitDisk)}, Interfaces: interfaces},
					},
					Networks: networks,
					Volumes: []kubevirtv1.Volume{
						{Name: containerDisk, VolumeSource: kubevirtv1.VolumeSource{ContainerDisk: &kubevirtv1.ContainerDiskSource{Image: template.Spec.Image}}},
						{Name: cloudInitDisk, VolumeSource: kubevirtv1.VolumeSource{CloudInitNoCloud: &kubevirtv1.CloudInitNoCloudSource{
							UserDataSecretRef: &corev1.LocalObjectReference{Name: instance.Name + virtfoundryv1alpha1.CloudInitSuffix},
						}}},
					},
				},
			},
		},
	}
}

func instanceMeta(instance *virtfoundryv1alpha1.Instance, suffix string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name: instance.Name + suffix, Namespace: instance.Namespace,
		Labels: map[string]string{
			virtfoundryv1alpha1.LabelManagedBy: virtfoundryv1alpha1.InstanceManagedBy,
			virtfoundryv1alpha1.LabelPartOf:    virtfoundryv1alpha1.PartOf,
			virtfoundryv1alpha1.LabelInstance:  instance.Name,
		},
		OwnerReferences: owner(instance, virtfoundryv1alpha1.GroupVersion.WithKind("Instance")),
	}
}

// MergeInstance is MergeVirtualMachine for an Instance: disks and volumes of
// others stay, and the NICs are those of the Instance alone.
func MergeInstance(desired, live *kubevirtv1.VirtualMachine) *kubevirtv1.VirtualMachine {
	merged := MergeVirtualMachine(desired, live)
	spec := &merged.Spec.Template.Spec
	spec.Networks = spec.Networks[:len(desired.Spec.Template.Spec.Networks)]
	spec.Domain.Devices.Interfaces = spec.Domain.Devices.Interfaces[:len(desired.Spec.Template.Spec.Domain.Devices.Interfaces)]
	return merged
}
