// Package chart_test renders and installs the Helm chart as users do, with Helm as a library. It is a module of its own, since
// Helm's requirements are no business of the operator's.
package chart_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"

	"helm.sh/helm/v4/pkg/action"
	"helm.sh/helm/v4/pkg/chart/common"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	release "helm.sh/helm/v4/pkg/release/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	yamlutil "k8s.io/apimachinery/pkg/util/yaml"
)

const folder = "../../config/chart"

func load(t *testing.T) *chart.Chart {
	t.Helper()
	loaded, err := loader.Load(folder)
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

type values = map[string]any

// render is helm template, for a cluster of a version that serves some groups.
func render(t *testing.T, given values, version string, served ...string) (*release.Release, error) {
	t.Helper()
	install := action.NewInstall(action.NewConfiguration(action.ConfigurationSetLogger(slog.DiscardHandler)))
	install.DryRunStrategy = action.DryRunClient
	install.ReleaseName, install.Namespace = "cato", "default"
	kube, err := common.ParseKubeVersion(version)
	if err != nil {
		t.Fatal(err)
	}
	install.KubeVersion, install.APIVersions = kube, served
	rendered, err := install.RunWithContext(t.Context(), load(t), given)
	if err != nil {
		return nil, err
	}
	typed, ok := rendered.(*release.Release)
	if !ok {
		t.Fatalf("a release is a %T", rendered)
	}
	return typed, nil
}

// objects reads manifests, by kind, namespace and name.
func objects(t *testing.T, manifests string) map[string]*unstructured.Unstructured {
	t.Helper()
	all := map[string]*unstructured.Unstructured{}
	decoder := yamlutil.NewYAMLOrJSONDecoder(bytes.NewReader([]byte(manifests)), 4096)
	for {
		object := &unstructured.Unstructured{}
		if err := decoder.Decode(object); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		if len(object.Object) == 0 {
			continue
		}
		key := fmt.Sprintf("%s %s/%s", object.GetKind(), object.GetNamespace(), object.GetName())
		if all[key] != nil {
			t.Errorf("%s is there twice", key)
		}
		all[key] = object
	}
}

func rendered(t *testing.T, given values, version string, served ...string) map[string]*unstructured.Unstructured {
	t.Helper()
	r, err := render(t, given, version, served...)
	if err != nil {
		t.Fatal(err)
	}
	return objects(t, r.Manifest)
}

func TestAWrongValueIsRefusedByItsKey(t *testing.T) {
	digest := "sha256:" + strings.Repeat("a", 64)
	for want, given := range map[string]values{
		"imag":                     {"imag": values{"tag": "1"}},
		"pullpolicy":               {"image": values{"pullpolicy": "Always"}},
		"/image/pullPolicy":        {"image": values{"pullPolicy": "Sometimes"}},
		"/image/digest":            {"image": values{"digest": "sha256:short"}},
		"/image/tag":               {"image": values{"tag": "a b"}},
		"image.requireDigest":      {"image": values{"requireDigest": true}},
		"/replicas":                {"replicas": 2},
		"/leaderElection":          {"leaderElection": "yes"},
		"/namespace":               {"namespace": "elsewhere"},
		"/fullnamePrefix":          {"fullnamePrefix": "another"},
		"/kubevirtGuard/enabled":   {"kubevirtGuard": values{"enabled": "no"}},
		"enable":                   {"crAdmission": values{"enable": false}},
		"/imageAllowlist/prefixes": {"imageAllowlist": values{"prefixes": []any{"x') || true || ('"}}},
		"/vmNamespaces":            {"vmNamespaces": []any{"'] || true || ['"}},
		"/kubevirt/namespace":      {"kubevirt": values{"namespace": "Kube Virt"}},
		"requestz":                 {"resources": values{"requestz": values{}}},
		"/metrics/enabled":         {"metrics": values{"enabled": 1}},
	} {
		if _, err := render(t, given, "v1.37.0"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: got %v, want %s", given, err, want)
		}
	}
	if _, err := render(t, values{"image": values{"requireDigest": true, "digest": digest}}, "v1.37.0"); err != nil {
		t.Error(err)
	}
}

func text(t *testing.T, object *unstructured.Unstructured) string {
	t.Helper()
	if object == nil {
		t.Fatal("there is no such object")
	}
	data, err := object.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestEachValueReachesItsPlace(t *testing.T) {
	digest := "sha256:" + strings.Repeat("a", 64)
	const deployment = "Deployment virtfoundry-system/cato-operator"
	const policy = "ValidatingAdmissionPolicy /virtfoundry-operator-"
	for _, tt := range []struct {
		given             values
		object, has, less string
	}{
		{values{"image": values{"repository": "example.com/cato", "tag": "v2"}}, deployment, `"image":"example.com/cato:v2"`, ""},
		{values{"image": values{"digest": digest}}, deployment, `"image":"cato-operator@` + digest + `"`, ""},
		{values{"image": values{"pullPolicy": "Always"}}, deployment, `"imagePullPolicy":"Always"`, ""},
		{values{"replicas": 0}, deployment, `"replicas":0`, ""},
		{values{"leaderElection": false}, deployment, "--state-dir", "--leader-elect"},
		{values{"metrics": values{"enabled": false}}, deployment, `"--metrics-bind-address=0"`, ":8080\""},
		{values{"resources": values{"limits": values{"memory": "1Gi"}}}, deployment, `"memory":"1Gi"`, "GOMEMLIMIT"},
		{values{"imageAllowlist": values{"prefixes": []any{"example.com/a/", "example.com/b"}}}, deployment, `"value":"example.com/a/,example.com/b"`, ""},
		{values{"imageAllowlist": values{"prefixes": []any{"example.com/a/", "example.com/b"}}}, policy + "image-guard", `['example.com/a/', 'example.com/b']`, "quay.io"},
		{values{"vmNamespaces": []any{"mission-a", "mission-b"}}, policy + "kubevirt-guard", `request.namespace in ['mission-a', 'mission-b']`, ""},
		{values{"vmNamespaces": []any{"mission-a"}}, policy + "object-guard", `request.namespace in ['mission-a']`, ""},
		{values{"vmNamespaces": []any{"mission-a"}}, "RoleBinding mission-a/virtfoundry-operator-kubevirt-mutate", `"name":"virtfoundry-operator-kubevirt-mutate"`, ""},
		{values{"vmNamespaces": []any{"mission-a"}}, "RoleBinding mission-a/virtfoundry-operator-vm-namespace", `"name":"virtfoundry-operator-vm-namespace"`, ""},
		{values{"kubevirt": values{"namespace": "kv"}}, policy + "pod-guard", "system:serviceaccount:kv:kubevirt-controller", "serviceaccount:kubevirt:"},
		{values{"metrics": values{"serviceMonitor": values{"enabled": true}}}, "ServiceMonitor virtfoundry-system/cato", `"port":"metrics"`, ""},
	} {
		got := text(t, rendered(t, tt.given, "v1.37.0", "monitoring.coreos.com/v1")[tt.object])
		if !strings.Contains(got, tt.has) || tt.less != "" && strings.Contains(got, tt.less) {
			t.Errorf("%v: %s: want %s and not %q: %s", tt.given, tt.object, tt.has, tt.less, got)
		}
	}
}

func TestAGuardIsRenderedByItsKeyWhereTheAPIIsServed(t *testing.T) {
	const api = "admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy"
	count := func(given values, version string, served ...string) int {
		n := 0
		for key := range rendered(t, given, version, served...) {
			if strings.HasPrefix(key, "ValidatingAdmissionPolicy ") {
				n++
			}
		}
		return n
	}
	off := values{"enabled": false}
	all := count(nil, "v1.37.0")
	if all == 0 || count(nil, "v1.29.0", api) != all || count(nil, "v1.29.0") != 0 {
		t.Errorf("%d guards, %d where the API is served, %d where it is not", all, count(nil, "v1.29.0", api), count(nil, "v1.29.0"))
	}
	sum := 0
	for _, key := range []string{"namespaceGuard", "kubevirtGuard", "crAdmission"} {
		without := count(values{key: off}, "v1.37.0")
		if without == all {
			t.Errorf("%s switches nothing", key)
		}
		sum += all - without
		r, err := render(t, values{key: off}, "v1.37.0")
		if err != nil || !strings.Contains(r.Info.Notes, key+".enabled is false") {
			t.Errorf("%s: the notes do not say that it is off (%v)", key, err)
		}
	}
	if sum != all {
		t.Errorf("the switches reach %d of %d guards", sum, all)
	}
	if r, err := render(t, nil, "v1.29.0"); err != nil || !strings.Contains(r.Info.Notes, "NO GUARD IS IN FORCE") {
		t.Errorf("nothing says that no guard is in force (%v)", err)
	}
}
