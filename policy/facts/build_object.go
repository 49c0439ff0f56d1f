package facts

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
)

func buildTenant(t *virtfoundryv1alpha1.Tenant, namespace *corev1.Namespace, rivals []virtfoundryv1alpha1.Tenant) Tenant {
	tenant := Tenant{
		Slug: bounded(t.Spec.Slug), SlugLength: int64(len([]rune(t.Spec.Slug))),
		NamespaceName: bounded(virtfoundryv1alpha1.NamespacePrefix + t.Spec.Slug),
		CreatedAt:     created(&t.ObjectMeta), Deleting: t.DeletionTimestamp != nil,
		OwnsNamespace: controls(t, namespace), Rivals: []Rival{},
	}
	for i := range rivals {
		r := &rivals[i]
		tenant.Rivals = append(tenant.Rivals, Rival{
			Name: r.Name, UID: string(r.UID), CreatedAt: created(&r.ObjectMeta),
			Deleting: r.DeletionTimestamp != nil, OwnsNamespace: controls(r, namespace),
		})
	}
	slices.SortFunc(tenant.Rivals, func(a, b Rival) int { return strings.Compare(a.Name, b.Name) })
	return tenant
}

func created(meta *metav1.ObjectMeta) string {
	if meta.CreationTimestamp.IsZero() {
		return ""
	}
	return meta.CreationTimestamp.UTC().Format(time.RFC3339)
}

// controls tells whether the namespace's controller reference has the uid of t.
func controls(t *virtfoundryv1alpha1.Tenant, namespace *corev1.Namespace) bool {
	if namespace == nil || t.UID == "" {
		return false
	}
	ref := metav1.GetControllerOf(namespace)
	return ref != nil && ref.UID == t.UID
}

func buildNamespace(ns *corev1.Namespace) []Namespace {
	if ns == nil {
		return []Namespace{}
	}
	labels := map[string]string{}
	for key, value := range ns.Labels {
		labels[key] = value
	}
	return []Namespace{{
		Name: ns.Name, UID: string(ns.UID), Labels: labels, Owners: owners(ns.OwnerReferences),
		Terminating: ns.DeletionTimestamp != nil || ns.Status.Phase == corev1.NamespaceTerminating,
	}}
}

func owners(refs []metav1.OwnerReference) []Owner {
	all := []Owner{}
	for _, ref := range refs {
		group, _, found := strings.Cut(ref.APIVersion, "/")
		if !found {
			group = ""
		}
		all = append(all, Owner{Group: group, Kind: ref.Kind, Name: ref.Name, UID: string(ref.UID), Controller: ref.Controller != nil && *ref.Controller})
	}
	return all
}

func buildMachine(m *udsv1alpha1.UDSVirtualMachine) Machine {
	spec := &m.Spec
	machine := Machine{
		OSType: string(spec.OSType), RunStrategy: string(spec.RunStrategy), SourceType: string(spec.SourceType),
		URL: withoutUserinfo(spec.URL), Image: []Image{}, Checksum: parseChecksum(spec.Checksum, "spec.checksum"),
		Cores: 1, Dedicated: spec.CPU.Dedicated, Memory: parseQuantity(spec.Memory), DiskSize: parseQuantity(spec.DiskSize),
		DataDisks: []DataDisk{}, Networks: []string{}, Egress: []Egress{},
	}
	if spec.CPU.Cores != nil {
		machine.Cores = int64(*spec.CPU.Cores)
	}
	if spec.SourceType == udsv1alpha1.SourceRegistry {
		machine.Image = []Image{parseRegistryURL(spec.URL)}
	}
	for _, disk := range spec.DataDisks {
		machine.DataDisks = append(machine.DataDisks, DataDisk{Name: disk.Name, Size: parseQuantity(disk.Size)})
	}
	if network := spec.Network; network != nil {
		for _, name := range network.Networks {
			machine.Networks = append(machine.Networks, qualified(name, m.Namespace))
		}
		for i, ask := range network.Egress {
			machine.Egress = append(machine.Egress, buildEgress(i, ask))
		}
	}
	if spec.Guest != nil && spec.Guest.UserDataSecretRef != nil {
		machine.UserDataFrom = spec.Guest.UserDataSecretRef.Name
	}
	return machine
}

func buildEgress(i int, ask udsv1alpha1.EgressRule) Egress {
	e := Egress{Path: fmt.Sprintf("spec.network.egress[%d]", i), CIDR: bounded(ask.CIDR), Ports: []Port{}}
	_, err := netip.ParsePrefix(ask.CIDR)
	e.Valid = err == nil
	for _, p := range ask.Ports {
		e.Ports = append(e.Ports, specPort(string(p.Protocol), p.Port, p.EndPort))
	}
	return e
}

func specPort(protocol string, number int32, end *int32) Port {
	n := int64(number)
	p := Port{Protocol: protocol, Number: &n}
	if protocol == "" {
		p.Protocol = "TCP"
	}
	if end != nil {
		last := int64(*end)
		p.End = &last
	}
	return p
}
