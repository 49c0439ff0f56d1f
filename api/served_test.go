package api_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	virtfoundryv1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/test/controlplane"
)

// served is a real API server, first with schemas that admit anything, as those of the original nearly do, then with Cato's.
type served struct {
	plane  *controlplane.ControlPlane
	client dynamic.Interface
}

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
	s := &served{plane, client}
	s.admitAnything(t)
	s.storeWhatCatoRefuses(t)
	s.install(t)
	t.Run("what was stored before can still be read, changed and deleted", s.storedBefore)
	t.Run("refusals", s.refusals)
	t.Run("changes", s.changes)
	t.Run("manifests of before", s.olds)
	t.Run("samples", s.samples)
	t.Run("columns", s.columns)
	t.Run("explain", s.explain)
}

func (s *served) kubectl(t *testing.T, arguments ...string) string {
	t.Helper()
	text, err := s.plane.Kubectl(t.Context(), arguments...)
	if err != nil {
		t.Fatalf("kubectl %v: %v", arguments, err)
	}
	return text
}

func (s *served) of(kind string) dynamic.ResourceInterface {
	resource := s.client.Resource(virtfoundryv1.GroupVersion.WithResource(virtfoundryKinds[kind].plural))
	if virtfoundryKinds[kind].clusterish {
		return resource
	}
	return resource.Namespace("default")
}

// admitAnything serves the kinds of virtfoundry.io by schemas without any rule.
func (s *served) admitAnything(t *testing.T) {
	t.Helper()
	folder := t.TempDir()
	for kind := range virtfoundryKinds {
		crd := readCRD(t, virtfoundryCRD(kind))
		yes := true
		crd.Spec.Versions[0].Schema.OpenAPIV3Schema = &apiextensionsv1.JSONSchemaProps{Type: "object", XPreserveUnknownFields: &yes}
		crd.Status = apiextensionsv1.CustomResourceDefinitionStatus{}
		data, err := yaml.Marshal(crd)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, virtfoundryCRD(kind)), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s.kubectl(t, "apply", "--server-side", "-f", folder)
	s.kubectl(t, "wait", "--for=condition=Established", "--timeout=60s", "crd", "--all")
}

func (s *served) storeWhatCatoRefuses(t *testing.T) {
	t.Helper()
	for i, tt := range refusals {
		stored := &unstructured.Unstructured{Object: object(t, tt.manifest())}
		if tt.object == "" {
			stored.SetName(fmt.Sprintf("before-%d", i))
		}
		stored.SetFinalizers([]string{virtfoundryv1.Finalizer})
		if _, err := s.of(tt.kind).Create(t.Context(), stored, metav1.CreateOptions{}); err != nil {
			t.Fatalf("%s: %s: %v", tt.kind, tt.name, err)
		}
	}
}

