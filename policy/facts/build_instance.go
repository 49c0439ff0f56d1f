package facts

import (
	"fmt"
	"slices"
	"strings"

	kubevirtv1 "kubevirt.io/api/core/v1"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
)

// What an Instance without an Offering has (VirtFoundry sheet, section 1.1).
const (
	defaultInstanceCores  = 1
	defaultInstanceMemory = 512 * mebibyte
)

func buildObject(g *Gathered) Object {
	o := Object{Tenant: []Tenant{}, Machine: []Machine{}, Instance: []Instance{}, Template: []Template{}, Offering: []Offering{}}
	if g.Tenant != nil {
		o.Tenant = append(o.Tenant, buildTenant(g.Tenant, g.Namespace, g.Rivals))
	}
	if g.Machine != nil {
		o.Machine = append(o.Machine, buildMachine(g.Machine))
	}
	if g.Instance != nil {
		o.Instance = append(o.Instance, buildInstance(g))
	}
	if g.Template != nil {
		o.Template = append(o.Template, buildTemplate(g.Template, g.Named.Templates))
	}
	if g.Offering != nil {
		o.Offering = append(o.Offering, buildOffering(g.Offering))
	}
	return o
}

func buildInstance(g *Gathered) Instance {
	spec := &g.Instance.Spec
	size := SizeOf(g.Named.Offering)
	instance := Instance{
		PowerState: string(virtfoundryv1alpha1.PowerRunning), Tenant: []Owning{}, Offering: []Offering{}, Templates: []Template{},
		Cores: size.Cores, MemoryBytes: size.Memory, DedicatedCPU: spec.DedicatedCPU, PodNetwork: AsksPodNetwork(g.Instance),
		NICs: buildInstanceNICs(g), Existing: []ExistingMachine{},
	}
	if spec.PowerState == virtfoundryv1alpha1.PowerHalted {
		instance.PowerState = string(spec.PowerState)
	}
	if spec.OfferingRef != nil {
		instance.OfferingName = bounded(spec.OfferingRef.Name)
	}
	if spec.TemplateRef != nil {
		instance.TemplateName = bounded(spec.TemplateRef.Name)
	}
	if t := g.Named.Tenant; t != nil {
		instance.Tenant = append(instance.Tenant, Owning{
			Name: t.Name, UID: string(t.UID), Slug: bounded(t.Spec.Slug),
			NamespaceName: bounded(virtfoundryv1alpha1.NamespacePrefix + t.Spec.Slug), Deleting: t.DeletionTimestamp != nil,
		})
	}
	if g.Named.Offering != nil {
		instance.Offering = append(instance.Offering, buildOffering(g.Named.Offering))
	}
	for i := range g.Named.Templates {
		instance.Templates = append(instance.Templates, buildTemplate(&g.Named.Templates[i], g.Named.Templates))
	}
	if vm := g.VirtualMachine; vm != nil {
		instance.Existing = append(instance.Existing, buildExisting(vm))
	}
	return instance
}

func buildExisting(vm *kubevirtv1.VirtualMachine) ExistingMachine {
	labels := map[string]string{}
	for key, value := range vm.Labels {
		labels[key] = value
	}
	return ExistingMachine{Name: vm.Name, UID: string(vm.UID), Labels: labels, Owners: owners(vm.OwnerReferences)}
}

func buildOffering(o *virtfoundryv1alpha1.Offering) Offering {
	size := SizeOf(o)
	return Offering{
		Name: o.Name, UID: string(o.UID), PlatformOwned: o.Labels[virtfoundryv1alpha1.LabelPlatformOwned] == "true",
		Cores: size.Cores, MemoryBytes: size.Memory, DedicatedCPU: o.Spec.DedicatedCPU,
	}
}

// Size is what a guest has.
type Size struct{ Cores, Memory int64 } // Memory in bytes

// SizeOf is the size that an Offering gives; nil gives the default.
func SizeOf(o *virtfoundryv1alpha1.Offering) Size {
	if o == nil {
		return Size{defaultInstanceCores, defaultInstanceMemory}
	}
	return Size{int64(o.Spec.CPU), saturated(o.Spec.MemoryMi)}
}

// saturated multiplies by a mebibyte and stays an int64: the schema's bound was
// not always there.
func saturated(mi int64) int64 {
	const most = int64(1)<<62 - 1
	if mi > most/mebibyte {
		return most
	}
	return mi * mebibyte
}

