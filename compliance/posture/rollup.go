package posture

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"cato.dev/cato/compliance/catalog"
	"cato.dev/cato/policy/engine"
)

// Two figures a control follow from counts, rules and catalog by the pure functions here, for metrics, reports
// and OSCAL alike: the verdict of what the rules test, and whether the control is satisfied whole.

// ControlState is the verdict of a control: of the part of it that the rules test.
type ControlState struct {
	Control string       // such as sc-7
	Verdict engine.Value // any fail is fail, else any unknown or unevaluated is unknown, else pass, else not-applicable
	Counts  Counts       // verdicts of all its rules, each subject once a rule
	Rules   []string     // ids of the rules that test it, sorted
}

// State of an objective, in the words of an OSCAL finding.
const (
	Satisfied    = "satisfied"
	NotSatisfied = "not-satisfied"
	NoFinding    = "" // no subject, or none that the rules apply to
)

// Reasons of a finding's state.
const (
	ReasonPass  = "pass"
	ReasonFail  = "fail"
	ReasonOther = "other"
)

// ObjectiveState is what is known of an assessment objective, or of a statement where a rule names no objective.
type ObjectiveState struct {
	Control   string // such as sc-7.5
	Target    string // such as sc-7.5_obj-1
	Statement bool   // Target is a statement id; otherwise an objective id
	State     string // Satisfied, NotSatisfied or NoFinding
	Reason    string // ReasonPass, ReasonFail or ReasonOther; empty without a finding
	Full      bool   // a rule that applies covers the target whole
	Counts    Counts // verdicts of all rules of the target
	Rules     []string
	Remarks   []string // why a target without a fail is not satisfied; why full coverage is claimed
}

// Expired reports whether the evidence behind a rule's verdicts is too old to count.
type Expired func(rule *engine.Rule) bool

// ControlStates returns the verdict of each control that a rule tests, where anything was or should have been
// judged, sorted as catalog.Compare does. Rules that cannot judge what is live are left out: only what is seen counts.
func ControlStates(tally Tally, rules []*engine.Rule, expired Expired) []ControlState {
	byControl := map[string]*ControlState{}
	for _, r := range live(rules) {
		counts := effective(tally, r, expired)
		for _, id := range controlsOf(r) {
			c := byControl[id]
			if c == nil {
				c = &ControlState{Control: id}
				byControl[id] = c
			}
			c.Counts = c.Counts.Plus(counts)
			c.Rules = append(c.Rules, r.ID)
		}
	}
	var states []ControlState
	for _, c := range byControl {
		if c.Verdict = c.Counts.Verdict(); c.Verdict != "" {
			slices.Sort(c.Rules)
			states = append(states, *c)
		}
	}
	slices.SortFunc(states, func(a, b ControlState) int { return catalog.Compare(a.Control, b.Control) })
	return states
}

// ObjectiveStates returns the state of each objective and statement that rules name as tested, sorted by control
// and target, those without a finding included. It follows the table "Control -> finding" of the OSCAL mapping:
// satisfied means that rules cover the target whole, that every subject to which they apply passes, that there is
// at least one, and that nothing is unknown, expired or unevaluated.
func ObjectiveStates(tally Tally, rules []*engine.Rule, expired Expired) []ObjectiveState {
	type target struct{ control, id string }
	builders := map[target]*objective{}
	for _, r := range live(rules) {
		counts := effective(tally, r, expired)
		for _, c := range r.Controls {
			ids, statement := c.Objectives, false
			if len(ids) == 0 {
				ids, statement = c.Statements, true
			}
			for _, id := range ids {
				at := target{c.ID, id}
				if builders[at] == nil {
					builders[at] = &objective{ObjectiveState: ObjectiveState{Control: c.ID, Target: id, Statement: statement}}
				}
				builders[at].add(r, c, counts)
			}
		}
	}
	states := make([]ObjectiveState, 0, len(builders))
	for _, o := range builders {
		states = append(states, o.finish())
	}
	slices.SortFunc(states, func(a, b ObjectiveState) int {
		return cmp.Or(catalog.Compare(a.Control, b.Control), cmp.Compare(a.Target, b.Target))
	})
	return states
}

