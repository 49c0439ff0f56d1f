package facts

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
)

// buildForeign lists what the machine takes from other namespaces.
func buildForeign(g *Gathered, nics []NIC, namespace string) []Foreign {
	foreign := []Foreign{}
	for _, f := range append(askedElsewhere(g.Machine, namespace), usedElsewhere(g, nics, namespace)...) {
		known := slices.ContainsFunc(foreign, func(other Foreign) bool {
			return other.Kind == f.Kind && other.Namespace == f.Namespace && other.Name == f.Name
		})
		if !known {
			f.Labels = labelsOf(g.SourceNamespaces, f.Namespace)
			foreign = append(foreign, f)
		}
	}
	return foreign
}

// SourceNamespaces names the namespaces, other than its own, that a machine's
// spec and the gathered children take content from.
func SourceNamespaces(g *Gathered) []string {
	namespace := SubjectOf(g).Namespace
	nics := []NIC{}
	for _, f := range formsOf(g) {
		nics = append(nics, buildNICs(f, namespace)...)
	}
	names := []string{}
	for _, f := range append(askedElsewhere(g.Machine, namespace), usedElsewhere(g, nics, namespace)...) {
		names = append(names, f.Namespace)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// TakesFrom tells whether a machine's spec names an object of the namespace,
// other than its own: then an event of that namespace touches the machine.
func TakesFrom(m *udsv1alpha1.UDSVirtualMachine, namespace string) bool {
	return slices.ContainsFunc(askedElsewhere(m, m.Namespace), func(f Foreign) bool { return f.Namespace == namespace })
}

// AsksElsewhere tells whether a machine's spec names an object of another namespace.
func AsksElsewhere(m *udsv1alpha1.UDSVirtualMachine) bool {
	return len(askedElsewhere(m, m.Namespace)) > 0
}

func askedElsewhere(m *udsv1alpha1.UDSVirtualMachine, namespace string) []Foreign {
	found := []Foreign{}
	if m == nil {
		return found
	}
	add := func(path, kind, in, name string) {
		if in != "" && in != namespace {
			found = append(found, Foreign{Path: path, Kind: kind, Namespace: bounded(in), Name: bounded(name)})
		}
	}
	spec := &m.Spec
	if spec.Guest != nil && spec.Guest.UserDataSecretRef != nil {
		add("spec.guest.userDataSecretRef", "Secret", spec.Guest.UserDataSecretRef.Namespace, spec.Guest.UserDataSecretRef.Name)
	}
	if spec.DataSourceRef != nil {
		add("spec.dataSourceRef", "DataSource", spec.DataSourceRef.Namespace, spec.DataSourceRef.Name)
	}
	if spec.PVCRef != nil {
		add("spec.pvcRef", "PersistentVolumeClaim", spec.PVCRef.Namespace, spec.PVCRef.Name)
	}
	if spec.Network != nil {
		for _, network := range spec.Network.Networks {
			in, name, _ := strings.Cut(qualified(network, namespace), "/")
			add("spec.network.networks", "NetworkAttachmentDefinition", in, name)
		}
	}
	return found
}

// usedElsewhere looks at the children: at the first step out of the own
// namespace, since what lies beyond it is that namespace's matter.
func usedElsewhere(g *Gathered, nics []NIC, namespace string) []Foreign {
	found := []Foreign{}
	add := func(path, kind, in, name string) {
		if in != "" && in != namespace {
			found = append(found, Foreign{Path: path, Kind: kind, Namespace: in, Name: name})
		}
	}
	for _, volume := range ownVolumes(g, namespace) {
		path := "DataVolume/" + volume.Name + " spec."
		if s := volume.Spec.Source; s != nil && s.PVC != nil {
			add(path+"source.pvc", "PersistentVolumeClaim", s.PVC.Namespace, s.PVC.Name)
		} else if s != nil && s.Snapshot != nil {
			add(path+"source.snapshot", "VolumeSnapshot", s.Snapshot.Namespace, s.Snapshot.Name)
		}
		if ref := volume.Spec.SourceRef; ref != nil && ref.Namespace != nil {
			add(path+"sourceRef", "DataSource", *ref.Namespace, ref.Name)
		}
	}
	for i := range g.DataSources {
		source := &g.DataSources[i]
		if source.Namespace != namespace {
			continue
		}
		path := "DataSource/" + source.Name + " spec.source."
		if pvc := source.Spec.Source.PVC; pvc != nil {
			add(path+"pvc", "PersistentVolumeClaim", pvc.Namespace, pvc.Name)
		} else if snapshot := source.Spec.Source.Snapshot; snapshot != nil {
			add(path+"snapshot", "VolumeSnapshot", snapshot.Namespace, snapshot.Name)
		}
	}
	for _, nic := range nics {
		if in, name, qualified := strings.Cut(nic.Network, "/"); qualified {
			add(nic.Path, "NetworkAttachmentDefinition", in, name)
		}
	}
	return found
}

func labelsOf(namespaces []corev1.Namespace, name string) map[string]string {
	labels := map[string]string{}
	for i := range namespaces {
		if namespaces[i].Name == name {
			for key, value := range namespaces[i].Labels {
				labels[key] = value
			}
		}
	}
	return labels
}

func sourceGrants(sources []catov1alpha1.SourceGrant, namespace *corev1.Namespace) []SourceGrant {
	grants := []SourceGrant{}
	for i := range sources {
		s := &sources[i]
		grants = append(grants, SourceGrant{Selects: selects(&s.NamespaceSelector, namespace), Reason: s.Reason, Namespaces: append([]string{}, s.SourceNamespaces...)})
	}
	return grants
}
