package platform

import (
	"context"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	cniv1 "cato.dev/cato/api/cni/v1"
	"cato.dev/cato/api/platform"
	"cato.dev/cato/controllers/gather"
)

// SetupWithManager has the manager run the reconciler. It is woken by the file,
// by what it made, and by Nodes that come, go or change an address, and else not.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	one := handler.EnqueueRequestsFromMapFunc(func(context.Context, client.Object) []reconcile.Request {
		return []reconcile.Request{{NamespacedName: r.Holder.key}}
	})
	named := func(is func(client.Object) bool) builder.Predicates {
		return builder.WithPredicates(predicate.NewPredicateFuncs(is))
	}
	changed := predicate.Or[client.Object](predicate.GenerationChangedPredicate{}, predicate.LabelChangedPredicate{})
	ctl := ctrl.NewControllerManagedBy(mgr).Named("platform").
		Watches(&corev1.ConfigMap{}, one, named(func(o client.Object) bool {
			return o.GetName() == platform.ConfigMapName && o.GetNamespace() == r.Holder.key.Namespace
		})).
		Watches(&corev1.Node{}, one, builder.WithPredicates(addressChanged())).
		Watches(&appsv1.DaemonSet{}, one, builder.WithPredicates(changed), named(func(o client.Object) bool { return o.GetName() == platform.BridgesName }))
	if r.Attachments {
		ctl = ctl.Watches(&cniv1.NetworkAttachmentDefinition{}, one, named(func(o client.Object) bool {
			return o.GetLabels()[labelPlatform] != "" || gather.Written(o) && o.GetNamespace() == r.Holder.key.Namespace
		}))
	}
	return ctl.Complete(r)
}

// addressChanged lets the changes of a Node's status pass that move an address:
// a kubelet writes the others all the time.
func addressChanged() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		before, okBefore := e.ObjectOld.(*corev1.Node)
		after, okAfter := e.ObjectNew.(*corev1.Node)
		return okBefore && okAfter && !slices.Equal(before.Status.Addresses, after.Status.Addresses)
	}}
}
