package oscal

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	o "github.com/defenseunicorns/go-oscal/src/types/oscal-1-2-2"
	"github.com/google/go-cmp/cmp"
)

func valuesOf(props *[]o.Property, ns, name string) []string {
	var values []string
	for _, p := range all(props) {
		if p.Ns == ns && p.Name == name {
			values = append(values, p.Value)
		}
	}
	return values
}

func TestTheComponentDefinitionFollowsTheConventionOfTrestle(t *testing.T) {
	model, err := ComponentDefinition(input(t).System, start)
	if err != nil {
		t.Fatal(err)
	}
	components := all(model.ComponentDefinition.Components)
	software, checks := components[0], components[1]
	set := all(software.ControlImplementations)[0]
	ids := []string{"AC-001", "IMG-001", "NET-001", "TEN-001"}
	got := map[string][]string{
		"type of the second":   {checks.Type},
		"framework":            valuesOf(set.Props, TrestleNs, "Framework_Short_Name"),
		"rules of software":    valuesOf(software.Props, TrestleNs, "Rule_Id"),
		"rules of checks":      valuesOf(checks.Props, TrestleNs, "Rule_Id"),
		"checks":               valuesOf(checks.Props, TrestleNs, "Check_Id"),
		"checks on software":   valuesOf(software.Props, TrestleNs, "Check_Id"),
		"parameters":           valuesOf(software.Props, TrestleNs, "Parameter_Id"),
		"description, 1 line":  valuesOf(software.Props, TrestleNs, "Rule_Description")[2:3],
		"moments of enforcing": valuesOf(software.Props, Ns, "enforces"),
	}
	want := map[string][]string{
		"type of the second": {"validation"}, "framework": {"nist-800-53r5"}, "rules of software": ids, "rules of checks": ids,
		"checks":             {"cato.rules.access.root", "cato.rules.image.allowed", "cato.rules.network.default_deny", "cato.rules.tenant.quota"},
		"checks on software": nil, "parameters": {"egress"},
		"description, 1 line":  {"Traffic is denied unless allowed: The union of policies selects the machine."},
		"moments of enforcing": {"plan"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	groups := map[string]string{}
	for _, p := range slices.Concat(all(software.Props), all(checks.Props)) {
		if p.Remarks == "" || p.Remarks != p.Group {
			t.Errorf("prop %s has remarks %q and group %q", p.Name, p.Remarks, p.Group)
		}
		if p.Name == "Rule_Id" {
			if before, ok := groups[p.Remarks]; ok && before != p.Value {
				t.Errorf("group %s is of %s and %s", p.Remarks, before, p.Value)
			}
			groups[p.Remarks] = p.Value
		}
	}
	requirements := map[string]string{}
	for _, r := range set.ImplementedRequirements {
		var statements []string
		for _, s := range all(r.Statements) {
			statements = append(statements, s.StatementId+"="+strings.Join(valuesOf(s.Props, TrestleNs, "Rule_Id"), "+"))
		}
		requirements[r.ControlId] = propOf(r.Props, "", "implementation-status") + " " + strings.Join(statements, " ")
	}
	// Of sc-7.5 one of two objectives is covered, of cm-7.5 one of three: no control is implemented.
	if d := cmp.Diff(map[string]string{
		"ac-2.6": "partial ac-2.6_smt=AC-001", "ac-6": "partial ac-6_smt=TEN-001", "cm-7.5": "partial cm-7.5_smt.b=IMG-001",
		"sc-7": "partial sc-7_smt.a=NET-001", "sc-7.5": "partial sc-7.5_smt=NET-001",
	}, requirements); d != "" {
		t.Error(d)
	}
	values := map[string][]string{}
	for _, p := range all(set.SetParameters) {
		values[p.ParamId] = p.Values
	}
	if d := cmp.Diff(map[string][]string{"egress": {"443"}, "images": {"none"}, "sc-07.05_odp.01": {"all machines of a tenant"}}, values); d != "" {
		t.Error(d)
	}
}

func TestAControlIsImplementedWhenAllItsObjectivesAreCoveredWhole(t *testing.T) {
	in := input(t)
	in.System.Rules[0].Controls[1].Objectives = []string{"sc-7.5_obj-1", "sc-7.5_obj-2"}
	model, err := ComponentDefinition(in.System, start)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all(all(model.ComponentDefinition.Components)[0].ControlImplementations)[0].ImplementedRequirements {
		if got, want := propOf(r.Props, "", "implementation-status") == "implemented", r.ControlId == "sc-7.5"; got != want {
			t.Errorf("%s implemented: %v", r.ControlId, got)
		}
	}
}

func TestThePlanHasOneActivityARuleAndOneTaskAtTheConfirmationInterval(t *testing.T) {
	for interval, want := range map[time.Duration]string{
		time.Hour: "1 hours", 48 * time.Hour: "2 days", 90 * time.Minute: "90 minutes", 45 * time.Second: "45 seconds",
	} {
		in := input(t)
		in.System.Interval = interval
		model, err := AssessmentPlan(in.System, "tenant-a", start)
		if err != nil {
			t.Fatal(err)
		}
		plan := model.AssessmentPlan
		var titles, methods, steps []string
		activities := all(plan.LocalDefinitions.Activities)
		for _, a := range activities {
			titles = append(titles, a.Title)
			methods = append(methods, propOf(a.Props, "", "method"))
			steps = append(steps, all(a.Steps)[0].Title)
		}
		if d := cmp.Diff([]string{"AC-001", "IMG-001", "NET-001", "TEN-001"}, titles); d != "" {
			t.Error(d)
		}
		if d := cmp.Diff([]string{"TEST", "EXAMINE", "TEST", "TEST"}, methods); d != "" {
			t.Error(d)
		}
		if steps[2] != "cato.rules.network.default_deny" {
			t.Error(steps)
		}
		tasks := all(plan.Tasks)
		f := tasks[0].Timing.AtFrequency
		if got := fmt.Sprintf("%d %s", f.Period, f.Unit); len(tasks) != 1 || got != want || len(all(tasks[0].AssociatedActivities)) != len(activities) {
			t.Errorf("%d tasks, %s, want %s", len(tasks), got, want)
		}
		var terms []string
		for _, part := range all(plan.TermsAndConditions.Parts) {
			terms = append(terms, part.Name)
		}
		if d := cmp.Diff([]string{"assumptions", "disclosures", "methodology"}, terms); d != "" {
			t.Error(d)
		}
	}
}

func TestThePlanNamesTheSSPOrSaysThatThereIsNone(t *testing.T) {
	in := input(t)
	model, err := AssessmentPlan(in.System, "", start)
	if err != nil {
		t.Fatal(err)
	}
	resource := all(model.AssessmentPlan.BackMatter.Resources)[0]
	if model.AssessmentPlan.ImportSsp.Href != "#"+resource.UUID || propOf(resource.Props, FedrampNs, "type") != "no-oscal-ssp" {
		t.Error("no SSP is not said")
	}
	in.System.SSPHref = "https://grc.example.org/ssp.json"
	if model, err = AssessmentPlan(in.System, "", start); err != nil || model.AssessmentPlan.ImportSsp.Href != in.System.SSPHref || model.AssessmentPlan.BackMatter != nil {
		t.Error(err, "the SSP is not named")
	}
}
