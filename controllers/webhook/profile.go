package webhook

import (
	"context"
	"fmt"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	"cato.dev/cato/controllers/gather"
	"cato.dev/cato/policy/facts"
)

// profile refuses a ComplianceProfile that holds where another already does:
// for one namespace and kind there is one profile.
func (h *Handler) profile(ctx context.Context, _ admission.Request, profile *catov1alpha1.ComplianceProfile) admission.Response {
	if selector := profile.Spec.Scope.NamespaceSelector; selector != nil {
		if _, err := metav1.LabelSelectorAsSelector(selector); err != nil {
			return denied(fmt.Sprintf("ComplianceProfile %s: spec.scope.namespaceSelector: %v: it would hold nowhere", profile.Name, err))
		}
	}
	var others catov1alpha1.ComplianceProfileList
	if err := h.Gatherer.Reader.List(ctx, &others); err != nil {
		return admission.Errored(http.StatusInternalServerError, err)
	}
	var namespaces corev1.NamespaceList
	if err := h.Gatherer.Reader.List(ctx, &namespaces); err != nil {
		return admission.Errored(http.StatusInternalServerError, err)
	}
	for i := range others.Items {
		other := &others.Items[i]
		if other.Name == profile.Name || other.DeletionTimestamp != nil {
			continue
		}
		if where := overlap(profile, other, namespaces.Items); where != "" {
			return denied(fmt.Sprintf("ComplianceProfile %s: spec.scope: ComplianceProfile %s already holds for %s: narrow namespaceSelector or kinds of one of them", profile.Name, other.Name, where))
		}
	}
	return admission.Allowed("")
}

// overlap names a kind, and a namespace, that both profiles hold for.
func overlap(a, b *catov1alpha1.ComplianceProfile, namespaces []corev1.Namespace) string {
	for _, kind := range []string{facts.KindTenant, facts.KindUDSVirtualMachine, facts.KindVirtualMachine} {
		if a.Spec.Scope.NamespaceSelector == nil && b.Spec.Scope.NamespaceSelector == nil {
			if gather.InScope(a, kind, nil) && gather.InScope(b, kind, nil) {
				return kind + " in every namespace"
			}
			continue
		}
		for i := range namespaces {
			labels := namespaces[i].Labels
			if gather.InScope(a, kind, labels) && gather.InScope(b, kind, labels) {
				return kind + " in namespace " + namespaces[i].Name
			}
		}
	}
	return ""
}
