// Package config_test proves what the manifests give and withhold: from their text, and on a real API server.
package config_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	yamlutil "k8s.io/apimachinery/pkg/util/yaml"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
)

const vmNamespaceRole = "virtfoundry-operator-vm-namespace"

// objects reads every object of a file's documents.
func objects(t *testing.T, data []byte) []*unstructured.Unstructured {
	t.Helper()
	var all []*unstructured.Unstructured
	decoder := yamlutil.NewYAMLOrJSONDecoder(bytes.NewReader(data), 4096)
	for {
		object := &unstructured.Unstructured{}
		err := decoder.Decode(object)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(object.Object) > 0 {
			all = append(all, object)
		}
	}
}

// manifests are the objects of all files of a folder.
func manifests(t *testing.T, folder string) []*unstructured.Unstructured {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has no files: %v", folder, err)
	}
	var all []*unstructured.Unstructured
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, objects(t, data)...)
	}
	return all
}

func into[T any](t *testing.T, object *unstructured.Unstructured) *T {
	t.Helper()
	typed := new(T)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(object.Object, typed, true); err != nil {
		t.Fatalf("%s %s: %v", object.GetKind(), object.GetName(), err)
	}
	return typed
}

// role is a Role or ClusterRole.
type role struct {
	kind, name string
	rules      []rbacv1.PolicyRule
}

func roles(t *testing.T) []role {
	t.Helper()
	var all []role
	for _, object := range manifests(t, "rbac") {
		switch object.GetKind() {
		case "ClusterRole":
			r := into[rbacv1.ClusterRole](t, object)
			all = append(all, role{"ClusterRole", r.Name, r.Rules})
		case "Role":
			r := into[rbacv1.Role](t, object)
			all = append(all, role{"Role", r.Name, r.Rules})
		}
	}
	return all
}

// clusterWide are the names of the ClusterRoles that a ClusterRoleBinding gives to the operator.
func clusterWide(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, object := range manifests(t, "rbac") {
		if object.GetKind() == "ClusterRoleBinding" {
			names = append(names, into[rbacv1.ClusterRoleBinding](t, object).RoleRef.Name)
		}
	}
	if !slices.Contains(names, "virtfoundry-operator") {
		t.Fatalf("the operator's own role is not bound: %v", names)
	}
	return names
}

func TestNoRoleHasAWildcard(t *testing.T) {
	for _, r := range roles(t) {
		for i, rule := range r.rules {
			for _, words := range [][]string{rule.APIGroups, rule.Resources, rule.Verbs, rule.ResourceNames, rule.NonResourceURLs} {
				for _, word := range words {
					if strings.Contains(word, "*") {
						t.Errorf("%s %s: rule %d has the wildcard %q", r.kind, r.name, i, word)
					}
				}
			}
		}
	}
}

func TestNothingThatIsBoundClusterWideReachesSecretsOrRaisesRights(t *testing.T) {
	bound := clusterWide(t)
	seen := 0
	for _, r := range roles(t) {
		if r.kind != "ClusterRole" || !slices.Contains(bound, r.name) {
			continue
		}
		seen++
		for i, rule := range r.rules {
			has := func(resource string, verbs ...string) bool {
				return slices.Contains(rule.Resources, resource) &&
					slices.ContainsFunc(verbs, func(v string) bool { return slices.Contains(rule.Verbs, v) })
			}
			for what, forbidden := range map[string]bool{
				"Secrets":                     slices.Contains(rule.Resources, "secrets"),
				"update of namespaces":        has("namespaces", "update"),
				"writing KubeVirt objects":    has("virtualmachines", "create", "update", "patch", "delete"),
				"writing DataVolumes":         has("datavolumes", "create", "update", "patch", "delete"),
				"writing roles":               has("roles", "create", "update", "patch", "delete"),
				"writing ClusterRoles":        has("clusterroles", "create", "update", "patch", "delete"),
				"ClusterRoleBindings":         slices.Contains(rule.Resources, "clusterrolebindings"),
				"escalate":                    slices.Contains(rule.Verbs, "escalate"),
				"impersonate":                 slices.Contains(rule.Verbs, "impersonate"),
				"writing pods":                has("pods", "create", "update", "patch", "delete"),
				"what runs in pods":           slices.Contains(rule.Resources, "pods/exec") || slices.Contains(rule.Resources, "pods/log"),
				"tokens of ServiceAccounts":   slices.Contains(rule.Resources, "serviceaccounts/token"),
				"any webhook's configuration": has("validatingwebhookconfigurations", "update", "patch") && len(rule.ResourceNames) == 0,
			} {
				if forbidden {
					t.Errorf("ClusterRole %s: rule %d gives %s", r.name, i, what)
				}
			}
		}
	}
	if seen != len(bound) {
		t.Errorf("%d of the bound roles %v are in config/rbac", seen, bound)
	}
}

