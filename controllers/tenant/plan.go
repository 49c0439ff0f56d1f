package tenant

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"cato.dev/cato/controllers/apply"
	"cato.dev/cato/controllers/children"
	"cato.dev/cato/controllers/outcome"
	"cato.dev/cato/policy/engine"
	"cato.dev/cato/policy/facts"
)

// plan is what is to be done for a Tenant, and by what decision.
type plan struct {
	decision outcome.Decision
	// privilege is the decision on the namespace alone: without it nothing in
	// the namespace is touched, with it what protects is kept up.
	privilege outcome.Decision
	adopts    bool // the namespace exists and nobody controls it
	children  *children.Tenant
}

// plan asks the grant on the namespace, makes the children and asks the rules
// about them.
func (r *Reconciler) plan(ctx context.Context, found *facts.Gathered) plan {
	grant := "namespace_write"
	adopts := found.Namespace != nil && metav1.GetControllerOf(found.Namespace) == nil
	if adopts {
		grant = "namespace_adopt"
	}
	p := plan{adopts: adopts, privilege: outcome.OfGrant(ctx, r.deps.Judge, grant, found)}
	if p.privilege.Status == metav1.ConditionFalse {
		p.privilege = outcome.Together(p.privilege, r.ownership(ctx, found))
	}
	judgement, planned, err := r.deps.Judge.Tenant(ctx, found, facts.Plan)
	if err != nil {
		p.decision = outcome.Together(p.privilege, outcome.Denied(err.Error()))
		return p
	}
	p.children = planned
	p.decision = outcome.Together(p.privilege, outcome.OfRules(judgement), settled(found.Namespace))
	return p
}

// ownership says what is wrong with the namespace as it is: the grant says only
// that something is, and the planned one would be right.
func (r *Reconciler) ownership(ctx context.Context, found *facts.Gathered) outcome.Decision {
	asFound := *found
	asFound.Moment = facts.Plan
	judgement := r.deps.Judge.Verdicts(ctx, &asFound)
	judgement.Verdicts = slices.DeleteFunc(judgement.Verdicts, func(v engine.Verdict) bool { return v.Rule.Topic != "namespace-ownership" })
	return outcome.OfRules(judgement)
}

// settled waits for a namespace that is going: nothing can be made in it.
func settled(namespace *corev1.Namespace) outcome.Decision {
	if namespace != nil && namespace.DeletionTimestamp != nil {
		return outcome.Unknown("namespace " + namespace.Name + " is being deleted: waiting until it is gone")
	}
	return outcome.Allowed()
}

// protection are the children that keep a tenant apart and within bounds.
type protection struct{ children.Tenant }

func protectionOf(t *children.Tenant) *protection {
	return &protection{children.Tenant{NetworkPolicies: t.NetworkPolicies, ResourceQuota: t.ResourceQuota, LimitRange: t.LimitRange}}
}

// wanted lists what is to be brought about, in the order of writing: all of it
// when that is allowed. When it is not, what protects a namespace of ours is
// kept as last accepted, or else a refusal would be the way to switch it off.
func (r *Reconciler) wanted(found *facts.Gathered, p plan) []apply.Child {
	if p.decision.Status == metav1.ConditionTrue {
		namespace := apply.Child{Desired: p.children.Namespace, Live: found.Namespace, Adopt: p.adopts}
		return append([]apply.Child{namespace}, isolation(found, p.children)...)
	}
	owned := found.Namespace != nil && found.Namespace.DeletionTimestamp == nil && !p.adopts
	if p.privilege.Status != metav1.ConditionTrue || !owned {
		return nil
	}
	if last, known := r.kept.Last(found.Tenant.UID); known {
		return isolation(found, &last.Tenant)
	}
	if p.children == nil {
		return nil
	}
	return isolation(found, &protectionOf(p.children).Tenant)
}

// isolation lists the children inside the namespace. The namespace is the
// Tenant's, so an object there that has one of these names and that nobody
// controls is taken over, as the sheet's create-or-update does: else stripping
// one of its marks would be the way to keep it loose.
func isolation(found *facts.Gathered, t *children.Tenant) []apply.Child {
	list := []apply.Child{}
	for _, policy := range t.NetworkPolicies {
		list = append(list, apply.Child{Desired: policy, Live: named(found.NetworkPolicies, policy.Name), Exact: []string{"spec"}, Adopt: true})
	}
	scopes := []string{"spec.scopes", "spec.scopeSelector"} // a scoped quota caps nothing, and its scopes cannot be changed
	list = append(list,
		apply.Child{Desired: t.ResourceQuota, Live: named(found.ResourceQuotas, t.ResourceQuota.Name), Exact: scopes, Immutable: scopes, Adopt: true},
		apply.Child{Desired: t.LimitRange, Live: named(found.LimitRanges, t.LimitRange.Name), Exact: []string{"spec"}, Adopt: true},
	)
	for _, binding := range t.RoleBindings {
		list = append(list, apply.Child{
			Desired: binding, Live: named(found.RoleBindings, binding.Name),
			Exact: []string{"subjects", "roleRef"}, Immutable: []string{"roleRef"}, Adopt: true,
		})
	}
	return list
}

// object is a pointer to an API type.
type object[T any] interface {
	*T
	metav1.Object
}

// named finds the object of a name in a list, or nil.
func named[T any, P object[T]](list []T, name string) P {
	for i := range list {
		if P(&list[i]).GetName() == name {
			return &list[i]
		}
	}
	return nil
}
