// Package account judges SSHKeys, Users, Roles and APIKeys. Nothing is made from
// them: Users, Roles and APIKeys are of a REST API that Cato does not ship, and
// no RBAC follows from them.
package account

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/lifecycle"
	"cato.dev/cato/controllers/outcome"
	"cato.dev/cato/policy/facts"
)

// afterFinding is when a finding is looked at again: a Secret may have come,
// and Secrets wake nobody here.
const afterFinding = time.Minute

// Reconciler judges the objects of one kind.
type Reconciler[T client.Object] struct {
	lifecycle.Deps
	empty  func() T
	gather func(context.Context, T, facts.Moment) (*facts.Gathered, error)
	status func(T) (*virtfoundryv1alpha1.Phase, *virtfoundryv1alpha1.Observation)
	fill   func(T)                          // what else the status says; nil for nothing
	next   func(T, time.Time) time.Duration // when time alone changes the verdict; nil for never
}

// Reconcile judges one object and says in its status what the rules say.
func (r *Reconciler[T]) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	object := r.empty()
	if err := r.Client.Get(ctx, request.NamespacedName, object); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if object.GetDeletionTimestamp() != nil {
		return reconcile.Result{}, nil
	}
	found, err := r.gather(ctx, object, facts.Live)
	if err != nil {
		return reconcile.Result{}, err
	}
	before, copied := object.DeepCopyObject().(client.Object)
	if !copied {
		return reconcile.Result{}, nil // every client.Object is copied as one
	}
	s := lifecycle.Subject{Object: object}
	s.Phase, s.Observation = r.status(object)
	w := lifecycle.Written{Found: r.Judge.Verdicts(ctx, found)}
	decision := outcome.OfRules(r.Judge.AsPlanned(ctx, found, facts.Plan))
	if r.fill != nil {
		r.fill(object)
	}
	end := lifecycle.Conclude(s, decision, w, "it is judged; condition Compliant says how")
	result, err := r.Report(ctx, before, s, decision, w, end)
	if !meta.IsStatusConditionPresentAndEqual(s.Observation.Conditions, virtfoundryv1alpha1.ConditionCompliant, metav1.ConditionTrue) {
		result.RequeueAfter = sooner(result.RequeueAfter, afterFinding)
	}
	if r.next != nil {
		result.RequeueAfter = sooner(result.RequeueAfter, r.next(object, r.Now()))
	}
	return result, err
}

// sooner is the earlier of two times to come back, of which zero is never.
func sooner(a, b time.Duration) time.Duration {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}
