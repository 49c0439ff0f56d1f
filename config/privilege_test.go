package config_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// writing are the verbs that change something.
func writing() []string {
	return []string{"create", "update", "patch", "delete", "deletecollection", "bind", "escalate", "impersonate", "approve", "sign"}
}

// guarded are the resources, as group/resource, whose writes by the operator some policy of config/admission judges.
func guarded(t *testing.T) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for _, object := range manifests(t, "admission") {
		if object.GetKind() != "ValidatingAdmissionPolicy" {
			continue
		}
		conditions, _, err := unstructured.NestedSlice(object.Object, "spec", "matchConditions")
		if err != nil || !strings.Contains(fmt.Sprint(conditions), "operator-service-account-only") {
			continue
		}
		rules, _, err := unstructured.NestedSlice(object.Object, "spec", "matchConstraints", "resourceRules")
		if err != nil {
			t.Fatal(err)
		}
		for _, rule := range rules {
			groups, _, _ := unstructured.NestedStringSlice(rule.(map[string]any), "apiGroups")
			resources, _, _ := unstructured.NestedStringSlice(rule.(map[string]any), "resources")
			operations, _, _ := unstructured.NestedStringSlice(rule.(map[string]any), "operations")
			if !slices.Equal(operations, []string{"CREATE", "UPDATE", "DELETE"}) {
				continue
			}
			for _, group := range groups {
				for _, resource := range resources {
					found[group+"/"+resource] = true
				}
			}
		}
	}
	return found
}

// unguarded are the writes that no guard needs to judge, with the reason.
func unguarded() map[string]string {
	return map[string]string{
		"authentication.k8s.io/tokenreviews":                           "asks who a caller is, and stores nothing",
		"authorization.k8s.io/subjectaccessreviews":                    "asks what a caller may, and stores nothing",
		"authorization.k8s.io/selfsubjectaccessreviews":                "asks what the operator may, and stores nothing",
		"events.k8s.io/events":                                         "tells, and grants nothing",
		"cato.dev/compliancereports":                                   "the operator's own report",
		"cato.dev/compliancereports/status":                            "the operator's own report",
		"cato.dev/complianceprofiles/status":                           "observed, never read as input",
		"rbac.authorization.k8s.io/clusterroles":                       "bind by name; the RoleBinding guard says where and to whom",
		"admissionregistration.k8s.io/validatingwebhookconfigurations": "the operator's own, by name",
	}
}

// TestEveryClusterWideWriteIsConfined is the whole of least privilege that a manifest can show: whatever the generated role
// grows by, a write is either judged by a guard, status or finalizers of a kind of ours, or listed above with a reason.
func TestEveryClusterWideWriteIsConfined(t *testing.T) {
	guards, bound, seen := guarded(t), clusterWide(t), 0
	if len(guards) < 15 {
		t.Fatalf("guards of %v only", guards)
	}
	for _, r := range roles(t) {
		if r.kind != "ClusterRole" || !slices.Contains(bound, r.name) {
			continue
		}
		for i, rule := range r.rules {
			for _, problem := range unconfined(rule, guards) {
				t.Errorf("ClusterRole %s: rule %d: %s", r.name, i, problem)
			}
			seen++
		}
	}
	if seen < 15 {
		t.Errorf("%d rules", seen)
	}
}

// unconfined lists what of a rule may be written without a guard.
func unconfined(rule rbacv1.PolicyRule, guards map[string]bool) []string {
	var problems []string
	if !slices.ContainsFunc(rule.Verbs, func(verb string) bool { return slices.Contains(writing(), verb) }) {
		return nil
	}
	for _, group := range rule.APIGroups {
		for _, resource := range rule.Resources {
			name := group + "/" + resource
			_, sub, _ := strings.Cut(resource, "/")
			ours := strings.HasSuffix(group, "virtfoundry.io") || group == "uds.dev"
			if guards[name] || unguarded()[name] != "" || ours && (sub == "status" || sub == "finalizers") {
				continue
			}
			problems = append(problems, fmt.Sprintf("%v on %s in every namespace, and no policy of config/admission confines it", rule.Verbs, name))
		}
	}
	return problems
}

func TestWhatIsNotConfinedIsFound(t *testing.T) {
	guards := guarded(t)
	for resource, want := range map[string]int{"configmaps": 1, "pods": 1, "networkpolicies": 1, "secrets": 0} {
		got := unconfined(rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{resource}, Verbs: []string{"get", "patch"}}, guards)
		if len(got) != want {
			t.Errorf("%s of the core group: %v", resource, got)
		}
	}
	if got := unconfined(rbacv1.PolicyRule{APIGroups: []string{"kubevirt.io"}, Resources: []string{"virtualmachines/console"}, Verbs: []string{"update"}}, guards); len(got) != 1 {
		t.Errorf("subresources: %v", got)
	}
	if got := unconfined(rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"get", "list", "watch"}}, guards); len(got) != 0 {
		t.Errorf("reading: %v", got)
	}
}
