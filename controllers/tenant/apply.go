package tenant

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/apply"
	"cato.dev/cato/controllers/decide"
	"cato.dev/cato/controllers/outcome"
	"cato.dev/cato/policy/facts"
)

// written is what one reconcile found and did.
type written struct {
	found   decide.Judgement // what the rules say of what was found, before any repair
	changes []outcome.Change
	err     error
}

// apply writes what differs. What was found is judged and handed over before a
// repair, so that a drift is seen however short it was.
func (r *Reconciler) apply(ctx context.Context, tenant *virtfoundryv1alpha1.Tenant, found *facts.Gathered, p plan) written {
	w := written{found: r.deps.Judge.Verdicts(ctx, found)}
	w.changes, w.err = outcome.Needed(r.wanted(found, p))
	allowed := p.decision.Status == metav1.ConditionTrue
	if w.err != nil || len(w.changes) == 0 {
		if w.err == nil && allowed {
			r.kept.Accept(tenant.UID, protectionOf(p.children))
		}
		return w
	}
	repairs := outcome.Repairs(w.changes, r.stood(tenant))
	if len(repairs) > 0 {
		r.deps.Record(ctx, w.found, r.deps.Now())
	}
	if allowed {
		if w.err = r.finalize(ctx, tenant); w.err != nil {
			return w
		}
	}
	if w.err = outcome.Write(ctx, r.deps.Client, w.changes); w.err != nil {
		return w
	}
	for _, repair := range repairs {
		r.told(tenant, repair)
	}
	return w
}

func (r *Reconciler) told(tenant *virtfoundryv1alpha1.Tenant, repair outcome.Change) {
	_, namespace := repair.Child.Desired.(*corev1.Namespace)
	if namespace && repair.Result.Outcome == apply.Updated && !apply.Ours(repair.Child.Desired, repair.Child.Live) {
		r.tell(tenant, EventNamespaceAdopted, actionReconcile, outcome.Name(repair.Child.Desired)+" carried the Tenant's name and labels, nobody controlled it, and it was adopted")
		return
	}
	r.warn(tenant, EventRepaired, actionReconcile, repair.Describe())
}

// stood tells whether all children were there once, so that one that is not
// there now was taken away.
func (r *Reconciler) stood(tenant *virtfoundryv1alpha1.Tenant) bool {
	_, accepted := r.kept.Last(tenant.UID)
	return accepted || meta.IsStatusConditionTrue(tenant.Status.Conditions, virtfoundryv1alpha1.ConditionReady)
}
