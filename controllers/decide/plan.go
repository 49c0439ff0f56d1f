package decide

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	cdiv1beta1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"

	"cato.dev/cato/controllers/children"
	"cato.dev/cato/policy/facts"
)

// PlanMachine returns what will have been gathered once the children are
// written: judging it is asking before the write. What runs now is left out,
// since a running guest is not what a plan changes.
func PlanMachine(g *facts.Gathered, planned *children.Machine, moment facts.Moment) *facts.Gathered {
	p := *g
	p.Moment = moment
	p.Gaps = withoutMachineGaps(g.Gaps)
	p.VirtualMachineInstance, p.Launchers = nil, nil
	p.VirtualMachine = children.MergeVirtualMachine(planned.VirtualMachine, g.VirtualMachine)
	p.NetworkPolicies = replaced(g.NetworkPolicies, *planned.NetworkPolicy, func(n networkingv1.NetworkPolicy) string { return n.Namespace + "/" + n.Name })
	p.Secrets = replaced(g.Secrets, facts.DecodeSecret(planned.CloudInit), func(s facts.Secret) string { return s.Namespace + "/" + s.Name })
	p.DataVolumes = withPlanned(g.DataVolumes, planned.DataVolume)
	return &p
}

// withPlanned adds the DataVolumes that do not exist yet.
func withPlanned(live []cdiv1beta1.DataVolume, planned ...*cdiv1beta1.DataVolume) []cdiv1beta1.DataVolume {
	all := slices.Clone(live)
	for _, volume := range planned {
		if !slices.ContainsFunc(live, isNamed(volume.Namespace, volume.Name)) {
			all = append(all, *volume)
		}
	}
	return all
}

// withoutMachineGaps drops the gaps that reading the live VirtualMachine left:
// the planned one is known.
func withoutMachineGaps(gaps map[string]string) map[string]string {
	left := map[string]string{}
	for path, reason := range gaps {
		switch path {
		case "network.launchers", "network.nics", "guest":
		default:
			left[path] = reason
		}
	}
	return left
}

// PlanTenant is PlanMachine for a Tenant.
func PlanTenant(g *facts.Gathered, planned *children.Tenant, moment facts.Moment) *facts.Gathered {
	p := *g
	p.Moment = moment
	p.Namespace = children.MergeNamespace(planned.Namespace, g.Namespace)
	for _, policy := range planned.NetworkPolicies {
		p.NetworkPolicies = replaced(p.NetworkPolicies, *policy, func(n networkingv1.NetworkPolicy) string { return n.Name })
	}
	p.ResourceQuotas = replaced(g.ResourceQuotas, *planned.ResourceQuota, func(q corev1.ResourceQuota) string { return q.Name })
	p.LimitRanges = replaced(g.LimitRanges, *planned.LimitRange, func(l corev1.LimitRange) string { return l.Name })
	for _, binding := range planned.RoleBindings {
		p.RoleBindings = replaced(p.RoleBindings, *binding, func(b rbacv1.RoleBinding) string { return b.Name })
	}
	return &p
}

// replaced returns the list with one put in the place of its namesake.
func replaced[T any](list []T, one T, name func(T) string) []T {
	others := slices.DeleteFunc(slices.Clone(list), func(other T) bool { return name(other) == name(one) })
	return append(others, one)
}

func isNamed(namespace, name string) func(cdiv1beta1.DataVolume) bool {
	return func(dv cdiv1beta1.DataVolume) bool { return dv.Namespace == namespace && dv.Name == name }
}
