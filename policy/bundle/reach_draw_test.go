package bundle_test

import (
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"pgregory.net/rapid"
)

// machinePolicy is the policy that a machine has of its own.
func machinePolicy(types []networkingv1.PolicyType, dns []networkingv1.NetworkPolicyPort) networkingv1.NetworkPolicy {
	return networkingv1.NetworkPolicy{ObjectMeta: metav1.ObjectMeta{Name: "web-netpol"}, Spec: networkingv1.NetworkPolicySpec{
		PodSelector: metav1.LabelSelector{MatchLabels: map[string]string{"uds.dev/vm": "web"}},
		PolicyTypes: types,
		Egress:      []networkingv1.NetworkPolicyEgressRule{{To: []networkingv1.NetworkPolicyPeer{dnsPeer()}, Ports: dns}},
	}}
}

// tenantPolicy is the default deny of a tenant's namespace.
func tenantPolicy(types []networkingv1.PolicyType, dns []networkingv1.NetworkPolicyPort) networkingv1.NetworkPolicy {
	own := []networkingv1.NetworkPolicyPeer{{PodSelector: &metav1.LabelSelector{}}}
	return networkingv1.NetworkPolicy{ObjectMeta: metav1.ObjectMeta{Name: "default-deny"}, Spec: networkingv1.NetworkPolicySpec{
		PolicyTypes: types,
		Ingress:     []networkingv1.NetworkPolicyIngressRule{{From: own}},
		Egress:      []networkingv1.NetworkPolicyEgressRule{{To: own}, {To: []networkingv1.NetworkPolicyPeer{dnsPeer()}, Ports: dns}},
	}}
}

// importerPolicy lets importers reach some addresses by some ports.
func importerPolicy(to []networkingv1.NetworkPolicyPeer, ports []networkingv1.NetworkPolicyPort) networkingv1.NetworkPolicy {
	return networkingv1.NetworkPolicy{ObjectMeta: metav1.ObjectMeta{Name: "importers"}, Spec: networkingv1.NetworkPolicySpec{
		PodSelector: metav1.LabelSelector{MatchLabels: map[string]string{"cdi.kubevirt.io": "importer"}},
		PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeEgress},
		Egress:      []networkingv1.NetworkPolicyEgressRule{{To: to, Ports: ports}},
	}}
}

func bothTypes() []networkingv1.PolicyType {
	return []networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress}
}

func port(protocol corev1.Protocol, number int32) networkingv1.NetworkPolicyPort {
	p := intstr.FromInt32(number)
	return networkingv1.NetworkPolicyPort{Protocol: &protocol, Port: &p}
}

func dnsPeer() networkingv1.NetworkPolicyPeer {
	return networkingv1.NetworkPolicyPeer{
		NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: "kube-system"}},
		PodSelector:       &metav1.LabelSelector{MatchLabels: map[string]string{"k8s-app": "kube-dns"}},
	}
}

func dnsPorts() []networkingv1.NetworkPolicyPort {
	return []networkingv1.NetworkPolicyPort{port(corev1.ProtocolUDP, 53), port(corev1.ProtocolTCP, 53)}
}

func webPorts() []networkingv1.NetworkPolicyPort {
	return []networkingv1.NetworkPolicyPort{port(corev1.ProtocolTCP, 80), port(corev1.ProtocolTCP, 443)}
}

// mostly is what the operator writes, and now and then something drawn: a pass must be common for a leak behind
// it to be found.
func mostly[T any](r *rapid.T, usual T, draw func(*rapid.T) T) T {
	if rapid.IntRange(0, 5).Draw(r, "usual") > 0 {
		return usual
	}
	return draw(r)
}

func drawOthers(r *rapid.T) []networkingv1.NetworkPolicy {
	n := rapid.SampledFrom([]int{0, 1, 1, 1, 2}).Draw(r, "others")
	return rapid.SliceOfN(rapid.Custom(drawPolicy), n, n).Draw(r, "other")
}

// drawPolicy draws a policy of the few labels, blocks and ports that matter in the world.
func drawPolicy(r *rapid.T) networkingv1.NetworkPolicy {
	spec := networkingv1.NetworkPolicySpec{PodSelector: drawSelector(r, "uds.dev/vm", "web", "app", "a", "b", "cdi.kubevirt.io", "importer"), PolicyTypes: drawTypes(r)}
	for range rapid.SampledFrom([]int{0, 0, 1}).Draw(r, "ingress") {
		spec.Ingress = append(spec.Ingress, networkingv1.NetworkPolicyIngressRule{From: drawPeers(r), Ports: drawPorts(r)})
	}
	for range rapid.SampledFrom([]int{0, 1, 1, 2}).Draw(r, "egress") {
		spec.Egress = append(spec.Egress, networkingv1.NetworkPolicyEgressRule{To: drawPeers(r), Ports: drawPorts(r)})
	}
	return networkingv1.NetworkPolicy{ObjectMeta: metav1.ObjectMeta{Name: "other"}, Spec: spec}
}

