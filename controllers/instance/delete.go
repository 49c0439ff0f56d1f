package instance

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/outcome"
)

// remove takes the guest away first and waits until it is gone; then the
// finalizer goes, and the garbage collector takes the Secret. The API server is
// asked, not the cache: it may not have seen yet what was made a moment ago.
func (r *Reconciler) remove(ctx context.Context, instance *virtfoundryv1alpha1.Instance) (reconcile.Result, error) {
	if !controllerutil.ContainsFinalizer(instance, virtfoundryv1alpha1.Finalizer) {
		r.kept.Forget(instance.UID)
		return reconcile.Result{}, nil
	}
	left, err := r.removeGuest(ctx, instance)
	switch {
	case err != nil:
		failure := outcome.OfWrite(err, remedyFor(instance.Namespace))
		if failure.Quiet {
			return failure.Result, nil
		}
		if failure.Result.RequeueAfter > 0 { // a right may go with its namespace, and with it soon the guest
			failure.Result.RequeueAfter = outcome.AfterDelete
		}
		return failure.Result, errors.Join(failure.Err, r.terminating(ctx, instance, failure.Decision.Message))
	case left != "":
		return reconcile.Result{RequeueAfter: outcome.AfterDelete}, r.terminating(ctx, instance, left)
	}
	return r.release(ctx, instance)
}

// removeGuest deletes the VirtualMachine if it is the Instance's own, by uid,
// and says what is still there.
func (r *Reconciler) removeGuest(ctx context.Context, instance *virtfoundryv1alpha1.Instance) (left string, err error) {
	key := client.ObjectKeyFromObject(instance)
	var vm kubevirtv1.VirtualMachine
	switch err := r.deps.Uncached.Get(ctx, key, &vm); {
	case apierrors.IsNotFound(err):
	case err != nil:
		return "", err
	case metav1.IsControlledBy(&vm, instance):
		if vm.DeletionTimestamp == nil {
			uid := vm.UID
			if err := r.deps.Client.Delete(ctx, &vm, client.Preconditions{UID: &uid}); err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
				return "", err
			}
		}
		return "VirtualMachine " + key.String() + " is being deleted", nil
	default:
		return "", nil // another's, with what runs under that name
	}
	var vmi kubevirtv1.VirtualMachineInstance
	switch err := r.deps.Uncached.Get(ctx, key, &vmi); {
	case apierrors.IsNotFound(err):
		return "", nil
	case err != nil:
		return "", err
	case vmi.Labels[virtfoundryv1alpha1.LabelVM] != instance.Name:
		return "", nil
	}
	return "the guest of VirtualMachineInstance " + key.String() + " is being stopped", nil
}

func (r *Reconciler) release(ctx context.Context, instance *virtfoundryv1alpha1.Instance) (reconcile.Result, error) {
	r.kept.Forget(instance.UID)
	before := instance.DeepCopy()
	if !controllerutil.RemoveFinalizer(instance, virtfoundryv1alpha1.Finalizer) {
		return reconcile.Result{}, nil
	}
	err := r.deps.Client.Patch(ctx, instance, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
	switch {
	case apierrors.IsConflict(err):
		return reconcile.Result{RequeueAfter: outcome.AfterConflict}, nil
	case err != nil && !apierrors.IsNotFound(err):
		return reconcile.Result{}, fmt.Errorf("drop the finalizer: %w", err)
	}
	return reconcile.Result{}, nil
}

func (r *Reconciler) terminating(ctx context.Context, instance *virtfoundryv1alpha1.Instance, message string) error {
	before := instance.DeepCopy()
	instance.Status.Phase = virtfoundryv1alpha1.InstanceTerminating
	instance.Status.ObservedGeneration = instance.Generation
	outcome.Set(&instance.Status.Conditions, instance.Generation, virtfoundryv1alpha1.ConditionReady,
		outcome.Decision{Status: metav1.ConditionFalse, Reason: virtfoundryv1alpha1.ReasonTerminating, Message: message})
	return r.patch(ctx, before, instance)
}
