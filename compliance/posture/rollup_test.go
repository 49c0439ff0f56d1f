package posture

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"cato.dev/cato/compliance/catalog"
	"cato.dev/cato/policy/engine"
)

// rule judges UDSVirtualMachines live and is evidence for the parts of controls.
func rule(id string, controls ...engine.Control) *engine.Rule {
	return &engine.Rule{ID: id, Subjects: []string{"UDSVirtualMachine"}, Judges: []string{engine.Live}, Controls: controls}
}

func part(coverage string, objectives ...string) engine.Control {
	return engine.Control{ID: "sc-7.5", Statements: []string{"sc-7.5_smt"}, Objectives: objectives, Coverage: coverage}
}

// machines is the tally of as many VMs as each rule has verdicts on.
func machines(n int, rules map[string]Counts) Tally {
	return Tally{Rules: rules, Kinds: map[string]int{"UDSVirtualMachine": n}}
}

const (
	obj1 = "sc-7.5_obj-1"
	obj2 = "sc-7.5_obj-2"
)

// The rows of the table "Control -> finding" of the OSCAL mapping, and what must not slip between them.
func TestAnObjectiveIsSatisfiedOnlyWhenProvenWhole(t *testing.T) {
	full, partial := rule("NET-001", part("full", obj1)), rule("NET-002", part("partial", obj1))
	for name, test := range map[string]struct {
		rules         []*engine.Rule
		tally         Tally
		expired       Expired
		state, reason string
	}{
		"covered whole, all pass":        {[]*engine.Rule{full}, machines(2, map[string]Counts{"NET-001": {Pass: 2}}), nil, Satisfied, ReasonPass},
		"one fails":                      {[]*engine.Rule{full}, machines(2, map[string]Counts{"NET-001": {Pass: 1, Fail: 1}}), nil, NotSatisfied, ReasonFail},
		"one fails, one is unknown":      {[]*engine.Rule{full}, machines(2, map[string]Counts{"NET-001": {Unknown: 1, Fail: 1}}), nil, NotSatisfied, ReasonFail},
		"one is unknown":                 {[]*engine.Rule{full}, machines(2, map[string]Counts{"NET-001": {Pass: 1, Unknown: 1}}), nil, NotSatisfied, ReasonOther},
		"one was not evaluated":          {[]*engine.Rule{full}, machines(2, map[string]Counts{"NET-001": {Pass: 1}}), nil, NotSatisfied, ReasonOther},
		"none was evaluated":             {[]*engine.Rule{full}, machines(2, nil), nil, NotSatisfied, ReasonOther},
		"expired":                        {[]*engine.Rule{full}, machines(2, map[string]Counts{"NET-001": {Pass: 2}}), func(*engine.Rule) bool { return true }, NotSatisfied, ReasonOther},
		"a fail stays one when expired":  {[]*engine.Rule{full}, machines(1, map[string]Counts{"NET-001": {Fail: 1}}), func(*engine.Rule) bool { return true }, NotSatisfied, ReasonFail},
		"a part, all pass":               {[]*engine.Rule{partial}, machines(2, map[string]Counts{"NET-002": {Pass: 2}}), nil, NotSatisfied, ReasonOther},
		"no subject":                     {[]*engine.Rule{full}, machines(0, nil), nil, NoFinding, ""},
		"nothing applies":                {[]*engine.Rule{full}, machines(2, map[string]Counts{"NET-001": {NotApplicable: 2}}), nil, NoFinding, ""},
		"applies to one of two":          {[]*engine.Rule{full}, machines(2, map[string]Counts{"NET-001": {Pass: 1, NotApplicable: 1}}), nil, Satisfied, ReasonPass},
		"whole and a part, all pass":     {[]*engine.Rule{full, partial}, machines(1, map[string]Counts{"NET-001": {Pass: 1}, "NET-002": {Pass: 1}}), nil, Satisfied, ReasonPass},
		"the part fails":                 {[]*engine.Rule{full, partial}, machines(1, map[string]Counts{"NET-001": {Pass: 1}, "NET-002": {Fail: 1}}), nil, NotSatisfied, ReasonFail},
		"the whole one does not apply":   {[]*engine.Rule{full, partial}, machines(1, map[string]Counts{"NET-001": {NotApplicable: 1}, "NET-002": {Pass: 1}}), nil, NotSatisfied, ReasonOther},
		"one rule claims whole and part": {[]*engine.Rule{rule("NET-001", part("full", obj1), part("partial", obj1))}, machines(1, map[string]Counts{"NET-001": {Pass: 1}}), nil, NotSatisfied, ReasonOther},
		"one rule claims part and whole": {[]*engine.Rule{rule("NET-001", part("partial", obj1), part("full", obj1))}, machines(1, map[string]Counts{"NET-001": {Pass: 1}}), nil, NotSatisfied, ReasonOther},
	} {
		t.Run(name, func(t *testing.T) {
			states := ObjectiveStates(test.tally, test.rules, test.expired)
			if len(states) != 1 {
				t.Fatalf("got %d states, want 1: %+v", len(states), states)
			}
			got := states[0]
			if got.Target != obj1 || got.State != test.state || got.Reason != test.reason {
				t.Errorf("got %+v, want %q because %q", got, test.state, test.reason)
			}
			if got.Reason == ReasonOther && len(got.Remarks) == 0 {
				t.Error("no remark says why")
			}
		})
	}
}

