package bundle_test

import (
	"fmt"
	"net/netip"
	"slices"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// A small world in which NetworkPolicies are tried out, packet by packet, by the semantics of the Kubernetes
// documentation and with the API's own selectors. It shares nothing with the facts or the Rego that it tests.

// endpoint is a pod, or an address outside of the cluster when namespace is empty.
type endpoint struct {
	namespace string
	labels    map[string]string
	address   netip.Addr
	named     map[string]int32 // its named ports
}

func (e endpoint) String() string {
	return fmt.Sprintf("%s/%v (%s)", e.namespace, e.labels, e.address)
}

// namespaces are the labels of all namespaces; the name label is set by the API server, others by whoever may.
func namespaces() map[string]map[string]string {
	all := map[string]map[string]string{}
	for _, name := range []string{"kube-system", "kubevirt", "cdi", "mission-a", "virtfoundry-tenant-acme", "evil"} {
		all[name] = map[string]string{corev1.LabelMetadataName: name, "name": name}
	}
	all["evil"]["name"] = "kube-system"
	all["evil"]["virtfoundry.io/tenant"] = "acme"
	all["virtfoundry-tenant-acme"]["virtfoundry.io/tenant"] = "acme"
	return all
}

// world is every pod and address that a packet can go to or come from.
func world() []endpoint {
	var all []endpoint
	last := byte(1)
	for _, namespace := range []string{"kube-system", "kubevirt", "cdi", "mission-a", "virtfoundry-tenant-acme", "evil"} {
		for _, own := range []map[string]string{
			{}, {"app": "a"}, {"k8s-app": "kube-dns"}, {"k8s-app": "kube-dns", "app": "a"}, {"k8s-app": "other", "app": "b"},
		} {
			named := map[string]int32{"dns": 8000}
			if own["k8s-app"] == "kube-dns" {
				named["dns"] = 53
			}
			all = append(all, endpoint{namespace: namespace, labels: own, named: named, address: netip.AddrFrom4([4]byte{10, 244, 0, last})})
			last++
		}
	}
	for _, address := range []string{"8.8.8.8", "203.0.113.7", "10.0.0.1", "100.64.0.1", "169.254.169.254", "192.168.1.1", "2001:db8::1", "fd00::1", "64:ff9b::a9fe:a9fe"} {
		all = append(all, endpoint{address: netip.MustParseAddr(address)})
	}
	return all
}

// packet is what is sent to a port of its receiver.
type packet struct {
	protocol corev1.Protocol
	port     int32
}

func packets() []packet {
	var all []packet
	for _, protocol := range []corev1.Protocol{corev1.ProtocolTCP, corev1.ProtocolUDP, corev1.ProtocolSCTP} {
		for _, port := range []int32{22, 53, 54, 80, 100, 443, 8000} {
			all = append(all, packet{protocol, port})
		}
	}
	return all
}

// policed is a pod with the policies of its namespace.
type policed struct {
	endpoint
	policies []networkingv1.NetworkPolicy
}

func (p policed) isolating(direction networkingv1.PolicyType) []networkingv1.NetworkPolicySpec {
	var specs []networkingv1.NetworkPolicySpec
	for _, policy := range p.policies {
		if selectorMatches(&policy.Spec.PodSelector, p.labels) && inForce(policy.Spec, direction) {
			specs = append(specs, policy.Spec)
		}
	}
	return specs
}

func inForce(spec networkingv1.NetworkPolicySpec, direction networkingv1.PolicyType) bool {
	if len(spec.PolicyTypes) > 0 {
		return slices.Contains(spec.PolicyTypes, direction)
	}
	return direction == networkingv1.PolicyTypeIngress || len(spec.Egress) > 0
}

// sends reports whether the pod may send the packet to the endpoint.
func (p policed) sends(to endpoint, what packet) bool {
	specs := p.isolating(networkingv1.PolicyTypeEgress)
	return len(specs) == 0 || slices.ContainsFunc(specs, func(spec networkingv1.NetworkPolicySpec) bool {
		return slices.ContainsFunc(spec.Egress, func(rule networkingv1.NetworkPolicyEgressRule) bool {
			return p.peersMatch(rule.To, to) && portsMatch(rule.Ports, what, to)
		})
	})
}

// receives reports whether the pod may receive the packet from the endpoint.
func (p policed) receives(from endpoint, what packet) bool {
	specs := p.isolating(networkingv1.PolicyTypeIngress)
	return len(specs) == 0 || slices.ContainsFunc(specs, func(spec networkingv1.NetworkPolicySpec) bool {
		return slices.ContainsFunc(spec.Ingress, func(rule networkingv1.NetworkPolicyIngressRule) bool {
			return p.peersMatch(rule.From, from) && portsMatch(rule.Ports, what, p.endpoint)
		})
	})
}

func (p policed) peersMatch(peers []networkingv1.NetworkPolicyPeer, other endpoint) bool {
	return len(peers) == 0 || slices.ContainsFunc(peers, func(peer networkingv1.NetworkPolicyPeer) bool {
		if peer.IPBlock != nil {
			return blockMatches(peer.IPBlock, other.address)
		}
		if other.namespace == "" {
			return false
		}
		if peer.NamespaceSelector == nil && other.namespace != p.namespace {
			return false
		}
		if peer.NamespaceSelector != nil && !selectorMatches(peer.NamespaceSelector, namespaces()[other.namespace]) {
			return false
		}
		return peer.PodSelector == nil || selectorMatches(peer.PodSelector, other.labels)
	})
}

func blockMatches(block *networkingv1.IPBlock, address netip.Addr) bool {
	return netip.MustParsePrefix(block.CIDR).Contains(address) && !slices.ContainsFunc(block.Except, func(except string) bool {
		return netip.MustParsePrefix(except).Contains(address)
	})
}

func portsMatch(ports []networkingv1.NetworkPolicyPort, what packet, receiver endpoint) bool {
	return len(ports) == 0 || slices.ContainsFunc(ports, func(port networkingv1.NetworkPolicyPort) bool {
		if port.Protocol == nil && what.protocol != corev1.ProtocolTCP || port.Protocol != nil && *port.Protocol != what.protocol {
			return false
		}
		switch {
		case port.Port == nil:
			return true
		case port.Port.StrVal != "":
			return receiver.named[port.Port.StrVal] == what.port
		case port.EndPort != nil:
			return port.Port.IntVal <= what.port && what.port <= *port.EndPort
		default:
			return port.Port.IntVal == what.port
		}
	})
}

func selectorMatches(selector *metav1.LabelSelector, own map[string]string) bool {
	s, err := metav1.LabelSelectorAsSelector(selector)
	return err == nil && s.Matches(labels.Set(own))
}
