package facts

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
)

// The two forms of a machine's launcher pod: what the VirtualMachine's
// template makes at the next start, and what runs now.
const (
	fromTemplate = "template"
	fromInstance = "instance"
)

// form is one of them with the specification it has.
type form struct {
	launcher string
	path     string // of the specification, in the object that holds it
	object   string // kind/name of that object
	labels   map[string]string
	notes    map[string]string // annotations
	spec     *kubevirtv1.VirtualMachineInstanceSpec
	running  []kubevirtv1.VirtualMachineInstanceNetworkInterface // as the instance's status tells
}

func formsOf(g *Gathered) []form {
	forms := []form{}
	if vm := g.VirtualMachine; vm != nil && vm.Spec.Template != nil {
		forms = append(forms, form{
			launcher: fromTemplate, path: "spec.template.spec", object: "VirtualMachine/" + vm.Name,
			labels: launcherLabels(vm.Spec.Template.ObjectMeta.Labels, vm.Spec.Template.ObjectMeta.Annotations, vm.Name, vm.Spec.Template.Spec.Hostname),
			notes:  vm.Spec.Template.ObjectMeta.Annotations, spec: &vm.Spec.Template.Spec,
		})
	}
	if vmi := g.VirtualMachineInstance; vmi != nil && vmi.Status.Phase != kubevirtv1.Succeeded && vmi.Status.Phase != kubevirtv1.Failed {
		forms = append(forms, form{
			launcher: fromInstance, path: "spec", object: "VirtualMachineInstance/" + vmi.Name,
			labels: launcherLabels(vmi.Labels, vmi.Annotations, vmi.Name, vmi.Spec.Hostname), notes: vmi.Annotations, spec: &vmi.Spec,
			running: vmi.Status.Interfaces,
		})
	}
	return forms
}

// launcherLabels are the labels of the virt-launcher pod as virt-controller
// makes it (KubeVirt pkg/virt-controller/services/template.go, podLabels): the
// instance's, overwritten by its own. Where only KubeVirt knows the value the
// label is left out, which makes a selector of it possible and never certain.
func launcherLabels(own, notes map[string]string, name, hostname string) map[string]string {
	labels := map[string]string{}
	for key, value := range own {
		labels[key] = value
	}
	delete(labels, kubevirtv1.NodeNameLabel) // follows the instance through migrations
	delete(labels, kubevirtv1.CreatedByLabel)
	labels[kubevirtv1.AppLabel] = "virt-launcher"
	labels[kubevirtv1.DeprecatedVirtualMachineNameLabel] = launcherHostname(name, hostname)
	labels[kubevirtv1.VirtualMachineInstanceIDLabel] = name
	if len(name) > longestLabelValue { // it is a prefix with a hash then
		delete(labels, kubevirtv1.VirtualMachineInstanceIDLabel)
	}
	const istio = "sidecar.istio.io/inject" // an annotation of the instance that becomes a label of the pod
	if inject, found := notes[istio]; found {
		labels[istio] = inject
	}
	return labels
}

const longestLabelValue = 63

// launcherHostname is what KubeVirt writes as vm.kubevirt.io/name: the guest's
// host name, which is not the machine's name when spec.hostname is set
// (pkg/util/net/dns, SanitizeHostname).
func launcherHostname(name, hostname string) string {
	if hostname != "" {
		return hostname
	}
	first, _, _ := strings.Cut(name, ".")
	return first[:min(len(first), longestLabelValue)]
}

// podLauncher is the name of a launcher that runs.
func podLauncher(pod *corev1.Pod) string { return "pod " + pod.Name }

func buildNetwork(g *Gathered, forms []form, namespace string) Network {
	n := Network{Launchers: []Launcher{}, Policies: []Policy{}, NICs: []NIC{}}
	for _, f := range forms {
		n.Launchers = append(n.Launchers, Launcher{Name: f.launcher, Path: f.object, Labels: f.labels})
		n.NICs = append(n.NICs, buildNICs(f, namespace)...)
	}
	for i := range g.Launchers {
		pod := &g.Launchers[i]
		labels := map[string]string{}
		for key, value := range pod.Labels {
			labels[key] = value
		}
		n.Launchers = append(n.Launchers, Launcher{Name: podLauncher(pod), Path: "Pod/" + pod.Name, Labels: labels})
	}
	for i := range g.NetworkPolicies {
		selected := selectionOf(&g.NetworkPolicies[i], n.Launchers)
		if selected.concerns(n.Launchers) {
			n.Policies = append(n.Policies, buildPolicy(&g.NetworkPolicies[i], selected))
		}
	}
	slices.SortFunc(n.Policies, func(a, b Policy) int { return strings.Compare(a.Name, b.Name) })
	return n
}

// selection is which launchers a policy selects.
type selection struct {
	pods               []Requirement
	selects, maySelect []string
}

func selectionOf(np *networkingv1.NetworkPolicy, launchers []Launcher) selection {
	s := selection{pods: requirements(&np.Spec.PodSelector), selects: []string{}, maySelect: []string{}}
	for _, l := range launchers {
		switch matches(s.pods, l.Labels) {
		case certainly:
			s.selects = append(s.selects, l.Name)
		case possibly:
			s.maySelect = append(s.maySelect, l.Name)
		case never:
		}
	}
	return s
}

// concerns tells whether the policy bears on the subject: it does where it may
// select a launcher, and where there is none to tell by, as for a Tenant. The
// policies of other machines are left out, or the cost of each machine of a
// namespace would grow with their number, up to the deadline of its rules.
func (s selection) concerns(launchers []Launcher) bool {
	return len(launchers) == 0 || len(s.selects)+len(s.maySelect) > 0
}