// install serves Cato's schemas and waits until each of them is in force.
func (s *served) install(t *testing.T) {
	t.Helper()
	s.kubectl(t, "apply", "--server-side", "--force-conflicts", "-f", bases)
	s.kubectl(t, "wait", "--for=condition=Established", "--timeout=60s", "crd", "--all")
	err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, 3*time.Minute, true, func(ctx context.Context) (bool, error) {
		for kind := range virtfoundryKinds {
			broken := &unstructured.Unstructured{Object: object(t, manifest(kind, "probe", "spec: 1"))}
			_, err := s.of(kind).Create(ctx, broken, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
			if err == nil {
				return false, nil
			}
			if !apierrors.IsInvalid(err) {
				return false, err
			}
		}
		return true, nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// One object of before that the new schema refuses must neither blind a list nor be stuck.
func (s *served) storedBefore(t *testing.T) {
	ctx := t.Context()
	scheme := runtime.NewScheme()
	if err := virtfoundryv1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	count := 0
	for kind := range virtfoundryKinds {
		found, err := s.of(kind).List(ctx, metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		count += len(found.Items)
		for i := range found.Items {
			item := &found.Items[i]
			typed, err := scheme.New(virtfoundryv1.GroupVersion.WithKind(kind))
			if err != nil {
				t.Fatal(err)
			}
			data, err := item.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			if err := yaml.Unmarshal(data, typed); err != nil {
				t.Errorf("%s %s cannot be decoded: %v", kind, item.GetName(), err)
			}
			for what, patch := range map[string]string{"": `{"metadata": {"labels": {"touched": "true"}}}`, "status": `{"status": {"phase": "Failed", "observedGeneration": 1}}`} {
				var sub []string
				if what != "" {
					sub = []string{what}
				}
				if _, err := s.of(kind).Patch(ctx, item.GetName(), types.MergePatchType, []byte(patch), metav1.PatchOptions{}, sub...); err != nil {
					t.Errorf("%s %v: patch of %q: %v", kind, item.Object["spec"], what, err)
				}
			}
			if err := s.of(kind).Delete(ctx, item.GetName(), metav1.DeleteOptions{}); err != nil {
				t.Errorf("%s %s: %v", kind, item.GetName(), err)
			}
			if _, err := s.of(kind).Patch(ctx, item.GetName(), types.MergePatchType, []byte(`{"metadata": {"finalizers": null}}`), metav1.PatchOptions{}); err != nil {
				t.Errorf("%s %v: its finalizer stays: %v", kind, item.Object["spec"], err)
			}
			if _, err := s.of(kind).Get(ctx, item.GetName(), metav1.GetOptions{}); !apierrors.IsNotFound(err) {
				t.Errorf("%s %s is not gone: %v", kind, item.GetName(), err)
			}
		}
	}
	if count != len(refusals) {
		t.Errorf("%d objects of before, want %d", count, len(refusals))
	}
}

func (s *served) refusals(t *testing.T) {
	for _, tt := range refusals {
		_, err := s.of(tt.kind).Create(t.Context(), &unstructured.Unstructured{Object: object(t, tt.manifest())}, metav1.CreateOptions{})
		_, message, _ := strings.Cut(tt.want, ": ")
		if err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("%s: %s: got %v, want %s", tt.kind, tt.name, err, tt.want)
		}
		if err != nil && tt.kind == "SSHKey" && (strings.Contains(err.Error(), "b3BlbnNzaC1rZXk") || strings.Contains(err.Error(), "reboot")) {
			t.Errorf("%s: the refusal repeats what may be a private key: %v", tt.name, err)
		}
	}
}

func (s *served) changes(t *testing.T) {
	for i, tt := range changes {
		name := fmt.Sprintf("changing-%d", i)
		created, err := s.of(tt.kind).Create(t.Context(), &unstructured.Unstructured{Object: object(t, manifest(tt.kind, name, tt.from))}, metav1.CreateOptions{})
		if err != nil {
			t.Errorf("%s: %s: %v", tt.kind, tt.name, err)
			continue
		}
		changed := &unstructured.Unstructured{Object: object(t, manifest(tt.kind, name, tt.to))}
		changed.SetResourceVersion(created.GetResourceVersion())
		_, message, _ := strings.Cut(tt.want, ": ")
		_, err = s.of(tt.kind).Update(t.Context(), changed, metav1.UpdateOptions{})
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%s: %s is refused: %v", tt.kind, tt.name, err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), message)):
			t.Errorf("%s: %s: got %v, want %s", tt.kind, tt.name, err, tt.want)
		}
	}
}

func (s *served) olds(t *testing.T) {
	all := slices.Clone(olds)
	for kind := range virtfoundryKinds {
		all = append(all, old{kind, "bare", ""})
	}
	for i, tt := range all {
		sent := object(t, manifest(tt.kind, fmt.Sprintf("old-%d", i), tt.rest))
		stored, err := s.of(tt.kind).Create(t.Context(), &unstructured.Unstructured{Object: sent}, metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict})
		if err != nil {
			t.Errorf("%s: %s: %v", tt.kind, tt.name, err)
			continue
		}
		if want, got := fmt.Sprint(object(t, manifest(tt.kind, "x", tt.rest))["spec"]), fmt.Sprint(stored.Object["spec"]); want != got {
			t.Errorf("%s: %s is stored as %s, sent as %s", tt.kind, tt.name, got, want)
		}
		status, ok := sent["status"].(map[string]any)
		if !ok {
			continue
		}
		stored.Object["status"] = status
		if _, err := s.of(tt.kind).UpdateStatus(t.Context(), stored, metav1.UpdateOptions{FieldValidation: metav1.FieldValidationStrict}); err != nil {
			t.Errorf("%s: the status of %s: %v", tt.kind, tt.name, err)
		}
	}
}
