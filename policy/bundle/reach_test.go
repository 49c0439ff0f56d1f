package bundle_test

import (
	"context"
	"net/netip"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	"pgregory.net/rapid"

	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/policy/engine"
	"cato.dev/cato/policy/facts"
)

func TestTheStrictestPoliciesPass(t *testing.T) {
	set := load(t)
	public := []networkingv1.NetworkPolicyPeer{{IPBlock: publicIPv4()}, {IPBlock: publicIPv6()}}
	machine := verdicts(t, set, machineFacts([]networkingv1.NetworkPolicy{machinePolicy(bothTypes(), dnsPorts())}))
	tenant := verdicts(t, set, tenantFacts([]networkingv1.NetworkPolicy{tenantPolicy(bothTypes(), dnsPorts()), importerPolicy(public, webPorts())}))
	got := []engine.Value{machine["NET-001"], machine["NET-002"], tenant["NET-010"], tenant["NET-011"]}
	if want := []engine.Value{engine.Pass, engine.Pass, engine.Pass, engine.Pass}; !slices.Equal(got, want) {
		t.Errorf("NET-001, NET-002, NET-010, NET-011: got %v, want %v", got, want)
	}
}

func TestNoMachineThatIsCalledIsolatedLetsAPacketThrough(t *testing.T) {
	set := load(t)
	rapid.Check(t, func(r *rapid.T) {
		policies := append(drawOthers(r), machinePolicy(mostly(r, bothTypes(), drawTypes), mostly(r, dnsPorts(), drawPorts)))
		words := verdicts(r, set, machineFacts(policies))
		vm := policed{endpoint{namespace: "mission-a", labels: launcherLabels(), address: netip.MustParseAddr("10.244.9.9"), named: map[string]int32{"dns": 8000}}, policies}
		in, out := false, false
		for _, other := range world() {
			for _, p := range packets() {
				in = in || vm.receives(other, p)
				out = out || vm.sends(other, p) && !isDNS(other, p)
			}
		}
		if words["NET-002"] == engine.Pass && out {
			r.Fatalf("NET-002 passes, yet more than DNS goes out")
		}
		if words["NET-001"] == engine.Pass && (in || out) {
			r.Fatalf("NET-001 passes, yet traffic goes in (%t) or out (%t)", in, out)
		}
	})
}

func TestNoTenantThatIsCalledIsolatedLetsAPacketThrough(t *testing.T) {
	set := load(t)
	rapid.Check(t, func(r *rapid.T) {
		policies := append(drawOthers(r), tenantPolicy(mostly(r, bothTypes(), drawTypes), mostly(r, dnsPorts(), drawPorts)), importerPolicy(drawPeers(r), mostly(r, webPorts(), drawPorts)))
		words := verdicts(r, set, tenantFacts(policies))
		for _, own := range []map[string]string{{}, {"app": "a"}, {"app": "b", "uds.dev/vm": "web"}, {"cdi.kubevirt.io": "importer"}} {
			pod := policed{endpoint{namespace: "virtfoundry-tenant-acme", labels: own, address: netip.MustParseAddr("10.244.9.9"), named: map[string]int32{"dns": 8000}}, policies}
			for _, other := range world() {
				for _, p := range packets() {
					if words["NET-010"] == engine.Pass && pod.receives(other, p) && other.namespace != pod.namespace {
						r.Fatalf("NET-010 passes, yet %s reaches %s by %v", other, pod, p)
					}
					if words["NET-010"] == engine.Pass && pod.sends(other, p) && !isDefault(pod, other, p) && !isWeb(p) {
						r.Fatalf("NET-010 passes, yet %s reaches %s by %v", pod, other, p)
					}
					importing := own["cdi.kubevirt.io"] == "importer" && isWeb(p) && isPublic(other)
					if words["NET-011"] == engine.Pass && pod.sends(other, p) && !isDefault(pod, other, p) && !importing {
						r.Fatalf("NET-011 passes, yet %s reaches %s by %v", pod, other, p)
					}
				}
			}
		}
	})
}

func isDNS(to endpoint, p packet) bool {
	return to.namespace == "kube-system" && to.labels["k8s-app"] == "kube-dns" && p.port == 53 && p.protocol != corev1.ProtocolSCTP
}

func isDefault(from policed, to endpoint, p packet) bool {
	return isDNS(to, p) || to.namespace == from.namespace || to.namespace == "kubevirt" || to.namespace == "cdi"
}

func isWeb(p packet) bool {
	return p.protocol == corev1.ProtocolTCP && (p.port == 80 || p.port == 443)
}

func isPublic(to endpoint) bool {
	switch to.address.String() {
	case "8.8.8.8", "203.0.113.7", "2001:db8::1":
		return true
	}
	return false
}

func verdicts(t rapid.TB, set *engine.Set, g *facts.Gathered) map[string]engine.Value {
	encoder, err := facts.NewEncoder()
	if err != nil {
		t.Fatal(err)
	}
	in := facts.Build(g)
	all, _ := set.Judge(context.Background(), in.Subject.Kind, engine.Live, engine.Input{Value: encoder.Encode(&in), Gaps: in.Gaps})
	words := map[string]engine.Value{}
	for _, v := range all {
		words[v.Rule.ID] = v.Value
	}
	return words
}

func launcherLabels() map[string]string {
	return map[string]string{"uds.dev/vm": "web", "app": "a", "kubevirt.io": "virt-launcher", "vm.kubevirt.io/name": "web"}
}

func machineFacts(policies []networkingv1.NetworkPolicy) *facts.Gathered {
	meta := metav1.ObjectMeta{Namespace: "mission-a", Name: "web", UID: "1"}
	return &facts.Gathered{
		Moment: facts.Live, Now: time.Unix(0, 0), NetworkPolicies: policies,
		Machine:   &udsv1alpha1.UDSVirtualMachine{ObjectMeta: meta},
		Namespace: &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "mission-a"}},
		VirtualMachine: &kubevirtv1.VirtualMachine{ObjectMeta: meta, Spec: kubevirtv1.VirtualMachineSpec{
			Template: &kubevirtv1.VirtualMachineInstanceTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"uds.dev/vm": "web", "app": "a"}}},
		}},
	}
}

func tenantFacts(policies []networkingv1.NetworkPolicy) *facts.Gathered {
	return &facts.Gathered{
		Moment: facts.Live, Now: time.Unix(0, 0), NetworkPolicies: policies,
		Tenant:    &virtfoundryv1alpha1.Tenant{ObjectMeta: metav1.ObjectMeta{Name: "acme", UID: "1"}, Spec: virtfoundryv1alpha1.TenantSpec{Name: "Acme", Slug: "acme"}},
		Namespace: &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "virtfoundry-tenant-acme"}},
	}
}
