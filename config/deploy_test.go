package config_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/test/controlplane"
)

// cluster is the API server with everything of config installed.
type cluster struct {
	plane    *controlplane.ControlPlane
	admin    kubernetes.Interface
	rendered []byte // what `kubectl kustomize config/default` printed
}

// TestOnARealAPIServer installs everything once; each of its tests uses namespaces of its own.
func TestOnARealAPIServer(t *testing.T) {
	c := install(t)
	t.Run("the default is installed whole", c.installedWhole)
	t.Run("the pod meets the restricted standard", c.restrictedPod)
	t.Run("what the operator may do everywhere", c.everywhere)
	t.Run("what the operator may do where its roles are bound", c.whereBound)
	t.Run("the operator cannot give itself more", c.noEscalation)
	t.Run("readers see what their role says", c.readers)
}

// install does what `make install deploy` does, with the kubectl of the control plane.
func install(t *testing.T) *cluster {
	t.Helper()
	plane, err := controlplane.Start(t.Context(), controlplane.Options{CRDs: []controlplane.CRDSet{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			plane.KeepLogs()
		}
		plane.Stop()
	})
	c := &cluster{plane: plane}
	if err := c.apply(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *cluster) apply(ctx context.Context) error {
	var err error
	if c.admin, err = kubernetes.NewForConfig(c.plane.RESTConfig()); err != nil {
		return err
	}
	if _, err := c.plane.Kubectl(ctx, "apply", "--server-side", "-k", "crd"); err != nil {
		return err
	}
	text, err := c.plane.Kubectl(ctx, "kustomize", "default")
	if err != nil {
		return err
	}
	c.rendered = []byte(text)
	file, err := os.CreateTemp("", "cato-config-*.yaml")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	if _, err := file.WriteString(text); err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	for _, round := range []string{"first", "second"} {
		if _, err := c.plane.Kubectl(ctx, "apply", "--server-side", "-f", file.Name()); err != nil {
			return fmt.Errorf("%s apply of config/default: %w", round, err)
		}
	}
	return nil
}

// eventually waits until the API server's authorizer has seen a new binding.
func (c *cluster) eventually(t *testing.T, user string, q access) {
	t.Helper()
	err := wait.PollUntilContextTimeout(t.Context(), 20*time.Millisecond, 3*time.Minute, true, func(ctx context.Context) (bool, error) {
		review, err := c.admin.AuthorizationV1().SubjectAccessReviews().Create(ctx, &authorizationv1.SubjectAccessReview{
			Spec: authorizationv1.SubjectAccessReviewSpec{User: user, ResourceAttributes: attributes(q)},
		}, metav1.CreateOptions{})
		if err != nil {
			return false, err
		}
		return review.Status.Allowed == q.allowed, nil
	})
	if err != nil {
		t.Fatalf("%s: %s: %v", user, q, err)
	}
}

func TestEveryCRDIsInItsKustomization(t *testing.T) {
	text, err := os.ReadFile("crd/kustomization.yaml")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("crd/bases/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("crd/bases is empty: %v", err)
	}
	for _, file := range files {
		if !strings.Contains(string(text), "- bases/"+filepath.Base(file)+"\n") {
			t.Errorf("crd/kustomization.yaml lacks %s", file)
		}
	}
}

func (c *cluster) installedWhole(t *testing.T) {
	// make deploy puts the image in by this line.
	if n := strings.Count(string(c.rendered), "image: cato-operator:latest\n"); n != 1 {
		t.Errorf("the image's line is there %d times, want once", n)
	}
	seen := map[string]int{}
	for _, object := range objects(t, c.rendered) {
		seen[object.GetKind()]++
		if ns := object.GetNamespace(); ns != "" && ns != virtfoundryv1alpha1.SystemNamespace {
			t.Errorf("%s %s lies in %s", object.GetKind(), object.GetName(), ns)
		}
	}
	for _, kind := range []string{"Namespace", "ServiceAccount", "ClusterRole", "Role", "Deployment", "PersistentVolumeClaim", "Secret", "Service", "ValidatingWebhookConfiguration"} {
		if seen[kind] == 0 {
			t.Errorf("config/default has no %s: %v", kind, seen)
		}
	}
	// An install again must not empty the Secret that the operator filled.
	ctx := t.Context()
	secrets := c.admin.CoreV1().Secrets(virtfoundryv1alpha1.SystemNamespace)
	secret, err := secrets.Get(ctx, "cato-webhook-cert", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(secret.Data) != 0 {
		t.Errorf("the certificate's Secret is installed with %d keys", len(secret.Data))
	}
	secret.Data = map[string][]byte{"tls.crt": []byte("certificate")}
	if _, err := secrets.Update(ctx, secret, metav1.UpdateOptions{FieldManager: "cato-operator"}); err != nil {
		t.Fatal(err)
	}
	if err := c.apply(ctx); err != nil {
		t.Fatal(err)
	}
	if secret, err = secrets.Get(ctx, "cato-webhook-cert", metav1.GetOptions{}); err != nil || string(secret.Data["tls.crt"]) != "certificate" {
		t.Errorf("after the next install the Secret has %d keys (%v)", len(secret.Data), err)
	}
}

// warnings collects what the API server warns of.
type warnings struct {
	mu   sync.Mutex
	text []string
}

func (w *warnings) HandleWarningHeader(_ int, _, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text = append(w.text, text)
}

func (c *cluster) restrictedPod(t *testing.T) {
	heard := &warnings{}
	config := rest.CopyConfig(c.plane.RESTConfig())
	config.WarningHandler = heard
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	deployments := client.AppsV1().Deployments(virtfoundryv1alpha1.SystemNamespace)
	installed, err := deployments.Get(t.Context(), "cato-operator", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	container := installed.Spec.Template.Spec.Containers[0]
	if c := container.SecurityContext; c.ReadOnlyRootFilesystem == nil || !*c.ReadOnlyRootFilesystem {
		t.Error("the root file system may be written")
	}
	if container.Resources.Limits.Memory().IsZero() || container.Resources.Requests.Cpu().IsZero() {
		t.Errorf("resources: %v", container.Resources)
	}
	if installed.Spec.Strategy.Type != appsv1.RecreateDeploymentStrategyType {
		t.Errorf("strategy is %s: two processes would share the store", installed.Spec.Strategy.Type)
	}
	try := func(change func(*appsv1.Deployment)) []string {
		heard.text = nil
		d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "copy"}, Spec: *installed.Spec.DeepCopy()}
		change(d)
		if _, err := deployments.Create(t.Context(), d, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}); err != nil {
			t.Fatal(err)
		}
		return heard.text
	}
	if got := try(func(*appsv1.Deployment) {}); len(got) != 0 {
		t.Errorf("the API server warns: %q", got)
	}
	// That it would warn at all: the same pod without one part of its hardening.
	if got := try(func(d *appsv1.Deployment) { d.Spec.Template.Spec.Containers[0].SecurityContext.Capabilities = nil }); len(got) == 0 {
		t.Error("a pod that keeps its capabilities is not warned of")
	}
}