func TestARuleThatCannotJudgeLiveProvesNothing(t *testing.T) {
	planned := rule("NET-001", part("full", obj1))
	planned.Judges = []string{engine.Admission, engine.Plan}
	tally := machines(1, map[string]Counts{"NET-001": {Pass: 1}})
	if got := ObjectiveStates(tally, []*engine.Rule{planned}, nil); len(got) != 0 {
		t.Errorf("objectives: %+v", got)
	}
	if got := ControlStates(tally, []*engine.Rule{planned}, nil); len(got) != 0 {
		t.Errorf("controls: %+v", got)
	}
}

func TestAControlIsSatisfiedOnlyByAllItsObjectives(t *testing.T) {
	c, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	state := func(target, state string) ObjectiveState {
		return ObjectiveState{Control: "sc-7.5", Target: target, State: state}
	}
	statement := state("sc-7.5_smt", Satisfied)
	statement.Statement = true
	unchecked := ObjectiveState{Control: "ac-2.6", Target: "ac-2.6_smt", Statement: true, State: Satisfied}
	for name, test := range map[string]struct {
		control          string
		states           []ObjectiveState
		satisfied, found bool
	}{
		"all of them":                      {"sc-7.5", []ObjectiveState{state(obj1, Satisfied), state(obj2, Satisfied)}, true, true},
		"the objective that holds them":    {"sc-7.5", []ObjectiveState{state("sc-7.5_obj", Satisfied)}, true, true},
		"one of them":                      {"sc-7.5", []ObjectiveState{state(obj1, Satisfied)}, false, true},
		"one has no finding":               {"sc-7.5", []ObjectiveState{state(obj1, Satisfied), state(obj2, NoFinding)}, false, true},
		"one is not satisfied":             {"sc-7.5", []ObjectiveState{state(obj1, Satisfied), state(obj2, NotSatisfied)}, false, true},
		"the whole is, but not a part":     {"sc-7.5", []ObjectiveState{state("sc-7.5_obj", Satisfied), state(obj2, NotSatisfied)}, false, true},
		"no finding at all":                {"sc-7.5", []ObjectiveState{state(obj1, NoFinding)}, false, false},
		"nothing":                          {"sc-7.5", nil, false, false},
		"a statement is no objective":      {"sc-7.5", []ObjectiveState{statement}, false, true},
		"a statement beside the objective": {"sc-7.5", []ObjectiveState{statement, state("sc-7.5_obj", Satisfied)}, true, true},
		"objectives that nobody knows":     {"ac-2.6", []ObjectiveState{unchecked}, false, true},
		"another control's":                {"sc-7", []ObjectiveState{state(obj1, Satisfied)}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			satisfied, found := ControlSatisfied(c, test.control, test.states)
			if satisfied != test.satisfied || found != test.found {
				t.Errorf("got %v, %v, want %v, %v", satisfied, found, test.satisfied, test.found)
			}
		})
	}
}

func TestAControlHasTheWorstVerdictOfItsRules(t *testing.T) {
	si := engine.Control{ID: "si-7", Statements: []string{"si-7_smt.a"}}
	ac := engine.Control{ID: "ac-6", Statements: []string{"ac-6_smt"}}
	rules := []*engine.Rule{
		rule("NET-002", part("partial", obj1), part("partial", obj2), si), rule("NET-001", part("full", obj1)), rule("ACC-001", ac),
	}
	tally := machines(2, map[string]Counts{"NET-001": {Pass: 1, Fail: 1}, "NET-002": {Pass: 1, NotApplicable: 1}})
	want := []ControlState{
		{Control: "ac-6", Verdict: engine.Unknown, Counts: Counts{Unknown: 2}, Rules: []string{"ACC-001"}},
		{Control: "sc-7.5", Verdict: engine.Fail, Counts: Counts{Pass: 2, Fail: 1, NotApplicable: 1}, Rules: []string{"NET-001", "NET-002"}},
		{Control: "si-7", Verdict: engine.Pass, Counts: Counts{Pass: 1, NotApplicable: 1}, Rules: []string{"NET-002"}},
	}
	if d := cmp.Diff(want, ControlStates(tally, rules, nil)); d != "" {
		t.Error(d)
	}
}

func TestARuleWithoutObjectivesSpeaksOfStatements(t *testing.T) {
	r := rule("IMG-001", engine.Control{ID: "si-7", Statements: []string{"si-7_smt.a", "si-7_smt.b"}, Coverage: "partial"})
	got := ObjectiveStates(machines(1, map[string]Counts{"IMG-001": {Pass: 1}}), []*engine.Rule{r}, nil)
	want := ObjectiveState{
		Control: "si-7", Target: "si-7_smt.a", Statement: true, State: NotSatisfied, Reason: ReasonOther,
		Counts: Counts{Pass: 1}, Rules: []string{"IMG-001"}, Remarks: []string{"only a part is tested, by IMG-001, and passed"},
	}
	second := want
	second.Target = "si-7_smt.b"
	if d := cmp.Diff([]ObjectiveState{want, second}, got); d != "" {
		t.Error(d)
	}
}
