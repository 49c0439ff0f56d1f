// Package instance brings an Instance's guest about: the Secret with its user
// data first, the VirtualMachine last. What may be written, and with which
// privileges, the policy engine says; the Instance's status is never read.
package instance

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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

// The rights of the reconciler across the cluster. What it writes, and the
// Secrets that it reads, it may by the ClusterRoles that the Tenant's controller
// binds in the tenant's namespace: virtualmachines by
// virtfoundry-operator-kubevirt-mutate, secrets by virtfoundry-operator-vm-namespace.
//
// +kubebuilder:rbac:groups=virtfoundry.io,resources=instances,verbs=get;list;watch;update;patch
// +kubebuilder:rbac:groups=virtfoundry.io,resources=instances/status,verbs=get;update;patch
// +kubebuilder:rbac:groups=virtfoundry.io,resources=instances/finalizers,verbs=update
// +kubebuilder:rbac:groups=virtfoundry.io,resources=tenants;offerings;templates;sshkeys;networks,verbs=get;list;watch
// +kubebuilder:rbac:groups=virtfoundry.io,resources=ipaddresses,verbs=get;list;watch;create;update;patch;delete
// +kubebuilder:rbac:groups=kubevirt.io,resources=virtualmachines;virtualmachineinstances,verbs=get;list;watch
// +kubebuilder:rbac:groups=networking.k8s.io,resources=networkpolicies,verbs=get;list;watch
// +kubebuilder:rbac:groups=rbac.authorization.k8s.io,resources=rolebindings,verbs=get;list;watch
// +kubebuilder:rbac:groups="",resources=namespaces;resourcequotas;limitranges,verbs=get;list;watch
// +kubebuilder:rbac:groups=cato.dev,resources=complianceprofiles,verbs=get;list;watch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// Deps is what the reconciler works with.
type Deps struct {
	Client   client.Client    // reads from the cache, writes
	Uncached client.Reader    // asks the API server itself: Secrets, and what must be gone
	Gatherer *gather.Gatherer // over the same cache
	Judge    *decide.Judge
	// Record is handed what the rules said of an Instance whose children were
	// found other than they were made, before they are put right. It must not block.
	Record func(ctx context.Context, found decide.Judgement, at time.Time)
	Events events.EventRecorder
	Now    func() time.Time
}

// Reconciler reconciles Instances.
type Reconciler struct {
	deps Deps
	kept *outcome.Kept[string] // the digest of the children that were accepted and stood
}

// New returns a Reconciler.
func New(deps Deps) *Reconciler {
	return &Reconciler{deps: deps, kept: outcome.NewKept[string]()}
}

// observed is what was found of one Instance.
type observed struct {
	*facts.Gathered
	judged   decide.Judgement // what the rules say of it, live
	userData gather.UserData
}

// Reconcile brings one Instance about.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	instance := &virtfoundryv1alpha1.Instance{}
	if err := r.deps.Client.Get(ctx, request.NamespacedName, instance); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if instance.DeletionTimestamp != nil {
		return r.remove(ctx, instance)
	}
	found, err := r.gather(ctx, instance)
	if err != nil {
		return reconcile.Result{}, err
	}
	plan := r.plan(ctx, found)
	written := r.apply(ctx, instance, found, plan)
	return r.report(ctx, instance, found, plan, written)
}

// gather collects the Instance as it is, and judges it. Its user data is read
// only in a tenant's namespace: elsewhere nothing will be made of it.
func (r *Reconciler) gather(ctx context.Context, instance *virtfoundryv1alpha1.Instance) (*observed, error) {
	gathered, err := r.deps.Gatherer.Instance(ctx, instance.DeepCopy(), facts.Live)
	if err != nil {
		return nil, err
	}
	found := &observed{Gathered: gathered, judged: r.deps.Judge.Verdicts(ctx, gathered)}
	if gathered.Named.Tenant == nil {
		return found, nil
	}
	found.userData, err = gather.ReadSeed(ctx, r.deps.Uncached, gathered.Instance, decide.BootTemplate(gathered))
	return found, err
}

// finalize adds the finalizer before anything is made that it has to hold: the
// guest has to be gone before its Instance.
func (r *Reconciler) finalize(ctx context.Context, instance *virtfoundryv1alpha1.Instance) error {
	before := instance.DeepCopy()
	if !controllerutil.AddFinalizer(instance, virtfoundryv1alpha1.Finalizer) {
		return nil
	}
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	if err := r.deps.Client.Patch(ctx, instance, patch); err != nil {
		return fmt.Errorf("add the finalizer: %w", err)
	}
	return nil
}

// owns tells whether the VirtualMachine of the Instance's name is its own.
func owns(found *observed) bool {
	return found.VirtualMachine != nil && metav1.IsControlledBy(found.VirtualMachine, found.Instance)
}
