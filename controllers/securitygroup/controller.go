// Package securitygroup brings the NetworkPolicy of each SecurityGroup about.
package securitygroup

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/apply"
	"cato.dev/cato/controllers/children"
	"cato.dev/cato/controllers/lifecycle"
	"cato.dev/cato/controllers/outcome"
	"cato.dev/cato/policy/facts"
)

// +kubebuilder:rbac:groups=virtfoundry.io,resources=securitygroups,verbs=get;list;watch;update;patch
// +kubebuilder:rbac:groups=virtfoundry.io,resources=securitygroups/status,verbs=get;update;patch
// +kubebuilder:rbac:groups=virtfoundry.io,resources=securitygroups/finalizers,verbs=update
// +kubebuilder:rbac:groups=virtfoundry.io,resources=networks;vpcs;tenants,verbs=get;list;watch
// +kubebuilder:rbac:groups=networking.k8s.io,resources=networkpolicies,verbs=get;list;watch;create;update;patch;delete
// +kubebuilder:rbac:groups="",resources=namespaces,verbs=get;list;watch
// +kubebuilder:rbac:groups=cato.dev,resources=complianceprofiles,verbs=get;list;watch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// Reconciler reconciles SecurityGroups.
type Reconciler struct {
	lifecycle.Deps
	kept *outcome.Kept[*networkingv1.NetworkPolicy]
}

// New returns a Reconciler.
func New(deps lifecycle.Deps) *Reconciler {
	return &Reconciler{deps, outcome.NewKept[*networkingv1.NetworkPolicy]()}
}

// Reconcile brings one SecurityGroup about. Its policy goes with it: the garbage
// collector takes what the group controls.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	group := &virtfoundryv1alpha1.SecurityGroup{}
	if err := r.Client.Get(ctx, request.NamespacedName, group); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if group.DeletionTimestamp != nil {
		r.kept.Forget(group.UID)
		return reconcile.Result{}, nil
	}
	found, err := r.Gatherer.SecurityGroup(ctx, group, facts.Live)
	if err != nil {
		return reconcile.Result{}, err
	}
	before := group.DeepCopy()
	s := lifecycle.Subject{Object: group, Phase: &group.Status.Phase, Observation: &group.Status.Observation}
	decision, planned := r.plan(ctx, found)
	w := lifecycle.Written{Found: r.Judge.Verdicts(ctx, found)}
	switch last, known := r.kept.Last(group.UID); {
	case decision.Status == metav1.ConditionTrue:
		w = r.Write(ctx, s, w.Found, []apply.Child{childOf(planned, found)}, s.Stood(), false)
		if w.Err == nil {
			r.kept.Accept(group.UID, planned)
			w.Err = r.prune(ctx, group, planned.Name, found)
		}
	case known:
		// A refusal must not be the way to keep a drift: what was accepted last is kept up.
		if child := childOf(last, found); child.Live != nil {
			w = r.Write(ctx, s, w.Found, []apply.Child{child}, s.Stood(), false)
		}
	}
	end := lifecycle.Conclude(s, decision, w, "the NetworkPolicy is as the rules say")
	if end.Decision.Status == metav1.ConditionTrue {
		group.Status.NetworkPolicyName = planned.Name
	}
	say(s, group)
	return r.Report(ctx, before, s, decision, w, end)
}

// plan judges the policy that would be written.
func (r *Reconciler) plan(ctx context.Context, found *facts.Gathered) (outcome.Decision, *networkingv1.NetworkPolicy) {
	judgement, planned, err := r.Judge.SecurityGroup(ctx, found, facts.Plan)
	if err != nil {
		return outcome.Denied(err.Error()), nil
	}
	return outcome.OfRules(judgement), planned
}

// childOf pairs the planned policy with the one that stands.
func childOf(planned *networkingv1.NetworkPolicy, found *facts.Gathered) apply.Child {
	child := apply.Child{Desired: planned, Exact: []string{"spec"}}
	for i := range found.NetworkPolicies {
		if found.NetworkPolicies[i].Name == planned.Name {
			child.Live = &found.NetworkPolicies[i]
		}
	}
	return child
}

// prune deletes the policies that were made for the group under another name,
// which its old id had given.
func (r *Reconciler) prune(ctx context.Context, group *virtfoundryv1alpha1.SecurityGroup, name string, found *facts.Gathered) error {
	for i := range found.NetworkPolicies {
		policy := &found.NetworkPolicies[i]
		owner := metav1.GetControllerOf(policy)
		if policy.Name == name || owner == nil || owner.UID != group.UID || policy.DeletionTimestamp != nil {
			continue
		}
		uid := policy.UID
		if err := r.Client.Delete(ctx, policy, client.Preconditions{UID: &uid}); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("NetworkPolicy %s/%s of the group's old name: %w", policy.Namespace, policy.Name, err)
		}
	}
	return nil
}

// say tells what the policy does not do.
func say(s lifecycle.Subject, group *virtfoundryv1alpha1.SecurityGroup) {
	s.Set(virtfoundryv1alpha1.ConditionCoversNICs, lifecycle.Failed(virtfoundryv1alpha1.ReasonPodNetworkOnly,
		"the rules hold on the pod network of launcher pods alone: no NetworkPolicy reaches the Networks that NICs attach to, and what the tenant's default policy opens stays open"))
	rendered := outcome.Decision{Status: metav1.ConditionTrue, Reason: virtfoundryv1alpha1.ReasonReconciled, Message: "every rule is part of the NetworkPolicy"}
	if left := children.LeftOut(group); len(left) > 0 {
		rendered = lifecycle.Failed(virtfoundryv1alpha1.ReasonNotExpressible,
			strings.Join(left, ", ")+": a NetworkPolicy cannot name icmp, so the rule lets nothing through; without ports it would let through every protocol")
	}
	s.Set(virtfoundryv1alpha1.ConditionRulesRendered, rendered)
}

// SetupWithManager has the manager run the reconciler, with so many groups at a time.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager, concurrent int) error {
	list := func() *virtfoundryv1alpha1.SecurityGroupList { return &virtfoundryv1alpha1.SecurityGroupList{} }
	changed := builder.WithPredicates(predicate.GenerationChangedPredicate{})
	return ctrl.NewControllerManagedBy(mgr).
		For(&virtfoundryv1alpha1.SecurityGroup{}).
		Watches(&networkingv1.NetworkPolicy{}, lifecycle.Beside(r.Client, list)).
		Watches(&corev1.Namespace{}, lifecycle.Within(r.Client, list)).
		Watches(&virtfoundryv1alpha1.Tenant{}, lifecycle.Within(r.Client, list), changed).
		Watches(&catov1alpha1.ComplianceProfile{}, lifecycle.All(r.Client, list), changed).
		WithOptions(controller.Options{MaxConcurrentReconciles: concurrent}).
		Complete(r)
}
