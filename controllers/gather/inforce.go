package gather

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	"cato.dev/cato/policy/facts"
)

// InForce is the profile that holds for a kind in a namespace with these
// labels: of those whose scope takes it in, the oldest, and of one age the
// first by name. Nil is the built-in one of the kind.
func InForce(profiles []catov1alpha1.ComplianceProfile, kind string, namespace map[string]string) *catov1alpha1.ComplianceProfile {
	var oldest *catov1alpha1.ComplianceProfile
	for i := range profiles {
		profile := &profiles[i]
		if profile.DeletionTimestamp == nil && InScope(profile, kind, namespace) && (oldest == nil || olderFirst(profile, oldest) < 0) {
			oldest = profile
		}
	}
	return oldest
}

func olderFirst(a, b *catov1alpha1.ComplianceProfile) int {
	if order := a.CreationTimestamp.Compare(b.CreationTimestamp.Time); order != 0 {
		return order
	}
	return strings.Compare(a.Name, b.Name)
}

// Loss is a kind and a namespace that a profile's scope takes in and for which
// another one is in force.
type Loss struct{ Kind, Namespace, Winner string } // an empty Namespace is every one

// Losses are where a profile gives way to another of them. Two that hold in
// every namespace are told so once, since there may be no namespace yet.
func Losses(profile *catov1alpha1.ComplianceProfile, all []catov1alpha1.ComplianceProfile, namespaces []corev1.Namespace) []Loss {
	losses := []Loss{}
	everywhere := slices.DeleteFunc(slices.Clone(all), func(p catov1alpha1.ComplianceProfile) bool {
		return p.Spec.Scope.NamespaceSelector != nil
	})
	lost := func(kind, namespace string, labels map[string]string, among []catov1alpha1.ComplianceProfile) bool {
		winner := InForce(among, kind, labels)
		if winner == nil || winner.Name == profile.Name || !InScope(profile, kind, labels) {
			return false
		}
		losses = append(losses, Loss{kind, namespace, winner.Name})
		return true
	}
	for _, kind := range facts.Kinds() {
		if profile.Spec.Scope.NamespaceSelector == nil && lost(kind, "", nil, everywhere) {
			continue
		}
		for i := range namespaces {
			lost(kind, namespaces[i].Name, namespaces[i].Labels, all)
		}
	}
	return losses
}

// String names a loss for people.
func (l Loss) String() string {
	if l.Namespace == "" {
		return l.Kind + " in every namespace"
	}
	return l.Kind + " in namespace " + l.Namespace
}
