package stack

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"
	sigsyaml "sigs.k8s.io/yaml"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/children"
)

// install applies config/default but for what needs a node; the webhook is
// reached by an address, since there is no network of Services.
func (s *Stack) install(ctx context.Context) error {
	rendered, err := s.ControlPlane.Kubectl(ctx, "kustomize", filepath.Join(s.Root, "config/default"))
	if err != nil {
		return err
	}
	var kept []string
	documents := yaml.NewYAMLReader(bufio.NewReader(strings.NewReader(rendered)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		object := &unstructured.Unstructured{}
		if err := sigsyaml.Unmarshal(document, &object.Object); err != nil {
			return err
		}
		switch object.GetKind() {
		case "Deployment", "PersistentVolumeClaim", "Service":
			continue
		case "ValidatingWebhookConfiguration":
			if err := s.pointWebhooksHere(object); err != nil {
				return err
			}
		}
		text, err := sigsyaml.Marshal(object.Object)
		if err != nil {
			return err
		}
		kept = append(kept, string(text))
	}
	file := filepath.Join(s.Dir, "install.yaml")
	if err := os.WriteFile(file, []byte(strings.Join(kept, "---\n")), 0o600); err != nil {
		return err
	}
	_, err = s.ControlPlane.Kubectl(ctx, "apply", "--server-side", "-f", file)
	return err
}

func (s *Stack) pointWebhooksHere(configuration *unstructured.Unstructured) error {
	webhooks, _, err := unstructured.NestedSlice(configuration.Object, "webhooks")
	if err != nil {
		return err
	}
	for i := range webhooks {
		webhook, ok := webhooks[i].(map[string]any)
		if !ok {
			return fmt.Errorf("webhooks[%d] is no object", i)
		}
		webhook["clientConfig"] = map[string]any{"url": fmt.Sprintf("https://localhost:%d/validate", s.webhook)}
	}
	return unstructured.SetNestedSlice(configuration.Object, webhooks, "webhooks")
}

// EnableNamespace makes a namespace in which machines may live, as a cluster
// administrator does (decision 5): a label, and two RoleBindings.
func (s *Stack) EnableNamespace(ctx context.Context, name string) error {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{catov1alpha1.LabelVMNamespace: "true"}}}
	if err := client.IgnoreAlreadyExists(s.Client.Create(ctx, namespace)); err != nil {
		return err
	}
	for _, role := range []string{virtfoundryv1alpha1.MutateRoleName, children.VMNamespaceRoleName} {
		binding := &rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Namespace: name, Name: role},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
			Subjects: []rbacv1.Subject{{
				Kind: "ServiceAccount", Name: virtfoundryv1alpha1.ServiceAccountName, Namespace: virtfoundryv1alpha1.SystemNamespace,
			}},
		}
		if err := client.IgnoreAlreadyExists(s.Client.Create(ctx, binding)); err != nil {
			return err
		}
	}
	return nil
}
