package tenant

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/children"
	"cato.dev/cato/controllers/outcome"
	"cato.dev/cato/policy/facts"
)

// remove deletes the namespace if the grant for that is given, and lets the
// Tenant go when the namespace is gone or is not its own. A grant that could
// not be determined is asked again: the Tenant stays.
func (r *Reconciler) remove(ctx context.Context, tenant *virtfoundryv1alpha1.Tenant, found *facts.Gathered) (reconcile.Result, error) {
	if !controllerutil.ContainsFinalizer(tenant, virtfoundryv1alpha1.Finalizer) {
		r.kept.Forget(tenant.UID)
		return reconcile.Result{}, nil
	}
	switch decision := outcome.OfGrant(ctx, r.deps.Judge, "namespace_delete", found); {
	case decision.Status == metav1.ConditionUnknown:
		return reconcile.Result{}, errors.Join(
			fmt.Errorf("whether the namespace may be deleted is not known: %s", decision.Message),
			r.terminating(ctx, tenant, decision))
	case found.Namespace == nil: // whatever the grant says of it
		return r.absent(ctx, tenant)
	case decision.Status == metav1.ConditionTrue:
		return r.deleteNamespace(ctx, tenant, found.Namespace)
	default:
		note := fmt.Sprintf("Namespace %s is left alone: %s", found.Namespace.Name, decision.Message)
		r.warn(tenant, EventNamespaceLeft, actionDelete, note)
		return quietly(r.release(ctx, tenant))
	}
}

// deleteNamespace deletes the very namespace that was judged, by its uid.
func (r *Reconciler) deleteNamespace(ctx context.Context, tenant *virtfoundryv1alpha1.Tenant, namespace *corev1.Namespace) (reconcile.Result, error) {
	message := "namespace " + namespace.Name + " is being deleted"
	if namespace.DeletionTimestamp == nil {
		uid := namespace.UID
		err := r.deps.Client.Delete(ctx, namespace, client.Preconditions{UID: &uid})
		switch {
		case err == nil:
			r.tell(tenant, EventNamespaceDeleted, actionDelete, message)
		case !apierrors.IsNotFound(err) && !apierrors.IsConflict(err):
			return reconcile.Result{}, fmt.Errorf("delete namespace %s: %w", namespace.Name, err)
		}
	}
	going := outcome.Decision{Status: metav1.ConditionFalse, Reason: virtfoundryv1alpha1.ReasonTerminating, Message: message}
	return reconcile.Result{RequeueAfter: outcome.AfterDelete}, r.terminating(ctx, tenant, going)
}

// absent lets the Tenant go when the namespace does not exist. The cache may
// not have seen yet what was made a moment ago, so the API server is asked.
func (r *Reconciler) absent(ctx context.Context, tenant *virtfoundryv1alpha1.Tenant) (reconcile.Result, error) {
	var namespace corev1.Namespace
	err := r.deps.Uncached.Get(ctx, types.NamespacedName{Name: children.NamespaceOf(tenant)}, &namespace)
	switch {
	case err == nil:
		return reconcile.Result{RequeueAfter: outcome.AfterConflict}, nil
	case !apierrors.IsNotFound(err):
		return reconcile.Result{}, err
	}
	return quietly(r.release(ctx, tenant))
}

// quietly comes back after a conflict instead of failing.
func quietly(err error) (reconcile.Result, error) {
	if apierrors.IsConflict(err) {
		return reconcile.Result{RequeueAfter: outcome.AfterConflict}, nil
	}
	return reconcile.Result{}, err
}

func (r *Reconciler) terminating(ctx context.Context, tenant *virtfoundryv1alpha1.Tenant, d outcome.Decision) error {
	before := tenant.DeepCopy()
	tenant.Status.Phase = virtfoundryv1alpha1.TenantTerminating
	tenant.Status.ObservedGeneration = tenant.Generation
	outcome.Set(&tenant.Status.Conditions, tenant.Generation, virtfoundryv1alpha1.ConditionReady,
		outcome.Decision{Status: metav1.ConditionFalse, Reason: virtfoundryv1alpha1.ReasonTerminating, Message: d.Message})
	return r.patch(ctx, before, tenant)
}