func drawTypes(r *rapid.T) []networkingv1.PolicyType {
	in, out := networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress
	return rapid.SampledFrom([][]networkingv1.PolicyType{{in, out}, {in, out}, {in, out}, {in}, {out}, nil}).Draw(r, "types")
}

func drawPeers(r *rapid.T) []networkingv1.NetworkPolicyPeer {
	var peers []networkingv1.NetworkPolicyPeer
	for range rapid.SampledFrom([]int{0, 1, 1, 1, 2}).Draw(r, "peers") {
		peers = append(peers, drawPeer(r))
	}
	return peers
}

func drawPeer(r *rapid.T) networkingv1.NetworkPolicyPeer {
	if rapid.IntRange(0, 3).Draw(r, "block") == 0 {
		return networkingv1.NetworkPolicyPeer{IPBlock: rapid.SampledFrom([]*networkingv1.IPBlock{
			{CIDR: "0.0.0.0/0"}, {CIDR: "8.0.0.0/6"}, {CIDR: "10.0.0.0/8"}, {CIDR: "203.0.113.0/24"}, {CIDR: "2001:db8::/32"},
			publicIPv4(),
			{CIDR: "0.0.0.0/0", Except: []string{"10.0.0.0/8"}}, {CIDR: "::/0", Except: []string{"fc00::/7"}},
			publicIPv6(),
		}).Draw(r, "cidr")}
	}
	var peer networkingv1.NetworkPolicyPeer
	kind := rapid.IntRange(0, 2).Draw(r, "kind")
	if kind != 0 {
		selector := drawSelector(r, corev1.LabelMetadataName, "kube-system", "kubevirt", "cdi", "evil", "virtfoundry-tenant-acme", "name", "kube-system")
		peer.NamespaceSelector = &selector
	}
	if kind != 1 {
		selector := drawSelector(r, "k8s-app", "kube-dns", "other", "app", "a", "b")
		peer.PodSelector = &selector
	}
	return peer
}

// drawSelector draws up to three requirements; words are keys, each followed by its values.
func drawSelector(r *rapid.T, words ...string) metav1.LabelSelector {
	var selector metav1.LabelSelector
	keys := map[string]bool{corev1.LabelMetadataName: true, "name": true, "k8s-app": true, "app": true, "uds.dev/vm": true, "cdi.kubevirt.io": true}
	values, order := map[string][]string{}, []string{}
	for _, word := range words {
		if keys[word] {
			order = append(order, word)
			continue
		}
		values[order[len(order)-1]] = append(values[order[len(order)-1]], word)
	}
	for range rapid.IntRange(0, 3).Draw(r, "requirements") {
		key := rapid.SampledFrom(order).Draw(r, "key")
		one := metav1.LabelSelectorRequirement{Key: key, Operator: rapid.SampledFrom([]metav1.LabelSelectorOperator{"In", "In", "In", "NotIn", "Exists", "DoesNotExist"}).Draw(r, "operator")}
		if one.Operator == "In" || one.Operator == "NotIn" {
			one.Values = rapid.SliceOfNDistinct(rapid.SampledFrom(values[key]), 1, 2, func(s string) string { return s }).Draw(r, "values")
		}
		selector.MatchExpressions = append(selector.MatchExpressions, one)
	}
	return selector
}

func drawPorts(r *rapid.T) []networkingv1.NetworkPolicyPort {
	var ports []networkingv1.NetworkPolicyPort
	for range rapid.SampledFrom([]int{0, 1, 1, 2}).Draw(r, "ports") {
		protocol := rapid.SampledFrom([]corev1.Protocol{"TCP", "UDP", "TCP", "UDP", "SCTP"}).Draw(r, "protocol")
		number := rapid.SampledFrom([]intstr.IntOrString{intstr.FromInt32(53), intstr.FromInt32(53), intstr.FromInt32(80), intstr.FromInt32(443), intstr.FromString("dns")}).Draw(r, "port")
		drawn := networkingv1.NetworkPolicyPort{Protocol: &protocol, Port: &number}
		switch end := int32(100); rapid.IntRange(0, 9).Draw(r, "end") {
		case 0:
			drawn.EndPort = &end
		case 1:
			drawn.Port = nil
		}
		ports = append(ports, drawn)
	}
	return ports
}

func publicIPv4() *networkingv1.IPBlock {
	return &networkingv1.IPBlock{CIDR: "0.0.0.0/0", Except: []string{"10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16"}}
}

func publicIPv6() *networkingv1.IPBlock {
	return &networkingv1.IPBlock{CIDR: "::/0", Except: []string{"::1/128", "64:ff9b::/96", "fc00::/7", "fe80::/10"}}
}
