package children

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/policy/facts"
)

// ForSecurityGroup renders the NetworkPolicy of a SecurityGroup by the VirtFoundry sheet, section 1.4, but failing
// closed: both directions are isolated, and one without rules lets nothing through (section 7.2, number 26). A rule of
// icmp is left out, since a NetworkPolicy cannot name it and a peer without ports would open every protocol.
func ForSecurityGroup(group *virtfoundryv1alpha1.SecurityGroup) (*networkingv1.NetworkPolicy, error) {
	name, label := facts.GroupNames(group)
	policy := &networkingv1.NetworkPolicy{
		TypeMeta: metav1.TypeMeta{APIVersion: "networking.k8s.io/v1", Kind: "NetworkPolicy"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: group.Namespace, Name: name,
			Labels: map[string]string{
				virtfoundryv1alpha1.LabelPartOf:    virtfoundryv1alpha1.PartOf,
				virtfoundryv1alpha1.LabelManagedBy: virtfoundryv1alpha1.ManagedBy,
			},
			OwnerReferences: owner(group, virtfoundryv1alpha1.GroupVersion.WithKind("SecurityGroup")),
		},
		Spec: networkingv1.NetworkPolicySpec{
			PodSelector: metav1.LabelSelector{MatchLabels: map[string]string{label: "true"}},
			PolicyTypes: bothDirections(),
		},
	}
	if slug, tenants := strings.CutPrefix(group.Namespace, virtfoundryv1alpha1.NamespacePrefix); tenants {
		policy.Labels[virtfoundryv1alpha1.LabelTenant] = slug
	}
	for i := range group.Spec.Rules {
		rule := &group.Spec.Rules[i]
		ports, rendered, err := rulePorts(rule)
		if err != nil {
			return nil, fmt.Errorf("SecurityGroup %s/%s spec.rules[%d]: %w", group.Namespace, group.Name, i, err)
		}
		if !rendered {
			continue
		}
		peer := []networkingv1.NetworkPolicyPeer{{IPBlock: &networkingv1.IPBlock{CIDR: rule.CIDR}}}
		switch rule.Direction {
		case virtfoundryv1alpha1.DirectionIngress:
			policy.Spec.Ingress = append(policy.Spec.Ingress, networkingv1.NetworkPolicyIngressRule{From: peer, Ports: ports})
		case virtfoundryv1alpha1.DirectionEgress:
			policy.Spec.Egress = append(policy.Spec.Egress, networkingv1.NetworkPolicyEgressRule{To: peer, Ports: ports})
		default:
			return nil, fmt.Errorf("SecurityGroup %s/%s spec.rules[%d].direction %q: use ingress or egress", group.Namespace, group.Name, i, rule.Direction)
		}
	}
	return policy, nil
}

// rulePorts are the ports of a rule; false for a rule that is left out.
func rulePorts(rule *virtfoundryv1alpha1.SecurityRule) (ports []networkingv1.NetworkPolicyPort, rendered bool, err error) {
	protocol := corev1.ProtocolTCP
	switch rule.Protocol {
	case virtfoundryv1alpha1.RuleTCP:
	case virtfoundryv1alpha1.RuleUDP:
		protocol = corev1.ProtocolUDP
	case virtfoundryv1alpha1.RuleICMP:
		return nil, false, nil
	default:
		return nil, false, fmt.Errorf("protocol %q: use tcp, udp or icmp", rule.Protocol)
	}
	from, to, inBounds := facts.RulePorts(rule)
	if !inBounds {
		return nil, false, fmt.Errorf("portFrom and portTo are no ports or no range of them: use 1 to 65535, portFrom not above portTo")
	}
	one := networkingv1.NetworkPolicyPort{Protocol: &protocol}
	if from != nil {
		one = port(protocol, int32(*from))
	}
	if to != nil {
		last := int32(*to)
		one.EndPort = &last
	}
	return []networkingv1.NetworkPolicyPort{one}, true, nil
}

// LeftOut are the rules of a SecurityGroup that no NetworkPolicy can express, by their paths.
func LeftOut(group *virtfoundryv1alpha1.SecurityGroup) []string {
	paths := []string{}
	for i := range group.Spec.Rules {
		if group.Spec.Rules[i].Protocol == virtfoundryv1alpha1.RuleICMP {
			paths = append(paths, fmt.Sprintf("spec.rules[%d]", i))
		}
	}
	return paths
}
