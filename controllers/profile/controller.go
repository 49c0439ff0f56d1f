// Package profile tells in the status of each ComplianceProfile whether its
// parameters can be read and whether an older profile holds in its place.
package profile

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	"cato.dev/cato/controllers/gather"
	"cato.dev/cato/controllers/outcome"
)

// +kubebuilder:rbac:groups=cato.dev,resources=complianceprofiles,verbs=get;list;watch
// +kubebuilder:rbac:groups=cato.dev,resources=complianceprofiles/status,verbs=get;patch
// +kubebuilder:rbac:groups="",resources=namespaces,verbs=get;list;watch

// Reconciler writes the status of all profiles.
type Reconciler struct {
	client client.Client
	known  func(rule string) bool
}

// New returns a Reconciler; known tells whether the bundle has a rule.
func New(c client.Client, known func(rule string) bool) *Reconciler {
	return &Reconciler{client: c, known: known}
}

// SetupWithManager has the manager run the reconciler. Each event is one of
// all profiles together: a profile that goes makes room for another.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	together := handler.EnqueueRequestsFromMapFunc(func(context.Context, client.Object) []reconcile.Request {
		return []reconcile.Request{{NamespacedName: types.NamespacedName{Name: "all"}}}
	})
	return ctrl.NewControllerManagedBy(mgr).Named("complianceprofile").
		Watches(&catov1alpha1.ComplianceProfile{}, together).
		Watches(&corev1.Namespace{}, together, builder.WithPredicates(predicate.LabelChangedPredicate{})).
		Complete(r)
}

// Reconcile compares every profile with the others and writes what changed.
func (r *Reconciler) Reconcile(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
	var profiles catov1alpha1.ComplianceProfileList
	if err := r.client.List(ctx, &profiles); err != nil {
		return reconcile.Result{}, err
	}
	var namespaces corev1.NamespaceList
	if err := r.client.List(ctx, &namespaces, client.UnsafeDisableDeepCopy); err != nil {
		return reconcile.Result{}, err
	}
	for i := range profiles.Items {
		profile := &profiles.Items[i]
		if profile.DeletionTimestamp != nil {
			continue
		}
		before := profile.DeepCopy()
		r.describe(profile, gather.Losses(profile, profiles.Items, namespaces.Items))
		if reflect.DeepEqual(before.Status, profile.Status) {
			continue
		}
		patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
		if err := r.client.Status().Patch(ctx, profile, patch, client.FieldOwner(catov1alpha1.FieldManager)); err != nil {
			return reconcile.Result{}, client.IgnoreNotFound(fmt.Errorf("status of ComplianceProfile %s: %w", profile.Name, err))
		}
	}
	return reconcile.Result{}, nil
}

func (r *Reconciler) describe(profile *catov1alpha1.ComplianceProfile, losses []gather.Loss) {
	profile.Status.ObservedGeneration = profile.Generation
	set := func(kind string, status metav1.ConditionStatus, reason, message string) {
		meta.SetStatusCondition(&profile.Status.Conditions, metav1.Condition{
			Type: kind, Status: status, Reason: reason, Message: outcome.Clip(message), ObservedGeneration: profile.Generation,
		})
	}
	if problems := gather.ProfileProblems(profile, r.known); len(problems) > 0 {
		set(catov1alpha1.ConditionAccepted, metav1.ConditionFalse, catov1alpha1.ReasonInvalidParameter, strings.Join(problems, "; "))
	} else {
		set(catov1alpha1.ConditionAccepted, metav1.ConditionTrue, catov1alpha1.ReasonInForce, "the parameters hold wherever no older profile does")
	}
	if len(losses) == 0 {
		set(catov1alpha1.ConditionConflict, metav1.ConditionFalse, catov1alpha1.ReasonNoOverlap, "no older profile holds where this one would")
		return
	}
	set(catov1alpha1.ConditionConflict, metav1.ConditionTrue, catov1alpha1.ReasonOverlap, conflict(profile.Name, losses))
}

// conflict names the first loss whole; a fleet has many namespaces.
func conflict(name string, losses []gather.Loss) string {
	more := ""
	if len(losses) > 1 {
		more = fmt.Sprintf(", and %d more times this or another profile", len(losses)-1)
	}
	return fmt.Sprintf("ComplianceProfile %s is older and holds for %s%s: narrow spec.scope of %s or of that one", losses[0].Winner, losses[0], more, name)
}
