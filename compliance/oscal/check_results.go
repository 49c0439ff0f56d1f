package oscal

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	o "github.com/defenseunicorns/go-oscal/src/types/oscal-1-2-2"

	"cato.dev/cato/policy/engine"
)

// results: satisfied only by covering, unexpired passes on live objects; a failure always has its finding.
func (c *checker) results(doc *o.AssessmentResults) {
	for i, result := range doc.Results {
		at := fmt.Sprintf("/assessment-results/results/%d", i)
		now := c.opts.Now
		if now.IsZero() && result.End != nil {
			now = *result.End
		}
		r := newResultCheck(c, now)
		r.kinds(result.Props)
		observations := all(result.Observations)
		for j := range observations {
			seen := &observations[j]
			r.byID[seen.UUID] = seen
			rule := propOf(seen.Props, TrestleNs, propRule)
			r.byRule[rule] = append(r.byRule[rule], seen)
			r.observation(fmt.Sprintf("%s/observations/%d", at, j), seen)
		}
		for j, finding := range all(result.Findings) {
			r.finding(fmt.Sprintf("%s/findings/%d", at, j), finding)
		}
		r.dropped(at, all(result.Findings))
	}
}

type resultCheck struct {
	*checker
	now      time.Time
	rules    map[string]*engine.Rule
	byID     map[string]*o.Observation
	byRule   map[string][]*o.Observation
	subjects map[string]int // of each kind, as the result says
}

func newResultCheck(c *checker, now time.Time) *resultCheck {
	r := &resultCheck{
		checker: c, now: now, rules: map[string]*engine.Rule{}, byID: map[string]*o.Observation{},
		byRule: map[string][]*o.Observation{}, subjects: map[string]int{},
	}
	for _, rule := range c.opts.Rules {
		r.rules[rule.ID] = rule
	}
	return r
}

func (r *resultCheck) kinds(props *[]o.Property) {
	for _, p := range all(props) {
		if p.Ns == Ns && p.Name == propSubjectCount {
			if n, err := strconv.Atoi(p.Value); err == nil {
				r.subjects[p.Class] = n
			}
		}
	}
}

// missing is how many subjects of the rule's kinds have no verdict of it.
func (r *resultCheck) missing(rule *engine.Rule) int {
	expected, judged := 0, 0
	for _, kind := range rule.Subjects {
		expected += r.subjects[kind]
	}
	for _, seen := range r.byRule[rule.ID] {
		aggregated := 0
		for _, name := range []string{propPassCount, propFailCount, propUnknownCount, propNotApplicableCount} {
			aggregated += count(seen, name)
		}
		judged += max(1, aggregated)
	}
	return max(0, expected-judged)
}

func (r *resultCheck) observation(at string, seen *o.Observation) {
	result := propOf(seen.Props, Ns, propResult)
	if !slices.Contains([]string{"pass", "fail", "unknown", "not-applicable"}, result) {
		r.refuse(at+"/props", "needs prop result of ours: pass, fail, unknown or not-applicable; is %q", result)
	}
	rule := propOf(seen.Props, TrestleNs, propRule)
	if rule == "" {
		r.refuse(at+"/props", "needs prop %s: which rule was evaluated", propRule)
	}
	if len(r.rules) > 0 && r.rules[rule] == nil {
		r.refuse(at+"/props", "rule %q is not in force", rule)
	}
	if propOf(seen.Props, Ns, propMoment) == "" {
		r.refuse(at+"/props", "needs prop %s: live, plan or admission", propMoment)
	}
	if seen.Expires == nil {
		r.refuse(at, "needs expires: a verdict holds only until it should have been confirmed")
	}
	if len(all(seen.Subjects)) == 0 {
		r.refuse(at, "needs subjects: a verdict is about something")
	}
	if len(all(seen.Origins)) == 0 {
		r.refuse(at, "needs origins: what gave the verdict")
	}
	if n := count(seen, propFailCount); n > 0 && result != "fail" {
		r.refuse(at+"/props", "%s is %d, so result cannot be %q", propFailCount, n, result)
	}
	for _, open := range []string{propUnknownCount, propExpiredCount, propPlannedCount} {
		if n := count(seen, open); n > 0 && result != "fail" && result != "unknown" {
			r.refuse(at+"/props", "%s is %d, so result cannot be %q", open, n, result)
		}
	}
}

func (r *resultCheck) finding(at string, f o.Finding) {
	status := f.Target.Status
	if status.State != "satisfied" {
		if status.Reason == "pass" {
			r.refuse(at+"/target/status/reason", "pass is the reason of satisfied only")
		}
		failing := slices.ContainsFunc(r.related(f), func(seen *o.Observation) bool { return propOf(seen.Props, Ns, propResult) == "fail" })
		if (status.Reason == "fail") != failing {
			r.refuse(at+"/target/status/reason", "must be fail when a related observation fails, and only then")
		}
		return
	}
	if status.Reason != "pass" {
		r.refuse(at+"/target/status/reason", "satisfied with reason %q; must be pass", status.Reason)
	}
	if s := f.Target.ImplementationStatus; s == nil || s.State != "implemented" {
		r.refuse(at+"/target", "satisfied needs implementation-status implemented: a part that was tested is not the whole")
	}
	if propOf(f.Props, Ns, propCoverage) != "full" {
		r.refuse(at+"/props", "satisfied needs prop %s full", propCoverage)
	}
	for _, problem := range append(r.unproven(r.related(f)), r.uncovered(f)...) {
		r.refuse(at, "satisfied, but %s", problem)
	}
}

