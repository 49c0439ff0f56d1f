package address

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/lifecycle"
	"cato.dev/cato/policy/facts"
)

// SetupWithManager has the manager run the reconciler, with so many IPAddresses at a time.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager, concurrent int) error {
	list := func() *virtfoundryv1alpha1.IPAddressList { return &virtfoundryv1alpha1.IPAddressList{} }
	changed := builder.WithPredicates(predicate.GenerationChangedPredicate{})
	return ctrl.NewControllerManagedBy(mgr).
		For(&virtfoundryv1alpha1.IPAddress{}).
		Watches(&virtfoundryv1alpha1.IPAddress{}, handler.EnqueueRequestsFromMapFunc(claimOf)).
		Watches(&virtfoundryv1alpha1.IPAddress{}, lifecycle.Beside(r.Client, list), builder.WithPredicates(released())).
		Watches(&virtfoundryv1alpha1.Network{}, lifecycle.Beside(r.Client, list), changed).
		Watches(&virtfoundryv1alpha1.Instance{}, lifecycle.Beside(r.Client, list), builder.WithPredicates(addressed())).
		Watches(&corev1.Namespace{}, lifecycle.Within(r.Client, list)).
		Watches(&virtfoundryv1alpha1.Tenant{}, lifecycle.Within(r.Client, list), changed).
		Watches(&catov1alpha1.ComplianceProfile{}, lifecycle.All(r.Client, list), changed).
		Watches(&corev1.ConfigMap{}, lifecycle.All(r.Client, list)). // the platform's configuration
		WithOptions(controller.Options{MaxConcurrentReconciles: concurrent}).
		Complete(r)
}

// claimOf wakes the claim that a lock holds its address for.
func claimOf(_ context.Context, object client.Object) []reconcile.Request {
	owner := metav1.GetControllerOf(object)
	if owner == nil || owner.Kind != facts.KindIPAddress {
		return nil
	}
	return []reconcile.Request{{NamespacedName: client.ObjectKey{Namespace: object.GetNamespace(), Name: owner.Name}}}
}

// released lets only pass that an address is free again: others may wait for it.
func released() predicate.Predicate {
	return predicate.Funcs{
		CreateFunc:  func(event.CreateEvent) bool { return false },
		UpdateFunc:  func(event.UpdateEvent) bool { return false },
		GenericFunc: func(event.GenericEvent) bool { return false },
	}
}

// addressed lets pass of an Instance's many updates those that change its NICs
// or their addresses.
func addressed() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		before, was := e.ObjectOld.(*virtfoundryv1alpha1.Instance)
		after, is := e.ObjectNew.(*virtfoundryv1alpha1.Instance)
		return !was || !is || before.Generation != after.Generation || !equality.Semantic.DeepEqual(before.Status.Interfaces, after.Status.Interfaces)
	}}
}
