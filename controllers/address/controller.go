// Package address gives IPAddresses their addresses. The IPAddress that is named
// after an address holds it: the API server lets only one object of a name in,
// so that no address is given twice, by however many operators. A claim of
// another name has such an object made for it, its lock.
package address

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/lifecycle"
	"cato.dev/cato/controllers/outcome"
	"cato.dev/cato/policy/facts"
)

// +kubebuilder:rbac:groups=virtfoundry.io,resources=ipaddresses,verbs=get;list;watch;create;update;patch;delete
// +kubebuilder:rbac:groups=virtfoundry.io,resources=ipaddresses/status,verbs=get;update;patch
// +kubebuilder:rbac:groups=virtfoundry.io,resources=ipaddresses/finalizers,verbs=update
// +kubebuilder:rbac:groups=virtfoundry.io,resources=networks;vpcs;instances;tenants,verbs=get;list;watch
// +kubebuilder:rbac:groups="",resources=namespaces,verbs=get;list;watch
// +kubebuilder:rbac:groups=cato.dev,resources=complianceprofiles,verbs=get;list;watch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// Reconciler reconciles IPAddresses.
type Reconciler struct{ lifecycle.Deps }

// New returns a Reconciler.
func New(deps lifecycle.Deps) *Reconciler { return &Reconciler{deps} }

func subjectOf(a *virtfoundryv1alpha1.IPAddress) lifecycle.Subject {
	return lifecycle.Subject{Object: a, Phase: &a.Status.Phase, Observation: &a.Status.Observation}
}

// Reconcile brings one IPAddress about.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	claim := &virtfoundryv1alpha1.IPAddress{}
	if err := r.Client.Get(ctx, request.NamespacedName, claim); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	stray, err := r.stray(ctx, claim)
	if err != nil {
		return reconcile.Result{}, err
	}
	if stray {
		return lifecycle.Quietly(r.drop(ctx, claim))
	}
	found, err := r.Gatherer.IPAddress(ctx, claim, facts.Live)
	if err != nil {
		return reconcile.Result{}, err
	}
	s := subjectOf(claim)
	if claim.DeletionTimestamp != nil {
		return r.remove(ctx, claim.DeepCopy(), s, found)
	}
	w := lifecycle.Written{Found: r.Judge.Verdicts(ctx, found)}
	decision := outcome.OfRules(r.Judge.AsPlanned(ctx, found, facts.Plan))
	none, asked := "", claim.Spec.Address
	if decision.Status == metav1.ConditionTrue {
		decision, none, w.Err = r.hold(ctx, claim, found)
	}
	before := claim.DeepCopy()
	claim.Status.InstanceNICRef = facts.NICOf(claim, found.Fabric.Instances)
	end := lifecycle.Conclude(s, decision, w, "the address is held")
	switch {
	case none != "":
		end = outcome.Failure{Decision: lifecycle.Failed(virtfoundryv1alpha1.ReasonNoAddress, none), Result: reconcile.Result{RequeueAfter: outcome.AfterUnknown}}
	case end.Quiet:
		return end.Result, nil
	case w.Err == nil && asked != claim.Spec.Address:
		// The write has an event of its own, which finds the address as it is stored.
		return reconcile.Result{RequeueAfter: outcome.AfterWrite}, nil
	}
	return r.Report(ctx, before, s, decision, w, end)
}

// remove lets a claim go that nothing uses, its lock first.
func (r *Reconciler) remove(ctx context.Context, before *virtfoundryv1alpha1.IPAddress, s lifecycle.Subject, found *facts.Gathered) (reconcile.Result, error) {
	if !lifecycle.Held(s.Object) {
		return reconcile.Result{}, nil
	}
	if unused := r.Unused(ctx, found); unused.Status != metav1.ConditionTrue {
		return reconcile.Result{RequeueAfter: outcome.AfterDelete}, r.Terminating(ctx, before, s, unused)
	}
	locks, err := r.locks(ctx, before)
	if err != nil {
		return reconcile.Result{}, err
	}
	for i := range locks {
		if err := r.drop(ctx, &locks[i]); err != nil {
			return lifecycle.Quietly(err)
		}
	}
	return lifecycle.Quietly(r.Release(ctx, s.Object))
}

// drop deletes a lock and lets it go.
func (r *Reconciler) drop(ctx context.Context, lock *virtfoundryv1alpha1.IPAddress) error {
	if lock.DeletionTimestamp == nil {
		uid := lock.UID
		if err := r.Client.Delete(ctx, lock, client.Preconditions{UID: &uid}); err != nil {
			return client.IgnoreNotFound(err)
		}
		if err := r.Uncached.Get(ctx, client.ObjectKeyFromObject(lock), lock); err != nil {
			return client.IgnoreNotFound(err)
		}
		if lock.UID != uid {
			return nil
		}
	}
	return r.Release(ctx, lock)
}
