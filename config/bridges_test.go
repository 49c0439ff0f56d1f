package config_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
)

// Whoever may create a DaemonSet in kube-system may do what its accounts may:
// the right is no part of the default, and says no more than it must.
func TestTheRightToMakeTheHostBridgesIsGivenByItselfAndBound(t *testing.T) {
	var made *rbacv1.Role
	var bound *rbacv1.RoleBinding
	for _, object := range manifests(t, "bridges") {
		switch object.GetKind() {
		case "Role":
			made = into[rbacv1.Role](t, object)
		case "RoleBinding":
			bound = into[rbacv1.RoleBinding](t, object)
		case "Kustomization":
		default:
			t.Errorf("%s %s", object.GetKind(), object.GetName())
		}
	}
	if made == nil || bound == nil {
		t.Fatal("config/bridges lacks its Role or RoleBinding")
	}
	want := []rbacv1.PolicyRule{
		{APIGroups: []string{"apps"}, Resources: []string{"daemonsets"}, Verbs: []string{"create"}},
		{APIGroups: []string{"apps"}, Resources: []string{"daemonsets"}, ResourceNames: []string{"virtfoundry-bridge-setup"}, Verbs: []string{"update", "delete"}},
	}
	if diff := cmp.Diff(want, made.Rules); diff != "" {
		t.Error(diff)
	}
	ref := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: made.Name}
	if bound.RoleRef != ref || bound.Namespace != made.Namespace || len(bound.Subjects) != 1 || bound.Subjects[0].Name != "virtfoundry-operator" {
		t.Errorf("%+v", bound)
	}
	for _, file := range []string{"default", "rbac"} {
		for _, object := range manifests(t, file) {
			if object.GetNamespace() == made.Namespace {
				t.Errorf("config/%s: %s %s lies in %s", file, object.GetKind(), object.GetName(), object.GetNamespace())
			}
		}
	}
}
