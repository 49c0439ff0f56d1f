package assessment

import (
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"cato.dev/cato/controllers/gather"
)

// adminNetworkPolicies is as little of the CRD as a cluster needs to serve it.
func adminNetworkPolicies() *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": apiextensionsv1.SchemeGroupVersion.String(), "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": "adminnetworkpolicies.policy.networking.k8s.io", "annotations": map[string]any{
			"api-approved.kubernetes.io": "https://github.com/kubernetes-sigs/network-policy-api/pull/30",
		}},
		"spec": map[string]any{
			"group": gather.OverrulingGroup, "scope": "Cluster",
			"names": map[string]any{"kind": "AdminNetworkPolicy", "listKind": "AdminNetworkPolicyList", "plural": "adminnetworkpolicies", "singular": "adminnetworkpolicy"},
			"versions": []any{map[string]any{"name": "v1alpha1", "served": true, "storage": true, "schema": map[string]any{
				"openAPIV3Schema": map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true},
			}}},
		},
	}}
}

func TestPoliciesThatAllowFirstAreFoundWhenTheirKindComes(t *testing.T) {
	p := newProbed(t, "overruled", policyRule("list", "watch"))
	eventually(t, "the right is seen", func() bool { p.Probe(t.Context()); return p.Blind(policiesResource, "") == "" })
	if reason := p.Blind(gather.OverrulingResource, ""); reason != "" || len(p.Overrulers.List()) != 0 {
		t.Fatalf("where the kind is not served: %q, %v", reason, p.Overrulers.List())
	}
	crd := adminNetworkPolicies()
	if err := cluster.Client.Create(t.Context(), crd); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := client.IgnoreNotFound(cluster.Client.Delete(t.Context(), crd)); err != nil && t.Context().Err() == nil {
			t.Error(err)
		}
	})
	eventually(t, "what may not be listed blinds", func() bool {
		p.Probe(t.Context())
		return p.Blind(gather.OverrulingResource, "") == "the right to list adminnetworkpolicies.policy.networking.k8s.io is missing"
	})
	setRules(t, "overruled", policyRule("list", "watch"),
		rbacv1.PolicyRule{APIGroups: []string{gather.OverrulingGroup}, Resources: []string{"adminnetworkpolicies", "clusternetworkpolicies"}, Verbs: []string{"list"}})
	policy := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": gather.OverrulingGroup + "/v1alpha1", "kind": "AdminNetworkPolicy", "metadata": map[string]any{"name": "monitoring"},
		"spec": map[string]any{"ingress": []any{map[string]any{"action": "Allow"}}, "subject": map[string]any{"namespaces": map[string]any{}}},
	}}
	eventually(t, "the kind is served", func() bool { return cluster.Client.Create(t.Context(), policy) == nil })
	before := p.changes
	eventually(t, "the policy is found", func() bool {
		p.Probe(t.Context())
		if _, seen := overrulersOf(t.Context(), p.Client.Discovery().RESTClient()); seen.err != nil {
			t.Fatal(seen.err)
		}
		found := p.Overrulers.List()
		return p.Blind(gather.OverrulingResource, "") == "" && len(found) == 1 && found[0].Name == "AdminNetworkPolicy monitoring"
	})
	if p.changes == before {
		t.Error("nobody was told that a policy came")
	}
	if err := cluster.Client.Delete(t.Context(), policy); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it is gone", func() bool { p.Probe(t.Context()); return len(p.Overrulers.List()) == 0 })
}