func TestTheTwoNamespaceRolesAreAllThatMayBeBound(t *testing.T) {
	var names []string
	for _, r := range roles(t) {
		for _, rule := range r.rules {
			if !slices.Contains(rule.Verbs, "bind") {
				continue
			}
			if !slices.Equal(rule.Resources, []string{"clusterroles"}) || !slices.Equal(rule.Verbs, []string{"bind"}) {
				t.Errorf("%s %s: bind comes with %v on %v", r.kind, r.name, rule.Verbs, rule.Resources)
			}
			names = append(names, rule.ResourceNames...)
		}
	}
	slices.Sort(names)
	if want := []string{virtfoundryv1alpha1.MutateRoleName, vmNamespaceRole}; !slices.Equal(names, want) {
		t.Errorf("bind is given on %v, want %v", names, want)
	}
	for _, name := range clusterWide(t) {
		if slices.Contains(names, name) {
			t.Errorf("%s is bound in the whole cluster", name)
		}
	}
}

func TestTheWebhooksReachTheOperatorsPort(t *testing.T) {
	var deployment *appsv1.Deployment
	for _, object := range manifests(t, "manager") {
		if object.GetKind() == "Deployment" {
			deployment = into[appsv1.Deployment](t, object)
		}
	}
	if deployment == nil {
		t.Fatal("config/manager has no Deployment")
	}
	if name := deployment.Spec.Template.Spec.ServiceAccountName; name != virtfoundryv1alpha1.ServiceAccountName {
		t.Errorf("the Deployment runs as %q, tenants' RoleBindings name %q", name, virtfoundryv1alpha1.ServiceAccountName)
	}
	ports := map[string]bool{}
	for _, port := range deployment.Spec.Template.Spec.Containers[0].Ports {
		ports[port.Name] = true
	}
	services := map[string]bool{}
	for _, object := range slices.Concat(manifests(t, "manager"), manifests(t, "webhook")) {
		if object.GetKind() != "Service" {
			continue
		}
		service := into[corev1.Service](t, object)
		services[service.Namespace+"/"+service.Name] = true
		for _, port := range service.Spec.Ports {
			if !ports[port.TargetPort.String()] {
				t.Errorf("Service %s: no port of the container is called %s", service.Name, port.TargetPort.String())
			}
		}
		for label, value := range service.Spec.Selector {
			if deployment.Spec.Template.Labels[label] != value {
				t.Errorf("Service %s selects %s=%s, which the pod has not", service.Name, label, value)
			}
		}
	}
	targets := 0
	for _, object := range manifests(t, "webhook") {
		webhooks, _, _ := unstructured.NestedSlice(object.Object, "webhooks")
		for _, webhook := range webhooks {
			service, _, _ := unstructured.NestedStringMap(webhook.(map[string]any), "clientConfig", "service")
			if name := service["namespace"] + "/" + service["name"]; !services[name] {
				t.Errorf("webhook %v asks Service %s, which does not exist", webhook.(map[string]any)["name"], name)
			}
			targets++
		}
	}
	if targets == 0 {
		t.Error("no webhook was found")
	}
}
