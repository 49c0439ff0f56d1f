package oscal

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"cato.dev/cato/compliance/posture"
	"cato.dev/cato/policy/bundle"
	"cato.dev/cato/policy/engine"
	"cato.dev/cato/policy/facts"
)

// The rules that are shipped, and no fixture: what they name must be in the catalog, fit into OSCAL's tokens and
// give documents that pass the strict check, whatever the verdicts.
func TestTheEmbeddedRulesMakeDocumentsThatPassTheCheck(t *testing.T) {
	in := input(t)
	schema, err := facts.Schema()
	if err != nil {
		t.Fatal(err)
	}
	set, err := engine.Load(t.Context(), engine.Source{Bundle: bundle.FS(), Schema: schema, Catalog: in.System.Catalog.Check})
	if err != nil {
		t.Fatal(err)
	}
	in.System.Rules, in.System.Revision = set.Rules(), set.Revision
	for _, build := range []func() error{
		func() error {
			model, err := ComponentDefinition(in.System, start)
			if err != nil {
				return err
			}
			doc, err := Encode(model, options(t, in))
			for _, rule := range set.Rules() {
				named, checked := strings.Contains(string(doc), `"value":"`+rule.ID+`"`), strings.Contains(string(doc), `"value":"`+rule.Package+`"`)
				if err == nil && (!named || !checked) {
					return fmt.Errorf("rule %s is not in the component-definition", rule.ID)
				}
			}
			return err
		},
		func() error {
			model, err := AssessmentPlan(in.System, "tenant-a", start)
			if err != nil {
				return err
			}
			_, err = Encode(model, options(t, in))
			return err
		},
	} {
		if err := build(); err != nil {
			t.Error(err)
		}
	}
	for _, value := range []engine.Value{engine.Pass, engine.Fail, engine.Unknown, engine.NotApplicable} {
		var rows []row
		for _, kind := range set.Kinds() {
			s := vm("one")
			s.Kind, s.UID = kind, "uid-"+kind
			if kind == "Tenant" {
				s = tenant()
			}
			for _, rule := range set.RulesFor(kind) {
				rows = append(rows, row{s, verdict(rule.ID, value)})
			}
		}
		slices.SortStableFunc(rows, func(a, b row) int {
			return strings.Compare(a.subject.Namespace+"\x00"+a.subject.Kind, b.subject.Namespace+"\x00"+b.subject.Kind)
		})
		in.Each = walk(rows)
		for _, in := range []ResultsInput{in, byRule(in)} {
			wins := 0
			for _, f := range all(resultOf(t, document(t, in)).Findings) {
				if f.Target.Status.State == posture.Satisfied {
					wins++
				}
			}
			if (value == engine.Pass) != (wins > 0) {
				t.Errorf("%d objectives are satisfied by verdicts %s", wins, value)
			}
		}
	}
}