func buildTemplate(t *virtfoundryv1alpha1.Template, namesakes []virtfoundryv1alpha1.Template) Template {
	template := Template{
		Path: "Template/" + t.Namespace + "/" + t.Name, Namespace: t.Namespace, Name: t.Name, UID: string(t.UID),
		Platform:   t.Namespace == virtfoundryv1alpha1.SystemNamespace,
		SourceType: string(t.Spec.SourceType), OSType: bounded(strings.ToLower(t.Spec.OSType)),
		Image: []Image{}, Checksum: []Checksum{}, Import: []Image{},
	}
	if template.OSType == "" {
		template.OSType = "linux"
	}
	template.Shadows = !template.Platform && slices.ContainsFunc(namesakes, func(other virtfoundryv1alpha1.Template) bool {
		return other.Namespace == virtfoundryv1alpha1.SystemNamespace && other.Name == t.Name
	})
	if t.Spec.SourceType == virtfoundryv1alpha1.TemplateContainer {
		template.Image = append(template.Image, parseImage(t.Spec.Image))
	} else {
		template.URL, template.Class = withoutUserinfo(t.Spec.Image), ClassOf(t)
		if fromRegistry(t) {
			template.Import = append(template.Import, templateImage(t))
		} else {
			template.Checksum = parseChecksum(t.Spec.Checksum, "spec.checksum")
		}
	}
	return template
}

// ClassOf is the StorageClass that a Template names for its volumes; empty for the default.
func ClassOf(t *virtfoundryv1alpha1.Template) string { return bounded(string(t.Spec.StorageClass)) }

// Imports tells whether a Template's disks are volumes that are filled from elsewhere.
func Imports(t *virtfoundryv1alpha1.Template) bool {
	return t != nil && t.Spec.SourceType != virtfoundryv1alpha1.TemplateContainer
}

func buildInstanceNICs(g *Gathered) []InstanceNIC {
	nics := []InstanceNIC{}
	for i := range g.Instance.Spec.NICs {
		asked := &g.Instance.Spec.NICs[i]
		nic := InstanceNIC{Path: fmt.Sprintf("spec.nics[%d]", i), Name: NICName(i, asked.Name), Network: bounded(asked.NetworkRef.Name), Asked: bounded(asked.Address)}
		nic.Claim = bounded(NICClaimName(g.Instance.Name, nic.Name))
		if network := NetworkOf(g, asked.NetworkRef.Name); network != nil {
			nic.Found, nic.In, nic.Type = true, network.Namespace, string(network.Spec.NetworkType)
			nic.NAD, nic.Numbered = AttachmentOf(network), GivesAddresses(network)
		}
		nics = append(nics, nic)
	}
	return nics
}

// NICName is the name of KubeVirt's interface for an entry of spec.nics.
func NICName(index int, name string) string {
	if name = strings.TrimSpace(name); name != "" {
		return name
	}
	return fmt.Sprintf("nic%d", index)
}

// NetworkOf finds a Network that an Instance names: in its own namespace, else
// a shared one of the platform; nil when there is none.
func NetworkOf(g *Gathered, name string) *virtfoundryv1alpha1.Network {
	var platform *virtfoundryv1alpha1.Network
	for i := range g.Named.Networks {
		network := &g.Named.Networks[i]
		switch {
		case network.Name != name:
		case network.Namespace == g.Instance.Namespace:
			return network
		case network.Namespace == virtfoundryv1alpha1.SystemNamespace && network.Spec.NetworkType == virtfoundryv1alpha1.NetworkShared:
			platform = network
		}
	}
	return platform
}

// AttachmentOf is the NetworkAttachmentDefinition of a Network as
// namespace/name; empty while there is none.
func AttachmentOf(network *virtfoundryv1alpha1.Network) string {
	if network.Status.NADName == "" {
		return ""
	}
	namespace := network.Status.NADNamespace
	if namespace == "" {
		namespace = network.Namespace
	}
	return bounded(namespace + "/" + network.Status.NADName)
}

// AsksPodNetwork tells whether the annotation asks for a NIC on the pod network.
func AsksPodNetwork(instance *virtfoundryv1alpha1.Instance) bool {
	switch strings.ToLower(strings.TrimSpace(instance.Annotations[virtfoundryv1alpha1.AnnotationAllowPodNetwork])) {
	case "true", "1", "yes":
		return true
	default:
		return false
	}
}

// Kinds are the kinds of subjects.
func Kinds() []string {
	return []string{KindTenant, KindUDSVirtualMachine, KindVirtualMachine, KindInstance, KindTemplate, KindOffering,
		KindNetwork, KindVPC, KindIPAddress, KindSecurityGroup,
		KindSSHKey, KindDisk, KindDiskSnapshot, KindInstanceSnapshot, KindUser, KindRole, KindAPIKey, KindPlatform}
}

// RunsMachine tells whether a VirtualMachine belongs to a subject of the kind.
func RunsMachine(kind string) bool {
	return kind == KindUDSVirtualMachine || kind == KindVirtualMachine || kind == KindInstance
}
