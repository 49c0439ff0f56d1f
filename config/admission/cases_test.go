package admission_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/yaml"
)

// prefix is that of every policy's name.
const prefix = "virtfoundry-operator-"

// guardCase is one forbidden request and its allowed twin. Both are tried without being carried out.
type guardCase struct {
	Name      string `json:"name"`
	As        string `json:"as"`        // a key of users
	AllowedAs string `json:"allowedAs"` // who may do it; empty is As
	Verb      string `json:"verb"`      // create (the default), update or delete
	Policy    string `json:"policy"`    // which refuses, without prefix
	Words     string `json:"words"`     // of its message
	// Object is the whole object to create; to update or delete it names one of the fixtures.
	Object map[string]any `json:"object"`
	// Another names the fixture that the forbidden request is about; empty is Object.
	Another map[string]any `json:"another"`
	// Allowed is what the allowed update changes, as a JSON merge patch.
	Allowed map[string]any `json:"allowed"`
	// Forbidden is what the forbidden request changes, of Object or of the fixture, as a JSON merge patch.
	Forbidden map[string]any `json:"forbidden"`

	file string
}

func read[T any](t *testing.T, path string) T {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var into T
	if err := yaml.UnmarshalStrict(data, &into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return into
}

func cases(t *testing.T) []guardCase {
	t.Helper()
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var all []guardCase
	for _, file := range files {
		if filepath.Base(file) == "fixtures.yaml" {
			continue
		}
		for _, c := range read[[]guardCase](t, file) {
			c.file = filepath.Base(file)
			if c.Verb == "" {
				c.Verb = "create"
			}
			if c.AllowedAs == "" {
				c.AllowedAs = c.As
			}
			all = append(all, c)
		}
	}
	return all
}

// merged applies a JSON merge patch (RFC 7386).
func merged(object, patch map[string]any) map[string]any {
	out := maps.Clone(object)
	if out == nil {
		out = map[string]any{}
	}
	for key, value := range patch {
		inner, isObject := value.(map[string]any)
		switch {
		case value == nil:
			delete(out, key)
		case isObject:
			old, _ := out[key].(map[string]any)
			out[key] = merged(old, inner)
		default:
			out[key] = value
		}
	}
	return out
}

// forbidden sends the request that must be refused.
func (s *server) forbidden(ctx context.Context, c guardCase) error {
	object := c.Object
	if c.Another != nil {
		object = c.Another
	}
	return s.try(ctx, c.As, c.Verb, object, c.Forbidden)
}

// allowed sends its twin.
func (s *server) allowed(ctx context.Context, c guardCase) error {
	return s.try(ctx, c.AllowedAs, c.Verb, c.Object, c.Allowed)
}

func (s *server) try(ctx context.Context, user, verb string, object, patch map[string]any) error {
	client, ok := s.clients[user]
	if !ok {
		return fmt.Errorf("nobody is called %q", user)
	}
	dryRun := []string{metav1.DryRunAll}
	switch verb {
	case "create":
		wanted := s.resolved(&unstructured.Unstructured{Object: merged(object, patch)})
		resource, err := s.resource(client, wanted)
		if err != nil {
			return err
		}
		_, err = resource.Create(ctx, wanted, metav1.CreateOptions{DryRun: dryRun, FieldValidation: metav1.FieldValidationStrict})
		return err
	case "update":
		return retry.RetryOnConflict(retry.DefaultRetry, func() error { // the garbage collector writes beside us
			return s.update(ctx, client, object, patch)
		})
	case "delete":
		stored, err := s.stored(ctx, object)
		if err != nil {
			return err
		}
		resource, err := s.resource(client, stored)
		if err != nil {
			return err
		}
		return resource.Delete(ctx, stored.GetName(), metav1.DeleteOptions{DryRun: dryRun})
	default:
		return fmt.Errorf("there is no verb %q", verb)
	}
}

func (s *server) update(ctx context.Context, client dynamic.Interface, object, patch map[string]any) error {
	stored, err := s.stored(ctx, object)
	if err != nil {
		return err
	}
	wanted := s.resolved(&unstructured.Unstructured{Object: merged(stored.Object, patch)})
	resource, err := s.resource(client, wanted)
	if err != nil {
		return err
	}
	_, err = resource.Update(ctx, wanted, metav1.UpdateOptions{DryRun: []string{metav1.DryRunAll}, FieldValidation: metav1.FieldValidationStrict})
	return err
}

func (s *server) stored(ctx context.Context, object map[string]any) (*unstructured.Unstructured, error) {
	named := &unstructured.Unstructured{Object: object}
	resource, err := s.resource(s.admin, named)
	if err != nil {
		return nil, err
	}
	return resource.Get(ctx, named.GetName(), metav1.GetOptions{})
}

func (s *server) resource(client dynamic.Interface, object *unstructured.Unstructured) (dynamic.ResourceInterface, error) {
	kind := object.GroupVersionKind()
	mapping, err := s.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if err != nil {
		return nil, err
	}
	if object.GetNamespace() == "" {
		return client.Resource(mapping.Resource), nil
	}
	return client.Resource(mapping.Resource).Namespace(object.GetNamespace()), nil
}

// resolved puts the uid of a fixture where the data names it by @Kind/name.
func (s *server) resolved(object *unstructured.Unstructured) *unstructured.Unstructured {
	owners := object.GetOwnerReferences()
	for i := range owners {
		if name, named := strings.CutPrefix(string(owners[i].UID), "@"); named {
			owners[i].UID = s.uids[name]
		}
	}
	copied := object.DeepCopy()
	if owners != nil {
		copied.SetOwnerReferences(owners)
	}
	return copied
}
