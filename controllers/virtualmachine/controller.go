// Package virtualmachine brings a UDSVirtualMachine's children about: policy,
// user data and disk first, the guest last and halted until its disk is
// verified. What may be written and what may start, the policy engine says.
package virtualmachine

import (
	"context"
	"fmt"
	"time"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	"cato.dev/cato/compliance/metrics"
	"cato.dev/cato/controllers/decide"
	"cato.dev/cato/controllers/gather"
	"cato.dev/cato/controllers/outcome"
	"cato.dev/cato/policy/facts"
)

// The rights of the reconciler across the cluster. What it writes for machines,
// and the Secrets that it reads, it may by ClusterRoles that are bound in the
// namespaces that an administrator enabled (decision 5): virtualmachines and
// virtualmachineinstances by virtfoundry-operator-kubevirt-mutate; datavolumes,
// networkpolicies and secrets by virtfoundry-operator-vm-namespace.
//
// +kubebuilder:rbac:groups=uds.dev,resources=udsvirtualmachines,verbs=get;list;watch;update;patch
// +kubebuilder:rbac:groups=uds.dev,resources=udsvirtualmachines/status,verbs=get;update;patch
// +kubebuilder:rbac:groups=uds.dev,resources=udsvirtualmachines/finalizers,verbs=update
// +kubebuilder:rbac:groups=kubevirt.io,resources=virtualmachines;virtualmachineinstances,verbs=get;list;watch
// +kubebuilder:rbac:groups=cdi.kubevirt.io,resources=datavolumes;datasources;cdiconfigs,verbs=get;list;watch
// +kubebuilder:rbac:groups=instancetype.kubevirt.io,resources=virtualmachineinstancetypes;virtualmachineclusterinstancetypes,verbs=get;list;watch
// +kubebuilder:rbac:groups=networking.k8s.io,resources=networkpolicies,verbs=get;list;watch
// +kubebuilder:rbac:groups=rbac.authorization.k8s.io,resources=rolebindings,verbs=get;list;watch
// +kubebuilder:rbac:groups="",resources=namespaces;persistentvolumeclaims;pods,verbs=get;list;watch
// +kubebuilder:rbac:groups=apps,resources=controllerrevisions,verbs=get;list;watch
// +kubebuilder:rbac:groups=cato.dev,resources=complianceprofiles,verbs=get;list;watch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// Deps is what the reconciler works with.
type Deps struct {
	Client   client.Client    // reads from the cache, writes
	Uncached client.Reader    // asks the API server itself: Secrets, and what must be gone
	Gatherer *gather.Gatherer // over the same cache
	Judge    *decide.Judge
	// Record is handed what the rules said of a machine whose children were
	// found other than they were made, before they are put right. It must not block.
	Record func(ctx context.Context, found decide.Judgement, at time.Time)
	Events events.EventRecorder
	// Reconciled is told how each reconciliation ended.
	Reconciled func(metrics.Outcome)
	Now        func() time.Time
}

// Reconciler reconciles UDSVirtualMachines.
type Reconciler struct {
	deps Deps
	kept *outcome.Kept[*networkingv1.NetworkPolicy] // the policy that was accepted and stood
}

// New returns a Reconciler.
func New(deps Deps) *Reconciler {
	return &Reconciler{deps: deps, kept: outcome.NewKept[*networkingv1.NetworkPolicy]()}
}

// observed is what was found of one machine.
type observed struct {
	*facts.Gathered
	judged   decide.Judgement // what the rules say of it, live
	userData gather.UserData
}

// Reconcile brings one UDSVirtualMachine about.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	machine := &udsv1alpha1.UDSVirtualMachine{}
	if err := r.deps.Client.Get(ctx, request.NamespacedName, machine); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if machine.DeletionTimestamp != nil {
		return r.remove(ctx, machine)
	}
	found, err := r.gather(ctx, machine)
	if err != nil {
		return reconcile.Result{}, err
	}
	plan := r.plan(ctx, found)
	written := r.apply(ctx, machine, found, plan)
	r.deps.Reconciled(ended(plan, written))
	return r.report(ctx, machine, found, plan, written)
}

// ended is how a reconciliation ended, in the words of uds_vm_reconcile_total.
func ended(p plan, w written) metrics.Outcome {
	switch {
	case w.err != nil:
		return metrics.Failed
	case p.decision.Status == metav1.ConditionFalse:
		return metrics.Denied
	case p.decision.Status == metav1.ConditionUnknown:
		return metrics.Waiting
	default:
		return metrics.Success
	}
}

// gather collects the machine as it is, and judges it.
func (r *Reconciler) gather(ctx context.Context, machine *udsv1alpha1.UDSVirtualMachine) (*observed, error) {
	subject := machine.DeepCopy()
	subject.Spec.SetDefaults()
	gathered, err := r.deps.Gatherer.UDSVirtualMachine(ctx, subject, facts.Live)
	if err != nil {
		return nil, err
	}
	userData, err := r.deps.Judge.UserData(ctx, r.deps.Uncached, gathered)
	if err != nil {
		return nil, err
	}
	found := &observed{Gathered: gathered, userData: userData}
	found.judged = r.deps.Judge.Verdicts(ctx, gathered)
	return found, nil
}

// finalize adds the finalizer before anything is made that it has to hold: the
// guest has to be gone before the policy that isolates it.
func (r *Reconciler) finalize(ctx context.Context, machine *udsv1alpha1.UDSVirtualMachine) error {
	before := machine.DeepCopy()
	if !controllerutil.AddFinalizer(machine, udsv1alpha1.Finalizer) {
		return nil
	}
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	if err := r.deps.Client.Patch(ctx, machine, patch); err != nil {
		return fmt.Errorf("add the finalizer: %w", err)
	}
	return nil
}
