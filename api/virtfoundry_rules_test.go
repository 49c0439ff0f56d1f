package api_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	virtfoundryv1 "cato.dev/cato/api/virtfoundry/v1alpha1"
)

// without is the CRD less one rule, the index counted over the whole schema in the order of the paths; false means that there is no such rule.
func without(t *testing.T, file string, index int) (*apiextensionsv1.CustomResourceDefinition, string, bool) {
	t.Helper()
	crd := readCRD(t, file)
	count, removed := 0, ""
	var visit func(path string, schema apiextensionsv1.JSONSchemaProps) apiextensionsv1.JSONSchemaProps
	visit = func(path string, schema apiextensionsv1.JSONSchemaProps) apiextensionsv1.JSONSchemaProps {
		n := len(schema.XValidations)
		if at := index - count; at >= 0 && at < n {
			removed = path + ": " + schema.XValidations[at].Rule
			schema.XValidations = slices.Delete(schema.XValidations, at, at+1)
		}
		count += n
		for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
			schema.Properties[name] = visit(path+"."+name, schema.Properties[name])
		}
		if schema.Items != nil && schema.Items.Schema != nil {
			item := visit(path+"[]", *schema.Items.Schema)
			schema.Items.Schema = &item
		}
		return schema
	}
	root := visit("", *crd.Spec.Versions[0].Schema.OpenAPIV3Schema)
	crd.Spec.Versions[0].Schema.OpenAPIV3Schema = &root
	return crd, removed, removed != ""
}

// A rule that can be taken away without any case noticing is not tested.
func TestEveryRuleOfTheSchemasIsTested(t *testing.T) {
	total := 0
	for kind := range virtfoundryKinds {
		t.Run(kind, func(t *testing.T) {
			want := outcomes(t, kind, readCRD(t, virtfoundryCRD(kind)))
			for index := 0; ; index++ {
				crd, rule, ok := without(t, virtfoundryCRD(kind), index)
				if !ok {
					break
				}
				total++
				if slices.EqualFunc(want, outcomes(t, kind, crd), slices.Equal) {
					t.Errorf("no case notices that this rule is gone: %s", rule)
				}
			}
		})
	}
	if total < 60 {
		t.Errorf("only %d rules were taken away", total)
	}
}

// outcomes are the errors of every case of a kind.
func outcomes(t *testing.T, kind string, crd *apiextensionsv1.CustomResourceDefinition) [][]string {
	t.Helper()
	admission := admissionOf(t, crd)
	_, unreadable := admission.admit(t, object(t, manifest(kind, "a", unreadableTime)), nil)
	all := [][]string{unreadable}
	for _, tt := range refusals {
		if tt.kind == kind {
			_, got := admission.admit(t, object(t, tt.manifest()), nil)
			all = append(all, got)
		}
	}
	for _, tt := range changes {
		if tt.kind == kind {
			_, got := admission.admit(t, object(t, manifest(kind, "changing", tt.to)), object(t, manifest(kind, "changing", tt.from)))
			all = append(all, got)
		}
	}
	return all
}

// unreadableTime is a date-time to the API server and an error to metav1.Time.
const unreadableTime = "status: {conditions: [{type: Ready, status: 'True', reason: A, message: '', lastTransitionTime: '2026-01-01t00:00:00z'}]}"

func TestATimeThatGoCannotReadIsInNoStatusOfATenantsKind(t *testing.T) {
	var status virtfoundryv1.ObjectStatus
	if err := json.Unmarshal([]byte(`{"conditions": [{"lastTransitionTime": "2026-01-01t00:00:00z"}]}`), &status); err == nil {
		t.Error("Go reads the time: nothing needs to be refused")
	}
	for kind := range virtfoundryKinds {
		if _, got := admit(t, virtfoundryCRD(kind), object(t, manifest(kind, "a", unreadableTime)), nil); len(got) != 1 || !strings.Contains(got[0], "as RFC 3339 writes it") {
			t.Errorf("%s: %v", kind, got)
		}
	}
}
