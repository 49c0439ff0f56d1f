package tenant

import (
	"context"
	"strings"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/gather"
)

// SetupWithManager has the manager run the reconciler, with so many Tenants at
// a time. The manager's cache must have the index gather.SlugIndex.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager, concurrent int) error {
	byNamespace := handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, object client.Object) []reconcile.Request {
		slug, ours := strings.CutPrefix(object.GetNamespace(), virtfoundryv1alpha1.NamespacePrefix)
		if !ours {
			return nil
		}
		return r.withSlug(ctx, slug)
	})
	byName := handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, object client.Object) []reconcile.Request {
		slug, ours := strings.CutPrefix(object.GetName(), virtfoundryv1alpha1.NamespacePrefix)
		if !ours {
			return nil
		}
		return r.withSlug(ctx, slug)
	})
	rivals := handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, object client.Object) []reconcile.Request {
		return r.withSlug(ctx, gather.SlugOf(object)[0])
	})
	all := handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, _ client.Object) []reconcile.Request {
		return r.requests(ctx)
	})
	return ctrl.NewControllerManagedBy(mgr).
		For(&virtfoundryv1alpha1.Tenant{}).
		Watches(&virtfoundryv1alpha1.Tenant{}, rivals, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Watches(&corev1.Namespace{}, byName).
		Watches(&networkingv1.NetworkPolicy{}, byNamespace).
		Watches(&corev1.ResourceQuota{}, byNamespace, builder.WithPredicates(notUsage())).
		Watches(&corev1.LimitRange{}, byNamespace).
		Watches(&rbacv1.RoleBinding{}, byNamespace).
		Watches(&catov1alpha1.ComplianceProfile{}, all, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		WithOptions(controller.Options{MaxConcurrentReconciles: concurrent}).
		Complete(r)
}

// withSlug are the Tenants that have a slug, whoever of them owns it.
func (r *Reconciler) withSlug(ctx context.Context, slug string) []reconcile.Request {
	return r.requests(ctx, client.MatchingFields{gather.SlugIndex: slug})
}

func (r *Reconciler) requests(ctx context.Context, options ...client.ListOption) []reconcile.Request {
	var tenants virtfoundryv1alpha1.TenantList
	if err := r.deps.Client.List(ctx, &tenants, options...); err != nil {
		// The cache answers; it fails only while the manager ends.
		log.FromContext(ctx).Error(err, "list Tenants for an event")
		return nil
	}
	requests := make([]reconcile.Request, 0, len(tenants.Items))
	for i := range tenants.Items {
		requests = append(requests, reconcile.Request{NamespacedName: types.NamespacedName{Name: tenants.Items[i].Name}})
	}
	return requests
}

// notUsage leaves out the updates that only count what a quota's namespace
// uses, which come with every pod.
func notUsage() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		before, ok := e.ObjectOld.(*corev1.ResourceQuota)
		after, also := e.ObjectNew.(*corev1.ResourceQuota)
		if !ok || !also {
			return true
		}
		return !equality.Semantic.DeepEqual(before.Spec, after.Spec) ||
			!equality.Semantic.DeepEqual(before.Labels, after.Labels) ||
			!equality.Semantic.DeepEqual(before.OwnerReferences, after.OwnerReferences) ||
			before.UID != after.UID
	}}
}
