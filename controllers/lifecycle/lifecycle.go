// Package lifecycle is what the reconcilers of kinds with a plain status share:
// the finalizer, the writing of children with what was found recorded before a
// repair, and one status that is computed once and written once.
package lifecycle

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/apply"
	"cato.dev/cato/controllers/decide"
	"cato.dev/cato/controllers/gather"
	"cato.dev/cato/controllers/outcome"
)

// Deps is what a reconciler works with.
type Deps struct {
	Client   client.Client    // reads from the cache, writes
	Uncached client.Reader    // asks the API server itself
	Gatherer *gather.Gatherer // over the same cache, with index gather.SlugIndex
	Judge    *decide.Judge
	// Record is handed what the rules said of an object whose children were found
	// other than they were made, before they are put right. It must not block.
	Record func(ctx context.Context, found decide.Judgement, at time.Time)
	Events events.EventRecorder
	Now    func() time.Time
}

// Subject is one object with the parts of its status that all kinds have.
type Subject struct {
	Object      client.Object
	Phase       *virtfoundryv1alpha1.Phase
	Observation *virtfoundryv1alpha1.Observation
}

// Stood tells whether the object was Ready once, so that a child that is not
// there now was taken away.
func (s Subject) Stood() bool {
	return meta.IsStatusConditionTrue(s.Observation.Conditions, virtfoundryv1alpha1.ConditionReady)
}

// Set puts a condition into the status.
func (s Subject) Set(kind string, d outcome.Decision) {
	outcome.Set(&s.Observation.Conditions, s.Object.GetGeneration(), kind, d)
}

// The reasons of events of every kind.
const (
	// EventPolicyDenied: a rule or grant refused; the note names it and what to do.
	EventPolicyDenied = "PolicyDenied"
	// EventOwnedByOther: an object of a name that is needed is not the object's own and is left alone.
	EventOwnedByOther = "OwnedByOther"
	// EventForbidden: the API server refused a write for lack of a right that the note names.
	EventForbidden = "Forbidden"
	// EventRepaired: an object that Cato made was found changed or gone and was put right.
	EventRepaired = "Repaired"
	// EventInUse: the object was deleted and stays until nothing uses it.
	EventInUse = "InUse"
)

// The actions of events.
const (
	ActionReconcile = "Reconcile"
	ActionDelete    = "Delete"
)

// Warn emits a warning.
func (d Deps) Warn(object client.Object, reason, action, note string) {
	d.Events.Eventf(object, nil, corev1.EventTypeWarning, reason, action, "%s", outcome.Clip(note))
}

// Finalize adds the finalizer before anything is made that it has to hold.
func (d Deps) Finalize(ctx context.Context, object client.Object) error {
	before, ok := object.DeepCopyObject().(client.Object)
	if !ok || !controllerutil.AddFinalizer(object, virtfoundryv1alpha1.Finalizer) {
		return nil
	}
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	if err := d.Client.Patch(ctx, object, patch); err != nil {
		return fmt.Errorf("add the finalizer: %w", err)
	}
	return nil
}

// Release drops the finalizer, which ends the object.
func (d Deps) Release(ctx context.Context, object client.Object) error {
	before, ok := object.DeepCopyObject().(client.Object)
	if !ok || !controllerutil.RemoveFinalizer(object, virtfoundryv1alpha1.Finalizer) {
		return nil
	}
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	if err := d.Client.Patch(ctx, object, patch); err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("drop the finalizer: %w", err)
	}
	return nil
}

// Held tells whether our finalizer holds an object that is being deleted.
func Held(object client.Object) bool {
	return controllerutil.ContainsFinalizer(object, virtfoundryv1alpha1.Finalizer)
}

// Quietly comes back after a conflict instead of failing.
func Quietly(err error) (reconcile.Result, error) {
	if apierrors.IsConflict(err) {
		return reconcile.Result{RequeueAfter: outcome.AfterConflict}, nil
	}
	return reconcile.Result{}, err
}

// Written is what one reconcile found and did.
type Written struct {
	Found   decide.Judgement // what the rules say of what was found, before any repair
	Changes []outcome.Change
	Err     error
}

// Write brings the children about. What was found is handed over before a
// repair, so that a drift is seen however short it was.
func (d Deps) Write(ctx context.Context, s Subject, found decide.Judgement, wanted []apply.Child, stood, finalize bool) Written {
	w := Written{Found: found}
	w.Changes, w.Err = outcome.Needed(wanted)
	if w.Err != nil {
		return w
	}
	repairs := outcome.Repairs(w.Changes, stood)
	if len(repairs) > 0 {
		d.Record(ctx, found, d.Now())
	}
	if finalize {
		if w.Err = d.Finalize(ctx, s.Object); w.Err != nil {
			return w
		}
	}
	if w.Err = outcome.Write(ctx, d.Client, w.Changes); w.Err != nil {
		return w
	}
	for _, repair := range repairs {
		d.Warn(s.Object, EventRepaired, ActionReconcile, repair.Describe())
	}
	return w
}

// Failed is condition Ready for a reason that is not the policy's.
func Failed(reason, message string) outcome.Decision {
	return outcome.Decision{Status: metav1.ConditionFalse, Reason: reason, Message: message}
}
