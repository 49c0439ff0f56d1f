package webhook

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	"cato.dev/cato/controllers/gather"
)

// profile refuses a ComplianceProfile that holds where another already does:
// for one namespace and kind there is one profile.
func (h *Handler) profile(ctx context.Context, _ admission.Request, profile *catov1alpha1.ComplianceProfile) admission.Response {
	if problems := gather.ProfileProblems(profile, h.Judge.Knows); len(problems) > 0 {
		return denied(fmt.Sprintf("ComplianceProfile %s: %s", profile.Name, strings.Join(problems, "; ")))
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
		pair := []catov1alpha1.ComplianceProfile{*profile, *other}
		shared := append(gather.Losses(profile, pair, namespaces.Items), gather.Losses(other, pair, namespaces.Items)...)
		if len(shared) > 0 {
			return denied(fmt.Sprintf("ComplianceProfile %s: spec.scope: ComplianceProfile %s already holds for %s: narrow namespaceSelector or kinds of one of them", profile.Name, other.Name, shared[0]))
		}
	}
	return admission.Allowed("")
}