func (r *resultCheck) related(f o.Finding) []*o.Observation {
	var seen []*o.Observation
	for _, ref := range all(f.RelatedObservations) {
		if observation := r.byID[ref.ObservationUuid]; observation != nil {
			seen = append(seen, observation)
		}
	}
	return seen
}

// unproven says what keeps observations from being proof of the live state.
func (r *resultCheck) unproven(observations []*o.Observation) []string {
	var why []string
	passes := 0
	for _, seen := range observations {
		switch result := propOf(seen.Props, Ns, propResult); result {
		case "pass":
			passes++
		case "not-applicable":
		default:
			why = append(why, fmt.Sprintf("observation %s is %s", seen.UUID, result))
		}
		if seen.Expires != nil && !seen.Expires.After(r.now) {
			why = append(why, fmt.Sprintf("observation %s expired at %s", seen.UUID, seen.Expires.Format(time.RFC3339)))
		}
		if moment := propOf(seen.Props, Ns, propMoment); moment != engine.Live {
			why = append(why, fmt.Sprintf("observation %s is of moment %q, not of a live object", seen.UUID, moment))
		}
	}
	if passes == 0 {
		why = append(why, "no related observation passes")
	}
	return why
}

// uncovered compares with the rules: one of them must cover the target whole, each that names it must have been
// evaluated, and none may have an observation that does not pass.
func (r *resultCheck) uncovered(f o.Finding) []string {
	if len(r.rules) == 0 {
		return nil
	}
	var why []string
	covered := false
	for _, rule := range r.opts.Rules {
		full, named := covers(rule, f.Target.TargetId)
		if !named || !rule.JudgesAt(engine.Live) {
			continue
		}
		if n := r.missing(rule); n > 0 {
			why = append(why, fmt.Sprintf("rule %s has no verdict on %d subjects of its kinds", rule.ID, n))
		}
		for _, seen := range r.byRule[rule.ID] {
			covered = covered || full && propOf(seen.Props, Ns, propResult) == "pass"
			if result := propOf(seen.Props, Ns, propResult); result != "pass" && result != "not-applicable" {
				why = append(why, fmt.Sprintf("observation %s of rule %s is %s", seen.UUID, rule.ID, result))
			}
		}
	}
	if !covered {
		why = append(why, fmt.Sprintf("no rule that passes covers %s whole", f.Target.TargetId))
	}
	return why
}

// dropped: a failing observation must show in a finding of each target that its rule names.
func (r *resultCheck) dropped(at string, findings []o.Finding) {
	found := map[string]string{}
	for _, f := range findings {
		found[f.Target.TargetId] = f.Target.Status.State
	}
	for _, rule := range r.opts.Rules {
		fails := slices.ContainsFunc(r.byRule[rule.ID], func(seen *o.Observation) bool { return propOf(seen.Props, Ns, propResult) == "fail" })
		if !fails || !rule.JudgesAt(engine.Live) {
			continue
		}
		for _, target := range targetsOf(rule) {
			if found[target] != "not-satisfied" {
				r.refuse(at+"/findings", "rule %s fails, but %s has no finding not-satisfied", rule.ID, target)
			}
		}
	}
}

// targetsOf are the objectives that a rule decides; where it names none for a control, its statements.
func targetsOf(rule *engine.Rule) []string {
	var targets []string
	for _, control := range rule.Controls {
		if len(control.Objectives) > 0 {
			targets = append(targets, control.Objectives...)
		} else {
			targets = append(targets, control.Statements...)
		}
	}
	return targets
}

// covers reports whether the rule names the target, and whether it covers it whole.
func covers(rule *engine.Rule, target string) (full, named bool) {
	for _, control := range rule.Controls {
		parts := control.Objectives
		if len(parts) == 0 {
			parts = control.Statements
		}
		if slices.Contains(parts, target) {
			named = true
			full = full || control.Coverage == "full"
		}
	}
	return full, named
}

func all[T any](items *[]T) []T {
	if items == nil {
		return nil
	}
	return *items
}

func propOf(props *[]o.Property, ns, name string) string {
	for _, p := range all(props) {
		if p.Ns == ns && p.Name == name {
			return p.Value
		}
	}
	return ""
}

func count(seen *o.Observation, name string) int {
	n, err := strconv.Atoi(propOf(seen.Props, Ns, name))
	if err != nil {
		return 0
	}
	return n
}
