package gather_test

import (
	"strings"
	"testing"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"cato.dev/cato/controllers/gather"
	"cato.dev/cato/policy/facts"
)

// readAll reads an input that may hold what cannot be read.
func readAll(t *testing.T, input string) (*gather.Files, string) {
	t.Helper()
	files, err := gather.NewFiles()
	if err != nil {
		t.Fatal(err)
	}
	if err := files.Add("input", strings.NewReader(input)); err != nil {
		return files, err.Error()
	}
	return files, ""
}

func TestWhatDoesNotDecodeKeepsItsName(t *testing.T) {
	const vm = "apiVersion: uds.dev/v1alpha1\nkind: UDSVirtualMachine\nmetadata: {name: web, namespace: ns}\n"
	for name, c := range map[string]struct {
		input  string
		broken bool
		stored bool
		says   []string
	}{
		"a number for text":     {input: vm + "spec: {url: 5}\n", broken: true, says: []string{"UDSVirtualMachine ns/web", "spec.url", "number", "text", "correct the value"}},
		"true for text":         {input: strings.Replace(vm, "ns}", "ns, uid: u}", 1) + "spec: {url: true}\n", broken: true, stored: true, says: []string{"spec.url", "correct"}},
		"a key doubled":         {input: vm + "spec: {memory: 1Gi, memory: 2Gi}\n", broken: true, says: []string{"not YAML"}},
		"another version":       {input: strings.Replace(vm, "v1alpha1", "v1beta9", 1), broken: true, says: []string{"not read", "uds.dev/v1alpha1"}},
		"there twice":           {input: vm + "spec: {memory: 1Gi}\n---\n" + vm + "spec: {memory: 2Gi}\n", broken: true, says: []string{"twice"}},
		"a field nobody knows":  {input: vm + "spec: {memory: 1Gi, colour: red}\n", says: []string{"colour"}},
		"a quantity that is no": {input: "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: web, namespace: ns}\nspec: {resources: {requests: {storage: 1e1.5}}}\n", broken: true, says: []string{"spec.resources.requests.storage", `"1e1.5"`}},
	} {
		t.Run(name, func(t *testing.T) {
			files, problem := readAll(t, c.input)
			for _, part := range append(c.says, "") {
				if problem == "" || !strings.Contains(problem, part) {
					t.Errorf("%q is missing in %q", part, problem)
				}
			}
			for _, raw := range []string{"Go struct", "json:", "regular expression"} {
				if strings.Contains(problem, raw) {
					t.Errorf("the message is a decoder's: %q", problem)
				}
			}
			if (len(files.Broken) > 0) != c.broken {
				t.Fatalf("broken: %+v", files.Broken)
			}
			for _, b := range files.Broken {
				if b.Key != (client.ObjectKey{Namespace: "ns", Name: "web"}) || b.Reason == "" || b.Stored != c.stored {
					t.Errorf("broken: %+v", b)
				}
			}
			if !c.broken && len(files.Objects()) != 1 {
				t.Error("what could be read is not among the objects")
			}
		})
	}
}

func TestNoValueOfASecretIsInAMessage(t *testing.T) {
	_, problem := readAll(t, "apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: ns}\nstringData: {password: 271828}\n")
	if problem == "" || strings.Contains(problem, "271828") {
		t.Errorf("message %q", problem)
	}
}

func TestItemsOfATypedListNeedNoKind(t *testing.T) {
	const head = "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicyList\nitems:\n"
	files, problem := readAll(t, head+"- metadata: {name: a, namespace: ns}\n- {kind: NetworkPolicy, apiVersion: networking.k8s.io/v1, metadata: {name: b, namespace: ns}}\n")
	var policies networkingv1.NetworkPolicyList
	if err := files.List(t.Context(), &policies); err != nil || len(policies.Items) != 2 || problem != "" {
		t.Errorf("%d policies, %q, %v", len(policies.Items), problem, err)
	}
	for name, input := range map[string]string{
		"an item that cannot be read": head + "- {metadata: {name: a, namespace: ns}, spec: {podSelector: []}}\n",
		"items that are no list":      strings.Replace(head, "items:\n", "items: {a: b}\n", 1),
		"an old version":              "apiVersion: extensions/v1beta1\nkind: NetworkPolicyList\nitems: []\n",
	} {
		files, problem := readAll(t, input)
		if problem == "" || files.Blind("networkpolicies.networking.k8s.io", "ns") == "" && name != "an old version" {
			t.Errorf("%s: message %q, blind %q", name, problem, files.Blind("networkpolicies.networking.k8s.io", "ns"))
		}
	}
}

func TestPoliciesThatAllowBeforeNetworkPoliciesAreAGap(t *testing.T) {
	const head = "apiVersion: policy.networking.k8s.io/v1alpha1\nkind: AdminNetworkPolicy\nmetadata: {name: a}\nspec: "
	for spec, blind := range map[string]bool{
		head + "{ingress: [{action: Deny}, {action: Allow}]}\n":          true,
		head + "{egress: [{action: Allow}]}\n":                           true,
		head + "{ingress: [{action: Deny}], egress: [{action: Pass}]}\n": false,
		head + "[]\n": true,
		strings.Replace(head, "Admin", "BaselineAdmin", 1) + "{ingress: [{action: Allow}]}\n":                          false,
		strings.Replace(head, "AdminNetwork", "ClusterNetwork", 1) + "{tier: Admin, ingress: [{action: Accept}]}\n":    true,
		strings.Replace(head, "AdminNetwork", "ClusterNetwork", 1) + "{tier: Baseline, ingress: [{action: Accept}]}\n": false,
	} {
		files, _ := readAll(t, spec)
		if got := files.Overrulers(); (len(got) == 1) != blind {
			t.Errorf("%s: %+v", spec, got)
		}
	}
}

func TestAPolicyThatAllowsFirstConcernsTheNamespacesItSelects(t *testing.T) {
	const policy = "---\napiVersion: policy.networking.k8s.io/v1alpha1\nkind: AdminNetworkPolicy\nmetadata: {name: a}\n" +
		"spec: {ingress: [{action: Allow}], subject: "
	for subject, concerned := range map[string]bool{
		"{namespaces: {matchLabels: {kubernetes.io/metadata.name: ns}}}":                          true,
		"{namespaces: {matchLabels: {kubernetes.io/metadata.name: other}}}":                       false,
		"{pods: {namespaceSelector: {matchLabels: {team: red}}, podSelector: {}}}":                true,
		"{pods: {namespaceSelector: {matchLabels: {team: blue}}, podSelector: {}}}":               false,
		"{namespaces: {matchExpressions: [{key: team, operator: Neither, values: [red, blue]}]}}": true,
		"{}": true,
	} {
		files, problem := readAll(t, "apiVersion: v1\nkind: Namespace\nmetadata: {name: ns, labels: {team: red}}\n"+policy+subject+"}\n")
		if problem != "" {
			t.Fatal(problem)
		}
		g := gather.FromReader(files, now)
		g.FromFiles, g.Overrulers = true, files.Overrulers
		got, err := g.VirtualMachine(t.Context(), &kubevirtv1.VirtualMachine{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "web"}}, facts.Plan)
		if err != nil {
			t.Fatal(err)
		}
		if reason := got.Unseen["network.policies"]; (reason != "") != concerned {
			t.Errorf("%s: %q", subject, reason)
		}
	}
}
