package facts

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
	kubevirtv1 "kubevirt.io/api/core/v1"
	"pgregory.net/rapid"
)

func labelled(pairs ...string) *metav1.LabelSelector {
	s := &metav1.LabelSelector{MatchLabels: map[string]string{}}
	for i := 0; i < len(pairs); i += 2 {
		s.MatchLabels[pairs[i]] = pairs[i+1]
	}
	return s
}

func expression(key string, operator metav1.LabelSelectorOperator, values ...string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: key, Operator: operator, Values: values}}}
}

func TestASelectorSelectsALauncherCertainlyPossiblyOrNever(t *testing.T) {
	launcher := launcherLabels(map[string]string{"app": "web", "kubevirt.io/size": "big", kubevirtv1.CreatedByLabel: "me"}, nil, "web-1", "")
	for name, c := range map[string]struct {
		selector *metav1.LabelSelector
		want     certainty
	}{
		"everything":                          {&metav1.LabelSelector{}, certainly},
		"a label of the template":             {labelled("app", "web"), certainly},
		"another value":                       {labelled("app", "db"), never},
		"a label that is not there":           {labelled("tier", "1"), never},
		"KubeVirt's own label":                {labelled("kubevirt.io", "virt-launcher"), certainly},
		"the machine's name":                  {labelled("vm.kubevirt.io/name", "web-1"), certainly},
		"the name of another machine":         {labelled("vm.kubevirt.io/name", "web-2"), never},
		"the instance's id":                   {labelled("vmi.kubevirt.io/id", "web-1"), certainly},
		"a label set at run time":             {labelled("kubevirt.io/nodeName", "node-1"), possibly},
		"a label that KubeVirt overwrites":    {labelled("kubevirt.io/created-by", "me"), possibly},
		"a kubevirt.io label of the template": {labelled("kubevirt.io/size", "big"), certainly},
		"In":                                  {expression("app", metav1.LabelSelectorOpIn, "db", "web"), certainly},
		"In without values":                   {expression("app", metav1.LabelSelectorOpIn), never},
		"NotIn another value":                 {expression("app", metav1.LabelSelectorOpNotIn, "db"), certainly},
		"NotIn the value":                     {expression("app", metav1.LabelSelectorOpNotIn, "web"), never},
		"NotIn of a label that is not there":  {expression("tier", metav1.LabelSelectorOpNotIn, "1"), certainly},
		"Exists":                              {expression("app", metav1.LabelSelectorOpExists), certainly},
		"Exists of a label that is not there": {expression("tier", metav1.LabelSelectorOpExists), never},
		"DoesNotExist":                        {expression("tier", metav1.LabelSelectorOpDoesNotExist), certainly},
		"DoesNotExist of a run-time label":    {expression("kubevirt.io/migrationJobUID", metav1.LabelSelectorOpDoesNotExist), possibly},
		"NotIn of a run-time label":           {expression("kubevirt.io/nodeName", metav1.LabelSelectorOpNotIn, "node-1"), possibly},
		"an operator that does not exist":     {expression("app", "Like", "w"), possibly},
		"never is stronger than possibly":     {labelled("app", "db", "kubevirt.io/nodeName", "node-1"), never},
		"possibly is stronger than certainly": {labelled("app", "web", "kubevirt.io/nodeName", "node-1"), possibly},
	} {
		if got := matches(requirements(c.selector), launcher); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

func TestSelectionAgreesWithKubernetesOnOrdinaryLabels(t *testing.T) {
	key, value := rapid.SampledFrom([]string{"a", "b"}), rapid.SampledFrom([]string{"1", "2"})
	operator := rapid.SampledFrom([]metav1.LabelSelectorOperator{"In", "NotIn", "Exists", "DoesNotExist"})
	rapid.Check(t, func(t *rapid.T) {
		s := &metav1.LabelSelector{MatchLabels: rapid.MapOfN(key, value, 0, 2).Draw(t, "matchLabels")}
		for range rapid.IntRange(0, 2).Draw(t, "expressions") {
			e := metav1.LabelSelectorRequirement{Key: key.Draw(t, "key"), Operator: operator.Draw(t, "operator")}
			if e.Operator == "In" || e.Operator == "NotIn" {
				e.Values = rapid.SliceOfN(value, 1, 2).Draw(t, "values")
			}
			s.MatchExpressions = append(s.MatchExpressions, e)
		}
		pod := rapid.MapOfN(key, value, 0, 2).Draw(t, "pod")
		selector, err := metav1.LabelSelectorAsSelector(s)
		if err != nil {
			t.Fatal(err)
		}
		want := never
		if selector.Matches(labels.Set(pod)) {
			want = certainly
		}
		if got := matches(requirements(s), pod); got != want {
			t.Fatalf("%v on %v: %d, want %d", s, pod, got, want)
		}
	})
}

func TestTheLauncherHasTheLabelsThatKubeVirtWrites(t *testing.T) {
	long := strings.Repeat("a", 64)
	for name, c := range map[string]struct {
		name, hostname string
		notes          map[string]string
		vmName, vmiID  string // empty where only KubeVirt knows
		istio          string
	}{
		"a plain name":           {name: "web", vmName: "web", vmiID: "web"},
		"a host name of its own": {name: "web", hostname: "other", vmName: "other", vmiID: "web"},
		"a name with dots":       {name: "web.a", vmName: "web", vmiID: "web.a"},
		"a name beyond a label":  {name: long, vmName: long[:63]},
		"Istio's annotation":     {name: "web", notes: map[string]string{"sidecar.istio.io/inject": "true"}, vmName: "web", vmiID: "web", istio: "true"},
	} {
		own := map[string]string{"vm.kubevirt.io/name": "forged", "vmi.kubevirt.io/id": "forged", "kubevirt.io": "forged", kubevirtv1.NodeNameLabel: "node"}
		want := map[string]string{"kubevirt.io": "virt-launcher"}
		for key, value := range map[string]string{"vm.kubevirt.io/name": c.vmName, "vmi.kubevirt.io/id": c.vmiID, "sidecar.istio.io/inject": c.istio} {
			if value != "" {
				want[key] = value
			}
		}
		if diff := cmp.Diff(want, launcherLabels(own, c.notes, c.name, c.hostname)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if own["kubevirt.io"] != "forged" {
			t.Errorf("%s: the machine's own labels were changed", name)
		}
	}
}

func TestPolicyTypesAreDefaultedAsTheAPIDoes(t *testing.T) {
	open := []networkingv1.NetworkPolicyEgressRule{{}}
	for name, c := range map[string]struct {
		spec            networkingv1.NetworkPolicySpec
		ingress, egress bool
	}{
		"none and no rules":                         {networkingv1.NetworkPolicySpec{}, true, false},
		"none and egress rules":                     {networkingv1.NetworkPolicySpec{Egress: open}, true, true},
		"egress alone":                              {networkingv1.NetworkPolicySpec{PolicyTypes: []networkingv1.PolicyType{"Egress"}}, false, true},
		"ingress alone, though it has egress rules": {networkingv1.NetworkPolicySpec{PolicyTypes: []networkingv1.PolicyType{"Ingress"}, Egress: open}, true, false},
		"both": {networkingv1.NetworkPolicySpec{PolicyTypes: []networkingv1.PolicyType{"Ingress", "Egress"}}, true, true},
	} {
		if ingress, egress := directions(c.spec); ingress != c.ingress || egress != c.egress {
			t.Errorf("%s: ingress %t and egress %t", name, ingress, egress)
		}
	}
}

func TestPeersSayWhomTheyMean(t *testing.T) {
	app := []Requirement{{Key: "app", Operator: "In", Values: []string{"web"}}}
	none := []Requirement{}
	for name, c := range map[string]struct {
		peer networkingv1.NetworkPolicyPeer
		want Peer
	}{
		"pods of the own namespace":      {networkingv1.NetworkPolicyPeer{PodSelector: labelled("app", "web")}, Peer{OwnNamespace: true, Namespaces: none, Pods: app}},
		"every pod of the own namespace": {networkingv1.NetworkPolicyPeer{PodSelector: labelled()}, Peer{OwnNamespace: true, AnyPod: true, Namespaces: none, Pods: none}},
		"every pod of a namespace":       {networkingv1.NetworkPolicyPeer{NamespaceSelector: labelled("app", "web")}, Peer{NamespaceOnly: true, AnyPod: true, Namespaces: app, Pods: none}},
		"every pod of every namespace":   {networkingv1.NetworkPolicyPeer{NamespaceSelector: labelled()}, Peer{NamespaceOnly: true, AnyNamespace: true, AnyPod: true, Namespaces: none, Pods: none}},
		"pods of other namespaces":       {networkingv1.NetworkPolicyPeer{NamespaceSelector: labelled(), PodSelector: labelled("app", "web")}, Peer{AnyNamespace: true, Namespaces: none, Pods: app}},
		"addresses":                      {networkingv1.NetworkPolicyPeer{IPBlock: &networkingv1.IPBlock{CIDR: "10.0.0.0/8", Except: []string{"10.1.0.0/16"}}}, Peer{CIDR: "10.0.0.0/8", Except: []string{"10.1.0.0/16"}, Namespaces: none, Pods: none}},
	} {
		c.want.Path = "p"
		if c.want.Except == nil {
			c.want.Except = []string{}
		}
		if diff := cmp.Diff(c.want, buildPeer("p", c.peer)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestPortsAreNumbersNamesOrAll(t *testing.T) {
	udp, number, named, end, last := corev1.ProtocolUDP, intstr.FromInt32(53), intstr.FromString("dns"), int32(99), int64(99)
	n := int64(53)
	for name, c := range map[string]struct {
		port networkingv1.NetworkPolicyPort
		want Port
	}{
		"every port of TCP": {networkingv1.NetworkPolicyPort{}, Port{Protocol: "TCP"}},
		"a number":          {networkingv1.NetworkPolicyPort{Protocol: &udp, Port: &number}, Port{Protocol: "UDP", Number: &n}},
		"a range":           {networkingv1.NetworkPolicyPort{Port: &number, EndPort: &end}, Port{Protocol: "TCP", Number: &n, End: &last}},
		"a name":            {networkingv1.NetworkPolicyPort{Port: &named}, Port{Protocol: "TCP", Name: "dns"}},
	} {
		if diff := cmp.Diff(c.want, buildPort(c.port)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestThePoliciesOfOtherMachinesAreNoFactsOfThisOne(t *testing.T) {
	machine := machineOf(specOf(nil))
	policies := map[string]*metav1.LabelSelector{
		"all":      {},
		"its-own":  labelled("vm.kubevirt.io/name", machine.Name),
		"others":   labelled("vm.kubevirt.io/name", "another"),
		"possible": labelled("kubevirt.io/nodeName", "node-1"),
	}
	g := Gathered{VirtualMachine: machine}
	for name, selector := range policies {
		g.NetworkPolicies = append(g.NetworkPolicies, networkingv1.NetworkPolicy{
			ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: networkingv1.NetworkPolicySpec{PodSelector: *selector},
		})
	}
	names := func(in Input) []string {
		all := []string{}
		for _, p := range in.Network.Policies {
			all = append(all, p.Name)
		}
		return all
	}
	if diff := cmp.Diff([]string{"all", "its-own", "possible"}, names(Build(&g))); diff != "" {
		t.Errorf("of a machine (-want +got):\n%s", diff)
	}
	g.VirtualMachine = nil
	if diff := cmp.Diff([]string{"all", "its-own", "others", "possible"}, names(Build(&g))); diff != "" {
		t.Errorf("without a launcher to tell by (-want +got):\n%s", diff)
	}
}