type objective struct {
	ObjectiveState
	partial []string // rules that cover a part only
}

func (o *objective) add(r *engine.Rule, c engine.Control, counts Counts) {
	if slices.Contains(o.Rules, r.ID) { // named twice by one rule: one count, and partial wins over full
		if c.Coverage != "full" {
			o.Full, o.partial = false, append(o.partial, r.ID)
		}
		return
	}
	o.Rules = append(o.Rules, r.ID)
	o.Counts = o.Counts.Plus(counts)
	switch {
	case c.Coverage != "full":
		o.partial = append(o.partial, r.ID)
	case counts.Pass > 0: // a rule that applies to nothing covers nothing
		o.Full = true
		if c.Remarks != "" {
			o.Remarks = append(o.Remarks, r.ID+" covers it whole: "+c.Remarks)
		}
	}
	if counts.Unknown > 0 {
		o.Remarks = append(o.Remarks, fmt.Sprintf("%s is unknown, expired or not evaluated for %d of %d subjects",
			r.ID, counts.Unknown, counts.Total()))
	}
}

func (o *objective) finish() ObjectiveState {
	slices.Sort(o.Rules)
	slices.Sort(o.partial)
	o.State, o.Reason = NotSatisfied, ReasonOther
	switch o.Counts.Verdict() {
	case engine.Fail:
		o.Reason = ReasonFail
	case engine.Unknown:
	case engine.Pass:
		if o.Full {
			o.State, o.Reason = Satisfied, ReasonPass
		} else {
			o.Remarks = append(o.Remarks, "only a part is tested, by "+strings.Join(o.partial, ", ")+", and passed")
		}
	case engine.NotApplicable:
		o.State, o.Reason = NoFinding, ""
	default:
		o.State, o.Reason = NoFinding, ""
	}
	slices.Sort(o.Remarks)
	return o.ObjectiveState
}

// ControlSatisfied says whether the control is satisfied whole: all of its smallest objectives are, by themselves
// or by an objective that holds them, and no state of the control says otherwise. found is false where the control
// has no finding at all. A control whose objectives the catalog does not know is never satisfied.
func ControlSatisfied(c *catalog.Catalog, control string, states []ObjectiveState) (satisfied, found bool) {
	var proven []string
	refuted := false
	for _, o := range states {
		if o.Control != control || o.State == NoFinding {
			continue
		}
		found = true
		switch {
		case o.State != Satisfied:
			refuted = true
		case !o.Statement:
			proven = append(proven, o.Target)
		}
	}
	leaves := c.Leaves(control)
	if !found || refuted || len(leaves) == 0 {
		return false, found
	}
	for _, leaf := range leaves {
		covers := func(id string) bool { return id == leaf || catalog.Refines(leaf, id) }
		if !slices.ContainsFunc(proven, covers) {
			return false, true
		}
	}
	return true, true
}

// effective is what the rule's verdicts are worth: passes whose evidence expired are unknown, and so are
// subjects of the rule's kinds that it has no verdict on.
func effective(tally Tally, r *engine.Rule, expired Expired) Counts {
	counts := tally.Rules[r.ID]
	expected := 0
	for _, kind := range r.Subjects {
		expected += tally.Kinds[kind]
	}
	counts.Unknown += max(0, expected-counts.Total())
	if expired != nil && expired(r) {
		counts.Unknown, counts.Pass, counts.NotApplicable = counts.Unknown+counts.Pass+counts.NotApplicable, 0, 0
	}
	return counts
}

func live(rules []*engine.Rule) []*engine.Rule {
	return slices.DeleteFunc(slices.Clone(rules), func(r *engine.Rule) bool { return !r.JudgesAt(engine.Live) })
}

// controlsOf returns each control of the rule once: a rule may name one twice, with different coverage.
func controlsOf(r *engine.Rule) []string {
	var ids []string
	for _, c := range r.Controls {
		if !slices.Contains(ids, c.ID) {
			ids = append(ids, c.ID)
		}
	}
	return ids
}
