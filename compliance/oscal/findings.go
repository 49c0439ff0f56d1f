package oscal

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	o "github.com/defenseunicorns/go-oscal/src/types/oscal-1-2-2"

	"cato.dev/cato/compliance/posture"
	"cato.dev/cato/policy/engine"
)

// findings has one entry for each objective, or statement, that has a state, in the order of the publication.
func (r *Results) findings(states []posture.ObjectiveState) []o.Finding {
	var findings []o.Finding
	for _, state := range states {
		if state.State != posture.NoFinding {
			findings = append(findings, r.finding(state))
		}
	}
	slices.SortFunc(findings, func(a, b o.Finding) int { return naturally(a.Target.TargetId, b.Target.TargetId) })
	return findings
}

func (r *Results) finding(state posture.ObjectiveState) o.Finding {
	coverage := "partial"
	if slices.ContainsFunc(r.system.Rules, func(rule *engine.Rule) bool { full, _ := covers(rule, state.Target); return full }) {
		coverage = "full"
	}
	kind := "objective-id"
	if state.Statement {
		kind = "statement-id"
	}
	remarks := strings.Join(slices.Concat(sentences(state.Remarks), sentences(r.system.Assumptions)), " ")
	target := o.FindingTarget{
		Type: kind, TargetId: state.Target,
		Status: o.ObjectiveStatus{State: state.State, Reason: state.Reason, Remarks: remarks},
	}
	switch {
	case state.State == posture.Satisfied:
		target.ImplementationStatus = &o.ImplementationStatus{State: "implemented"}
	case coverage == "partial":
		target.ImplementationStatus = &o.ImplementationStatus{State: "partial", Remarks: "Tested by " + strings.Join(state.Rules, ", ") + ", which cover a part of it."}
	}
	c := state.Counts
	var related []o.RelatedObservation
	for _, id := range r.related(state) {
		related = append(related, o.RelatedObservation{ObservationUuid: id})
	}
	return o.Finding{
		UUID: identify("finding", r.system.Cluster, r.input.Namespace, state.Target), Title: state.Target,
		Description: fmt.Sprintf("Verdicts by %s: %d pass, %d fail, %d unknown, expired or missing, %d not applicable.",
			strings.Join(state.Rules, ", "), c.Pass, c.Fail, c.Unknown, c.NotApplicable),
		Origins: byTool(), Props: list(ours(propCoverage, coverage)), Target: target, RelatedObservations: list(related...),
	}
}

func sentences(texts []string) []string {
	ended := make([]string, 0, len(texts))
	for _, t := range texts {
		ended = append(ended, strings.TrimSuffix(strings.TrimSpace(t), ".")+".")
	}
	return ended
}

// related are the observations that make the state: the fails, or what is open, or the passes.
func (r *Results) related(state posture.ObjectiveState) []string {
	var passes, fails, open []string
	for _, id := range state.Rules {
		seen := r.seen.rules[id]
		switch {
		case seen == nil:
		case r.full:
			passes, fails, open = append(passes, seen.passUUIDs...), append(fails, seen.failUUIDs...), append(open, seen.openUUIDs...)
		case seen.counts.Fail > 0:
			fails = append(fails, r.ruleObservationID(id))
		case seen.worth().Unknown > 0:
			open = append(open, r.ruleObservationID(id))
		default:
			passes = append(passes, r.ruleObservationID(id))
		}
	}
	switch {
	case state.Reason == posture.ReasonFail:
		return fails
	case state.Reason == posture.ReasonOther && len(open) > 0:
		return open
	default:
		return passes
	}
}

// reviewed lists exactly what was evaluated: controls of rules that judged something, objectives that have a state.
func (r *Results) reviewed(states []posture.ObjectiveState) o.ReviewedControls {
	var judged []*engine.Rule
	for _, rule := range r.system.Rules {
		if r.seen.rules[rule.ID] != nil {
			judged = append(judged, rule)
		}
	}
	controls := map[string]bool{}
	for _, id := range controlsOf(judged) {
		controls[id] = true
	}
	var objectives, without []string
	for _, state := range states {
		switch {
		case state.State == posture.NoFinding:
			without = append(without, state.Target)
			continue
		case !state.Statement:
			objectives = append(objectives, state.Target)
		}
		// A control that should have been judged and was not has a finding and so is reviewed.
		if !controls[state.Control] {
			controls[state.Control] = true
			judged = append(judged, r.rulesOf(state)...)
		}
	}
	slices.SortFunc(objectives, naturally)
	slices.SortFunc(without, naturally)
	description := "Controls and objectives that rules evaluated here."
	if len(without) > 0 {
		description += " Without a finding, because no subject is there to which the rules apply: " + strings.Join(without, ", ") + "."
	}
	return reviewed(judged, objectives, description)
}

func (r *Results) rulesOf(state posture.ObjectiveState) []*engine.Rule {
	var rules []*engine.Rule
	for _, rule := range r.system.Rules {
		if slices.Contains(state.Rules, rule.ID) {
			rules = append(rules, rule)
		}
	}
	return rules
}

// subjectCounts let a reader see whether a rule was evaluated on every subject of its kinds.
func (r *Results) subjectCounts() []o.Property {
	var props []o.Property
	for _, kind := range slices.Sorted(maps.Keys(r.seen.kinds)) {
		p := ours(propSubjectCount, strconv.Itoa(r.seen.kinds[kind]))
		p.Class = kind
		props = append(props, p)
	}
	return props
}
