package admission_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
)

const policyKind = "ValidatingAdmissionPolicy"

// mutations takes each validation away in turn, of all policies at once, and wants some case of that policy to pass.
func (s *server) mutations(t *testing.T, all []guardCase) {
	of := map[string][]guardCase{}
	for _, c := range all {
		of[prefix+c.Policy] = append(of[prefix+c.Policy], c)
	}
	policies := map[string][]any{}
	rounds := 0
	for _, object := range manifests(t) {
		if object.GetKind() != policyKind {
			continue
		}
		validations, _, err := unstructured.NestedSlice(object.Object, "spec", "validations")
		if err != nil || len(validations) == 0 {
			t.Fatalf("%s has no validations: %v", object.GetName(), err)
		}
		policies[object.GetName()] = validations
		rounds = max(rounds, len(validations))
	}
	for name := range of {
		if policies[name] == nil {
			t.Errorf("cases name %s, which is no policy", name)
		}
	}
	for round := range rounds {
		for name, validations := range policies {
			if round < len(validations) {
				s.replace(t, name, without(validations, round))
			}
		}
		for name, validations := range policies {
			if round < len(validations) {
				s.noticed(t, fmt.Sprintf("%s: validation %d (%v)", name, round, validations[round]), of[name])
			}
		}
		for name, validations := range policies {
			if round < len(validations) {
				s.replace(t, name, validations)
			}
		}
	}
	for _, c := range all {
		s.await(t, c)
	}
}

// without leaves one validation out; a policy must have one, so that one that says nothing stands in.
func without(validations []any, index int) []any {
	left := []any{map[string]any{"expression": "true"}}
	for i, v := range validations {
		if i != index {
			left = append(left, v)
		}
	}
	return left
}

func (s *server) replace(t *testing.T, policy string, validations []any) {
	t.Helper()
	object := &unstructured.Unstructured{}
	object.SetAPIVersion("admissionregistration.k8s.io/v1")
	object.SetKind(policyKind)
	resource, err := s.resource(s.admin, object)
	if err != nil {
		t.Fatal(err)
	}
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{"validations": validations}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := resource.Patch(t.Context(), policy, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		t.Fatalf("%s: %v", policy, err)
	}
}

// noticed waits until the API server lets a case pass that it should refuse.
func (s *server) noticed(t *testing.T, what string, all []guardCase) {
	t.Helper()
	err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		for _, c := range all {
			if err := s.forbidden(ctx, c); !refusedBy(err, c) {
				return true, nil
			}
		}
		return false, nil
	})
	if err != nil {
		t.Errorf("%s can be taken away and no case notices", what)
	}
}
