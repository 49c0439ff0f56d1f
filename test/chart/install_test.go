package chart_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"helm.sh/helm/v4/pkg/action"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/kube"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"cato.dev/cato/test/controlplane"
)

func TestOnARealAPIServer(t *testing.T) {
	plane, err := controlplane.Start(t.Context(), controlplane.Options{CRDs: []controlplane.CRDSet{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(plane.Stop)
	client, err := dynamic.NewForConfig(plane.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	c := &cluster{plane, client}
	t.Run("the defaults are what kustomize builds", c.same)
	t.Run("an installed chart", c.life)
}

type cluster struct {
	plane *controlplane.ControlPlane
	admin dynamic.Interface
}

// same compares each object whole, but for what only the chart says: how Helm and Argo CD treat it.
func (c *cluster) same(t *testing.T) {
	want := map[string]*unstructured.Unstructured{}
	for _, folder := range []string{"../../config/crd", "../../config/default"} {
		built, err := c.plane.Kubectl(t.Context(), "kustomize", folder)
		if err != nil {
			t.Fatal(err)
		}
		for key, object := range objects(t, built) {
			want[key] = object
		}
	}
	got := rendered(t, nil, "v1.37.0")
	kept := 0
	for key, object := range got {
		annotations := object.GetAnnotations()
		if annotations["helm.sh/resource-policy"] == "keep" {
			kept++
		} else if object.GetKind() == "CustomResourceDefinition" {
			t.Errorf("%s goes with the release", key)
		}
		delete(annotations, "helm.sh/resource-policy")
		delete(annotations, "argocd.argoproj.io/sync-options")
		if len(annotations) == 0 {
			annotations = nil
		}
		object.SetAnnotations(annotations)
		if want[key] == nil {
			t.Errorf("the chart alone has %s", key)
			continue
		}
		if diff := cmp.Diff(want[key].Object, object.Object); diff != "" {
			t.Errorf("%s (-kustomize +chart):\n%s", key, diff)
		}
	}
	for key := range want {
		if got[key] == nil {
			t.Errorf("kustomize alone has %s", key)
		}
	}
	if kept < 19 || len(want) < 40 {
		t.Errorf("%d objects, %d of them kept", len(want), kept)
	}
}

func (c *cluster) configuration(t *testing.T) *action.Configuration {
	t.Helper()
	flags, namespace := genericclioptions.NewConfigFlags(false), "default"
	flags.KubeConfig, flags.Namespace = &c.plane.Kubeconfig, &namespace
	configuration := action.NewConfiguration(action.ConfigurationSetLogger(slog.DiscardHandler))
	if err := configuration.Init(flags, namespace, "secret"); err != nil {
		t.Fatal(err)
	}
	return configuration
}

// older is the chart of a release before one column was shown.
func older(t *testing.T) *chart.Chart {
	t.Helper()
	const column = "    - jsonPath: .status.namespace\n      name: Namespace\n      type: string\n"
	changed, found := load(t), 0
	for _, file := range changed.Templates {
		if strings.HasSuffix(file.Name, "crd_virtfoundry.io_tenants.yaml") {
			found += strings.Count(string(file.Data), column)
			file.Data = []byte(strings.Replace(string(file.Data), column, "", 1))
		}
	}
	if found != 1 {
		t.Fatalf("the column is there %d times", found)
	}
	return changed
}

var crds = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

func (c *cluster) columns(t *testing.T) string {
	t.Helper()
	crd, err := c.admin.Resource(crds).Get(t.Context(), "tenants.virtfoundry.io", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return text(t, crd)
}

func (c *cluster) life(t *testing.T) {
	ctx := t.Context()
	secrets := c.admin.Resource(schema.GroupVersionResource{Version: "v1", Resource: "secrets"}).Namespace("virtfoundry-system")
	tenants := c.admin.Resource(schema.GroupVersionResource{Group: "virtfoundry.io", Version: "v1alpha1", Resource: "tenants"})
	const column = `"name":"Namespace"`

	install := action.NewInstall(c.configuration(t))
	install.ReleaseName, install.Namespace, install.WaitStrategy = "cato", "default", kube.HookOnlyStrategy
	if _, err := install.RunWithContext(ctx, older(t), nil); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(c.columns(t), column) {
		t.Error("the older chart shows the column")
	}
	certificate, err := secrets.Get(ctx, "cato-webhook-cert", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	certificate.Object["stringData"] = map[string]any{"tls.crt": "certificate"}
	if _, err := secrets.Update(ctx, certificate, metav1.UpdateOptions{FieldManager: "cato-operator"}); err != nil {
		t.Fatal(err)
	}
	c.guarded(t)

	upgrade := action.NewUpgrade(c.configuration(t))
	upgrade.Namespace, upgrade.WaitStrategy = "default", kube.HookOnlyStrategy
	if _, err := upgrade.RunWithContext(ctx, "cato", load(t), values{"vmNamespaces": []any{"default"}}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(c.columns(t), column) {
		t.Error("an upgrade does not reach the CustomResourceDefinition")
	}
	if certificate, err = secrets.Get(ctx, "cato-webhook-cert", metav1.GetOptions{}); err != nil || !strings.Contains(text(t, certificate), "tls.crt") {
		t.Errorf("an upgrade empties the certificate's Secret (%v)", err)
	}

	tenant := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "virtfoundry.io/v1alpha1", "kind": "Tenant",
		"metadata": map[string]any{"name": "acme"}, "spec": map[string]any{"name": "Acme", "slug": "acme"},
	}}
	if _, err := tenants.Create(ctx, tenant, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	uninstall := action.NewUninstall(c.configuration(t))
	uninstall.WaitStrategy = kube.HookOnlyStrategy
	if _, err := uninstall.Run("cato"); err != nil {
		t.Fatal(err)
	}
	if _, err := tenants.Get(ctx, "acme", metav1.GetOptions{}); err != nil {
		t.Errorf("a Tenant goes with the release: %v", err)
	}
	claims := c.admin.Resource(schema.GroupVersionResource{Version: "v1", Resource: "persistentvolumeclaims"}).Namespace("virtfoundry-system")
	if _, err := claims.Get(ctx, "cato-state", metav1.GetOptions{}); err != nil {
		t.Errorf("the record goes with the release: %v", err)
	}
	deployments := c.admin.Resource(schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}).Namespace("virtfoundry-system")
	if _, err := deployments.Get(ctx, "cato-operator", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("the operator stays: %v", err)
	}
}

// guarded waits until the operator's account, which RBAC lets make namespaces, may make only tenants'.
func (c *cluster) guarded(t *testing.T) {
	t.Helper()
	config := c.plane.RESTConfig()
	config.Impersonate = rest.ImpersonationConfig{
		UserName: "system:serviceaccount:virtfoundry-system:virtfoundry-operator",
		Groups:   []string{"system:serviceaccounts", "system:authenticated"},
	}
	operator, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	namespaces := operator.Resource(schema.GroupVersionResource{Version: "v1", Resource: "namespaces"})
	object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": "payroll"}}}
	var last error
	err = wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		_, last = namespaces.Create(ctx, object, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return last != nil && strings.Contains(last.Error(), "virtfoundry-operator-namespace-guard"), nil
	})
	if err != nil {
		t.Errorf("the guards are not in force: %v", last)
	}
}
