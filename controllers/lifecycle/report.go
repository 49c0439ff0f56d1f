package lifecycle

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/outcome"
)

// remedy is what to do when a right is missing for a write.
const remedy = "give ServiceAccount virtfoundry-system/virtfoundry-operator the rights of its ClusterRole again"

// Conclude turns a decision and what was written into condition Ready and the
// time to come back. Done says what is as it should be.
func Conclude(s Subject, decision outcome.Decision, w Written, done string) outcome.Failure {
	switch {
	case w.Err != nil:
		return outcome.OfWrite(w.Err, remedy)
	case decision.Status == metav1.ConditionFalse:
		return outcome.Failure{Decision: decision, Terminal: true}
	case decision.Status == metav1.ConditionUnknown:
		return outcome.Failure{Decision: Failed(decision.Reason, decision.Message), Result: reconcile.Result{RequeueAfter: outcome.AfterUnknown}}
	case len(w.Changes) > 0 && !s.Stood():
		return Pending("the children are written and have still to be seen")
	}
	end := outcome.Failure{Decision: outcome.Decision{Status: metav1.ConditionTrue, Reason: virtfoundryv1alpha1.ReasonReconciled, Message: done}}
	if len(w.Changes) > 0 {
		end.Result.RequeueAfter = outcome.AfterWrite
	}
	return end
}

// Pending comes back soon.
func Pending(message string) outcome.Failure {
	return outcome.Failure{Decision: Failed(virtfoundryv1alpha1.ReasonPending, message), Result: reconcile.Result{RequeueAfter: outcome.AfterWrite}}
}

// Report fills in what every status says and writes it if it changed. Before is
// the object as it was read.
func (d Deps) Report(ctx context.Context, before client.Object, s Subject, decision outcome.Decision, w Written, end outcome.Failure) (reconcile.Result, error) {
	if end.Quiet {
		return end.Result, nil
	}
	last := meta.FindStatusCondition(s.Observation.Conditions, virtfoundryv1alpha1.ConditionReady)
	if last != nil {
		last = last.DeepCopy()
	}
	s.Observation.ObservedGeneration = s.Object.GetGeneration()
	s.Observation.PolicyRevision = w.Found.Revision
	s.Set(virtfoundryv1alpha1.ConditionPolicyAllowed, decision)
	s.Set(virtfoundryv1alpha1.ConditionCompliant, outcome.OfTopics(w.Found))
	s.Set(virtfoundryv1alpha1.ConditionReady, end.Decision)
	outcome.SetStalled(&s.Observation.Conditions, s.Object.GetGeneration(), end.Terminal, end.Decision)
	*s.Phase = phase(end)
	d.announce(last, s, end.Decision)
	return end.Result, errors.Join(end.Err, d.Patch(ctx, before, s.Object))
}

func phase(end outcome.Failure) virtfoundryv1alpha1.Phase {
	switch {
	case end.Terminal:
		return virtfoundryv1alpha1.PhaseFailed
	case end.Decision.Status == metav1.ConditionTrue:
		return virtfoundryv1alpha1.PhaseReady
	default:
		return virtfoundryv1alpha1.PhasePending
	}
}

// announce emits an event when a refusal, or what it says, is new.
func (d Deps) announce(last *metav1.Condition, s Subject, ready outcome.Decision) {
	if last != nil && last.Reason == ready.Reason && last.Message == outcome.Clip(ready.Message) {
		return
	}
	reasons := map[string]string{
		virtfoundryv1alpha1.ReasonPolicyDenied: EventPolicyDenied,
		virtfoundryv1alpha1.ReasonOwnedByOther: EventOwnedByOther,
		virtfoundryv1alpha1.ReasonForbidden:    EventForbidden,
		virtfoundryv1alpha1.ReasonInUse:        EventInUse,
	}
	if reason, worth := reasons[ready.Reason]; worth {
		d.Warn(s.Object, reason, ActionReconcile, ready.Message)
	}
}

// Terminating says in the status of an object that is being deleted why it is
// still there.
func (d Deps) Terminating(ctx context.Context, before client.Object, s Subject, why outcome.Decision) error {
	last := meta.FindStatusCondition(s.Observation.Conditions, virtfoundryv1alpha1.ConditionReady)
	if last != nil {
		last = last.DeepCopy()
	}
	*s.Phase = virtfoundryv1alpha1.PhaseTerminating
	s.Observation.ObservedGeneration = s.Object.GetGeneration()
	s.Set(virtfoundryv1alpha1.ConditionReady, why)
	outcome.SetStalled(&s.Observation.Conditions, s.Object.GetGeneration(), false, why)
	d.announce(last, s, why)
	return d.Patch(ctx, before, s.Object)
}

// Patch writes the status if it changed.
func (d Deps) Patch(ctx context.Context, before, after client.Object) error {
	if equality.Semantic.DeepEqual(before, after) {
		return nil
	}
	return client.IgnoreNotFound(d.Client.Status().Patch(ctx, after, client.MergeFrom(before)))
}