func buildPolicy(np *networkingv1.NetworkPolicy, selected selection) Policy {
	p := Policy{
		Ref:  PolicyRef{Path: fmt.Sprintf("NetworkPolicy/%s spec", np.Name), Namespace: np.Namespace, UID: string(np.UID), ResourceVersion: np.ResourceVersion},
		Name: np.Name, UID: string(np.UID), Pods: selected.pods,
		Selects: selected.selects, MaySelect: selected.maySelect, IngressRules: []PolicyRule{}, EgressRules: []PolicyRule{},
	}
	p.Ingress, p.Egress = directions(np.Spec)
	for i, r := range np.Spec.Ingress {
		path := fmt.Sprintf("NetworkPolicy/%s spec.ingress[%d]", np.Name, i)
		p.IngressRules = append(p.IngressRules, buildRule(path, "from", r.From, r.Ports))
	}
	for i, r := range np.Spec.Egress {
		path := fmt.Sprintf("NetworkPolicy/%s spec.egress[%d]", np.Name, i)
		p.EgressRules = append(p.EgressRules, buildRule(path, "to", r.To, r.Ports))
	}
	return p
}

// directions applies the API's default: without policyTypes a policy isolates
// ingress, and egress only if it has egress rules.
func directions(spec networkingv1.NetworkPolicySpec) (ingress, egress bool) {
	if len(spec.PolicyTypes) == 0 {
		return true, len(spec.Egress) > 0
	}
	return slices.Contains(spec.PolicyTypes, networkingv1.PolicyTypeIngress),
		slices.Contains(spec.PolicyTypes, networkingv1.PolicyTypeEgress)
}

func buildRule(path, peers string, from []networkingv1.NetworkPolicyPeer, ports []networkingv1.NetworkPolicyPort) PolicyRule {
	r := PolicyRule{Path: path, AnyPeer: len(from) == 0, Peers: []Peer{}, AnyPort: len(ports) == 0, Ports: []Port{}}
	for i, peer := range from {
		r.Peers = append(r.Peers, buildPeer(fmt.Sprintf("%s.%s[%d]", path, peers, i), peer))
	}
	for _, port := range ports {
		r.Ports = append(r.Ports, buildPort(port))
	}
	return r
}

func buildPeer(path string, peer networkingv1.NetworkPolicyPeer) Peer {
	p := Peer{Path: path, Except: []string{}, Namespaces: []Requirement{}, Pods: []Requirement{}}
	if peer.IPBlock != nil {
		p.CIDR = peer.IPBlock.CIDR
		p.Except = append(p.Except, peer.IPBlock.Except...)
		return p
	}
	p.Namespaces, p.Pods = requirements(peer.NamespaceSelector), requirements(peer.PodSelector)
	p.OwnNamespace = peer.NamespaceSelector == nil && peer.PodSelector != nil
	p.AnyNamespace = peer.NamespaceSelector != nil && len(p.Namespaces) == 0
	p.AnyPod = len(p.Pods) == 0
	p.NamespaceOnly = peer.NamespaceSelector != nil && peer.PodSelector == nil
	return p
}

func buildPort(port networkingv1.NetworkPolicyPort) Port {
	p := Port{Protocol: "TCP"}
	if port.Protocol != nil {
		p.Protocol = string(*port.Protocol)
	}
	if port.Port != nil {
		if p.Name = port.Port.StrVal; p.Name == "" {
			number := int64(port.Port.IntVal)
			p.Number = &number
		}
	}
	if port.EndPort != nil {
		end := int64(*port.EndPort)
		p.End = &end
	}
	return p
}

// requirements spells a selector out, sorted; nil selects nothing to require.
func requirements(selector *metav1.LabelSelector) []Requirement {
	all := []Requirement{}
	if selector == nil {
		return all
	}
	for key, value := range selector.MatchLabels {
		all = append(all, Requirement{Key: key, Operator: "In", Values: []string{value}})
	}
	for _, e := range selector.MatchExpressions {
		all = append(all, Requirement{Key: e.Key, Operator: string(e.Operator), Values: append([]string{}, e.Values...)})
	}
	slices.SortFunc(all, func(a, b Requirement) int {
		return strings.Compare(a.Key+"\x00"+a.Operator+"\x00"+strings.Join(a.Values, ","), b.Key+"\x00"+b.Operator+"\x00"+strings.Join(b.Values, ","))
	})
	return all
}

type certainty int

const (
	never certainty = iota
	possibly
	certainly
)

func matches(all []Requirement, labels map[string]string) certainty {
	result := certainly
	for _, r := range all {
		result = min(result, matchesOne(r, labels))
	}
	return result
}

func matchesOne(r Requirement, labels map[string]string) certainty {
	value, present := labels[r.Key]
	if !present && setAtRunTime(r.Key) {
		return possibly
	}
	holds := false
	switch metav1.LabelSelectorOperator(r.Operator) {
	case metav1.LabelSelectorOpIn:
		holds = present && slices.Contains(r.Values, value)
	case metav1.LabelSelectorOpNotIn:
		holds = !present || !slices.Contains(r.Values, value)
	case metav1.LabelSelectorOpExists:
		holds = present
	case metav1.LabelSelectorOpDoesNotExist:
		holds = !present
	default:
		return possibly
	}
	if holds {
		return certainly
	}
	return never
}

// setAtRunTime tells whether KubeVirt may put this label on a launcher pod
// (created-by, migration labels): nobody can say before that it will not.
func setAtRunTime(key string) bool {
	for _, prefix := range []string{"kubevirt.io/", "vm.kubevirt.io/", "vmi.kubevirt.io/"} {
		if strings.HasPrefix(key, prefix) {
			return true
		}
	}
	return false
}
