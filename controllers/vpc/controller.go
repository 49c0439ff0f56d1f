// Package vpc keeps VPCs: containers of Networks, which stay until they are empty.
package vpc

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/lifecycle"
	"cato.dev/cato/controllers/outcome"
	"cato.dev/cato/policy/facts"
)

// +kubebuilder:rbac:groups=virtfoundry.io,resources=vpcs,verbs=get;list;watch;update;patch
// +kubebuilder:rbac:groups=virtfoundry.io,resources=vpcs/status,verbs=get;update;patch
// +kubebuilder:rbac:groups=virtfoundry.io,resources=vpcs/finalizers,verbs=update
// +kubebuilder:rbac:groups=virtfoundry.io,resources=networks;tenants,verbs=get;list;watch
// +kubebuilder:rbac:groups="",resources=namespaces,verbs=get;list;watch
// +kubebuilder:rbac:groups=cato.dev,resources=complianceprofiles,verbs=get;list;watch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// Reconciler reconciles VPCs.
type Reconciler struct{ lifecycle.Deps }

// New returns a Reconciler.
func New(deps lifecycle.Deps) *Reconciler { return &Reconciler{deps} }

func subjectOf(v *virtfoundryv1alpha1.VPC) lifecycle.Subject {
	return lifecycle.Subject{Object: v, Phase: &v.Status.Phase, Observation: &v.Status.Observation}
}

// Reconcile judges one VPC, which has no child: its Networks lie beside it.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	vpc := &virtfoundryv1alpha1.VPC{}
	if err := r.Client.Get(ctx, request.NamespacedName, vpc); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	found, err := r.Gatherer.VPC(ctx, vpc, facts.Live)
	if err != nil {
		return reconcile.Result{}, err
	}
	s := subjectOf(vpc)
	if vpc.DeletionTimestamp != nil {
		return r.remove(ctx, vpc.DeepCopy(), s, found)
	}
	w := lifecycle.Written{Found: r.Judge.Verdicts(ctx, found)}
	decision := outcome.OfRules(r.Judge.AsPlanned(ctx, found, facts.Plan))
	if decision.Status == metav1.ConditionTrue {
		w.Err = r.Finalize(ctx, vpc)
	}
	before := vpc.DeepCopy()
	if decision.Status == metav1.ConditionTrue {
		vpc.Status.Namespace = vpc.Namespace
	}
	end := lifecycle.Conclude(s, decision, w, "the VPC may have Networks")
	return r.Report(ctx, before, s, decision, w, end)
}

func (r *Reconciler) remove(ctx context.Context, before *virtfoundryv1alpha1.VPC, s lifecycle.Subject, found *facts.Gathered) (reconcile.Result, error) {
	if !lifecycle.Held(s.Object) {
		return reconcile.Result{}, nil
	}
	if unused := r.Unused(ctx, found); unused.Status != metav1.ConditionTrue {
		return reconcile.Result{RequeueAfter: outcome.AfterDelete}, r.Terminating(ctx, before, s, unused)
	}
	return lifecycle.Quietly(r.Release(ctx, s.Object))
}

// SetupWithManager has the manager run the reconciler, with so many VPCs at a time.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager, concurrent int) error {
	list := func() *virtfoundryv1alpha1.VPCList { return &virtfoundryv1alpha1.VPCList{} }
	changed := builder.WithPredicates(predicate.GenerationChangedPredicate{})
	return ctrl.NewControllerManagedBy(mgr).
		For(&virtfoundryv1alpha1.VPC{}).
		Watches(&virtfoundryv1alpha1.Network{}, lifecycle.Beside(r.Client, list), changed).
		Watches(&corev1.Namespace{}, lifecycle.Within(r.Client, list)).
		Watches(&virtfoundryv1alpha1.Tenant{}, lifecycle.Within(r.Client, list), changed).
		Watches(&catov1alpha1.ComplianceProfile{}, lifecycle.All(r.Client, list), changed).
		WithOptions(controller.Options{MaxConcurrentReconciles: concurrent}).
		Complete(r)
}
