package platform

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// stored answers with one ConfigMap, or an error.
type stored struct {
	file *corev1.ConfigMap
	err  error
}

func (s *stored) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	if s.err != nil {
		return s.err
	}
	if s.file == nil {
		return apierrors.NewNotFound(schema.GroupResource{Resource: "configmaps"}, key.Name)
	}
	if target, ok := into.(*corev1.ConfigMap); ok {
		*target = *s.file
	}
	return nil
}

func (s *stored) List(context.Context, client.ObjectList, ...client.ListOption) error { return nil }

func (s *stored) write(version, text string) {
	s.file = &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{ResourceVersion: version}, Data: map[string]string{"platform.yaml": text}}
}

func TestTheLastGoodFileStaysInForce(t *testing.T) {
	s := &stored{}
	h := NewHolder(s, "virtfoundry-system", "")
	if state := h.State(t.Context()); !state.Known || state.Problem != "" || state.Config.Storage.DefaultClass != "auto" {
		t.Errorf("without a file: %+v", state)
	}
	s.write("1", "storage: {defaultClass: fast}")
	if state := h.State(t.Context()); state.Config.Storage.DefaultClass != "fast" {
		t.Errorf("not reloaded: %+v", state)
	}
	s.write("2", "storage: {defaultClas: slow}")
	for range 2 {
		state := h.State(t.Context())
		if !state.Known || state.Config.Storage.DefaultClass != "fast" || !strings.Contains(state.Problem, "storage.defaultClas is no key") || !strings.Contains(state.Problem, "virtfoundry-platform") {
			t.Errorf("after a wrong file: %+v", state)
		}
	}
	s.err = errors.New("no connection")
	if state := h.State(t.Context()); state.Config.Storage.DefaultClass != "fast" || !strings.Contains(state.Problem, "no connection") {
		t.Errorf("unreadable: %+v", state)
	}
	s.err = nil
	s.write("3", "storage: {defaultClass: slow}")
	if state := h.State(t.Context()); state.Config.Storage.DefaultClass != "slow" || state.Problem != "" {
		t.Errorf("mended: %+v", state)
	}
}

func TestAfterAStartWithAWrongFileNothingIsKnownToBeAllowed(t *testing.T) {
	s := &stored{}
	s.write("1", "imageAllowlist: {prefix: [registry.example.com/]}")
	told := NewHolder(s, "virtfoundry-system", "quay.io/").Facts(t.Context())
	if !strings.Contains(told.Problem, "imageAllowlist.prefix is no key") || told.ImagePrefixes != nil {
		t.Errorf("%+v", told)
	}
}

func TestOtherKeysOfTheConfigMapAreNamed(t *testing.T) {
	s := &stored{file: &corev1.ConfigMap{Data: map[string]string{"platform.yml": ""}}}
	h := NewHolder(s, "virtfoundry-system", "")
	if state := h.State(t.Context()); !strings.Contains(state.Problem, "key platform.yml is not read") {
		t.Errorf("%+v", state)
	}
	s.file = &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{ResourceVersion: "2"}}
	if state := h.State(t.Context()); !strings.Contains(state.Problem, "key platform.yaml is missing") {
		t.Errorf("%+v", state)
	}
}

func TestTheFileComesBeforeTheEnvironment(t *testing.T) {
	s := &stored{}
	h := NewHolder(s, "virtfoundry-system", "quay.io/a/, quay.io/b/")
	if diff := cmp.Diff([]string{"quay.io/a/", "quay.io/b/"}, h.Facts(t.Context()).ImagePrefixes); diff != "" {
		t.Error(diff)
	}
	s.write("1", "imageAllowlist: {prefixes: []}")
	if got := h.Facts(t.Context()).ImagePrefixes; got == nil || len(got) != 0 {
		t.Errorf("an empty list allows %v", got)
	}
	if got := NewHolder(&stored{}, "virtfoundry-system", "").Facts(t.Context()).ImagePrefixes; got != nil {
		t.Errorf("without either: %v", got)
	}
}
