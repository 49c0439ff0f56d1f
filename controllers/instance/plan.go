package instance

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"cato.dev/cato/controllers/apply"
	"cato.dev/cato/controllers/decide"
	"cato.dev/cato/controllers/outcome"
	"cato.dev/cato/policy/facts"
)

// plan is what is to be done for an Instance, and by what decision.
type plan struct {
	decide.InstancePlan
	decision outcome.Decision
	adopts   bool // the VirtualMachine is another's or nobody's, and the grant to take it over is given
}

// plan asks the grants for what is wanted, makes the children and asks the rules
// about them.
func (r *Reconciler) plan(ctx context.Context, found *observed) plan {
	p := plan{InstancePlan: r.deps.Judge.Instance(ctx, found.Gathered, found.userData, facts.Plan)}
	rules := outcome.OfRules(p.Judgement)
	decisions := []outcome.Decision{}
	switch { // what is missing comes first: rules are unknown because of it
	case p.Problem != nil && p.Waits:
		decisions = append(decisions, outcome.Unknown(p.Problem.Error()))
	case p.Problem != nil && rules.Status != metav1.ConditionFalse: // a rule that fails says it already
		decisions = append(decisions, outcome.Denied(p.Problem.Error()))
	}
	if p.Children != nil {
		decisions = append(decisions, mark(found, p.Children))
	}
	decisions = append(decisions, rules,
		undetermined(r.deps.Judge.Remedy(decide.DedicatedCPU), p.Dedicated),
		undetermined(r.deps.Judge.Remedy(decide.PodNetwork), p.PodNetwork))
	if found.userData.Missing != "" { // an empty one must never stand in
		decisions = append(decisions, outcome.Unknown(found.userData.Missing))
	}
	if foreign(found, p) {
		adoption := outcome.OfGrant(ctx, r.deps.Judge, decide.AdoptMachine, decide.AsAsked(found.Gathered))
		p.adopts = adoption.Status == metav1.ConditionTrue
		decisions = append(decisions, adoption)
	}
	p.decision = outcome.Together(decisions...)
	return p
}

// foreign tells that a VirtualMachine of the name exists that is not the
// Instance's own, nor one that lost its owner reference.
func foreign(found *observed, p plan) bool {
	if found.VirtualMachine == nil || owns(found) {
		return false
	}
	return p.Children == nil || !apply.Ours(p.Children.VirtualMachine, found.VirtualMachine)
}

// undetermined waits where nobody can say whether a privilege is given.
func undetermined(remedy string, answer decide.Answer) outcome.Decision {
	if answer.Err != nil {
		return outcome.Unknown(remedy + ": " + answer.Err.Error())
	}
	return outcome.Allowed()
}
