// Package tenant brings a Tenant's namespace and isolation objects about, and
// takes them away again, where the policy engine gives leave.
package tenant

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/decide"
	"cato.dev/cato/controllers/gather"
	"cato.dev/cato/controllers/outcome"
	"cato.dev/cato/policy/facts"
)

// The rights of the reconciler. What it writes into a tenant's namespace for
// machines, it may write by the two ClusterRoles that it binds there.
//
// +kubebuilder:rbac:groups=virtfoundry.io,resources=tenants,verbs=get;list;watch;update;patch
// +kubebuilder:rbac:groups=virtfoundry.io,resources=tenants/status,verbs=get;update;patch
// +kubebuilder:rbac:groups=virtfoundry.io,resources=tenants/finalizers,verbs=update
// +kubebuilder:rbac:groups="",resources=namespaces,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups="",resources=resourcequotas;limitranges,verbs=get;list;watch;create;update;patch;delete
// +kubebuilder:rbac:groups=networking.k8s.io,resources=networkpolicies,verbs=get;list;watch;create;update;patch;delete
// +kubebuilder:rbac:groups=rbac.authorization.k8s.io,resources=rolebindings,verbs=get;list;watch;create;update;patch;delete
// +kubebuilder:rbac:groups=rbac.authorization.k8s.io,resources=clusterroles,verbs=bind,resourceNames=virtfoundry-operator-kubevirt-mutate;virtfoundry-operator-vm-namespace
// +kubebuilder:rbac:groups=cato.dev,resources=complianceprofiles,verbs=get;list;watch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// Deps is what the reconciler works with.
type Deps struct {
	Client   client.Client    // reads from the cache, writes
	Uncached client.Reader    // asks the API server itself
	Gatherer *gather.Gatherer // over the same cache, with index gather.SlugIndex
	Judge    *decide.Judge
	// Record is handed what the rules said of a Tenant whose children were found
	// other than they were made, before they are put right. It must not block.
	Record func(ctx context.Context, found decide.Judgement, at time.Time)
	Events events.EventRecorder
	Now    func() time.Time
}

// Reconciler reconciles Tenants.
type Reconciler struct {
	deps Deps
	kept *outcome.Kept[*protection]
}

// New returns a Reconciler.
func New(deps Deps) *Reconciler {
	return &Reconciler{deps: deps, kept: outcome.NewKept[*protection]()}
}

// Reconcile brings one Tenant about.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	tenant := &virtfoundryv1alpha1.Tenant{}
	if err := r.deps.Client.Get(ctx, request.NamespacedName, tenant); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	found, err := r.deps.Gatherer.Tenant(ctx, tenant, facts.Live)
	if err != nil {
		return reconcile.Result{}, err
	}
	if tenant.DeletionTimestamp != nil {
		return r.remove(ctx, tenant, found)
	}
	plan := r.plan(ctx, found)
	written := r.apply(ctx, tenant, found, plan)
	return r.report(ctx, tenant, plan, written)
}

// finalize adds the finalizer before anything is made that it has to hold.
func (r *Reconciler) finalize(ctx context.Context, tenant *virtfoundryv1alpha1.Tenant) error {
	before := tenant.DeepCopy()
	if !controllerutil.AddFinalizer(tenant, virtfoundryv1alpha1.Finalizer) {
		return nil
	}
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	if err := r.deps.Client.Patch(ctx, tenant, patch); err != nil {
		return fmt.Errorf("add the finalizer: %w", err)
	}
	return nil
}

// release drops the finalizer, which ends the Tenant.
func (r *Reconciler) release(ctx context.Context, tenant *virtfoundryv1alpha1.Tenant) error {
	r.kept.Forget(tenant.UID)
	before := tenant.DeepCopy()
	if !controllerutil.RemoveFinalizer(tenant, virtfoundryv1alpha1.Finalizer) {
		return nil
	}
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	if err := r.deps.Client.Patch(ctx, tenant, patch); err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("drop the finalizer: %w", err)
	}
	return nil
}
