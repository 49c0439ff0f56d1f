package tenant

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/children"
	"cato.dev/cato/controllers/outcome"
)

// remedy is what to do when a right is missing for a write.
const remedy = "give ServiceAccount virtfoundry-system/virtfoundry-operator the rights of its ClusterRole again"

// report computes the status once, writes it once, and says when to come back.
func (r *Reconciler) report(ctx context.Context, tenant *virtfoundryv1alpha1.Tenant, p plan, w written) (reconcile.Result, error) {
	before := tenant.DeepCopy()
	status := &tenant.Status
	status.ObservedGeneration = tenant.Generation
	status.PolicyRevision = w.found.Revision
	set := func(kind string, d outcome.Decision) { outcome.Set(&status.Conditions, tenant.Generation, kind, d) }
	set(virtfoundryv1alpha1.ConditionPolicyAllowed, p.decision)
	set(virtfoundryv1alpha1.ConditionIsolated, outcome.OfTopics(w.found, "network-isolation"))
	set(virtfoundryv1alpha1.ConditionCompliant, outcome.OfTopics(w.found))
	end := r.conclude(tenant, p, w)
	if end.Quiet {
		return end.Result, nil
	}
	set(virtfoundryv1alpha1.ConditionReady, end.Decision)
	outcome.SetStalled(&status.Conditions, tenant.Generation, end.Terminal, end.Decision)
	status.Phase = phase(end)
	if p.decision.Status == metav1.ConditionTrue {
		status.Namespace = children.NamespaceOf(tenant)
	}
	r.announce(before, tenant)
	return end.Result, errors.Join(end.Err, r.patch(ctx, before, tenant))
}

// conclude turns decision and writes into condition Ready and the time to come
// back. The events of children wake the reconciler as well.
func (r *Reconciler) conclude(tenant *virtfoundryv1alpha1.Tenant, p plan, w written) outcome.Failure {
	switch {
	case w.err != nil:
		return outcome.OfWrite(w.err, remedy)
	case p.decision.Status == metav1.ConditionFalse:
		return outcome.Failure{Decision: p.decision, Terminal: true}
	case p.decision.Status == metav1.ConditionUnknown:
		waits := outcome.Decision{Status: metav1.ConditionFalse, Reason: p.decision.Reason, Message: p.decision.Message}
		return outcome.Failure{Decision: waits, Result: reconcile.Result{RequeueAfter: outcome.AfterUnknown}}
	case len(w.changes) > 0 && !meta.IsStatusConditionTrue(tenant.Status.Conditions, virtfoundryv1alpha1.ConditionReady):
		pending := outcome.Decision{Status: metav1.ConditionFalse, Reason: virtfoundryv1alpha1.ReasonPending, Message: "the children are written and have still to be seen"}
		return outcome.Failure{Decision: pending, Result: reconcile.Result{RequeueAfter: outcome.AfterWrite}}
	}
	ready := outcome.Decision{Status: metav1.ConditionTrue, Reason: virtfoundryv1alpha1.ReasonReconciled, Message: "namespace and isolation objects are as they should be"}
	end := outcome.Failure{Decision: ready}
	if len(w.changes) > 0 {
		end.Result.RequeueAfter = outcome.AfterWrite
	}
	return end
}

func phase(end outcome.Failure) virtfoundryv1alpha1.TenantPhase {
	switch {
	case end.Terminal:
		return virtfoundryv1alpha1.TenantFailed
	case end.Decision.Status == metav1.ConditionTrue:
		return virtfoundryv1alpha1.TenantReady
	default:
		return virtfoundryv1alpha1.TenantPending
	}
}

// announce emits an event when a refusal, or what it says, is new.
func (r *Reconciler) announce(before, tenant *virtfoundryv1alpha1.Tenant) {
	ready := meta.FindStatusCondition(tenant.Status.Conditions, virtfoundryv1alpha1.ConditionReady)
	last := meta.FindStatusCondition(before.Status.Conditions, virtfoundryv1alpha1.ConditionReady)
	if last != nil && last.Reason == ready.Reason && last.Message == ready.Message {
		return
	}
	reasons := map[string]string{
		virtfoundryv1alpha1.ReasonPolicyDenied: EventPolicyDenied,
		virtfoundryv1alpha1.ReasonOwnedByOther: EventOwnedByOther,
		virtfoundryv1alpha1.ReasonForbidden:    EventForbidden,
	}
	if reason, worth := reasons[ready.Reason]; worth {
		r.warn(tenant, reason, actionReconcile, ready.Message)
	}
}

// patch writes the status if it changed.
func (r *Reconciler) patch(ctx context.Context, before, tenant *virtfoundryv1alpha1.Tenant) error {
	if equality.Semantic.DeepEqual(before.Status, tenant.Status) {
		return nil
	}
	return client.IgnoreNotFound(r.deps.Client.Status().Patch(ctx, tenant, client.MergeFrom(before)))
}
