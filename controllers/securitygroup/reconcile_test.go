package securitygroup

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/decide"
	"cato.dev/cato/controllers/gather"
	"cato.dev/cato/controllers/internal/fixture"
	"cato.dev/cato/controllers/lifecycle"
)

var cluster fixture.Cluster

func TestMain(m *testing.M) { os.Exit(fixture.Main(m, "../..", &cluster)) }

type world struct {
	*Reconciler
	events *fixture.Events
	writes *fixture.Writes
	found  int
}

func newWorld(t *testing.T) *world {
	t.Helper()
	return newWorldAt(fixture.Judge(t, nil), &fixture.Writes{})
}

func newWorldAt(judge *decide.Judge, writes *fixture.Writes) *world {
	w := &world{events: &fixture.Events{}, writes: writes}
	w.Reconciler = New(lifecycle.Deps{
		Client: writes.Through(cluster.Client), Uncached: cluster.Client, Judge: judge, Events: w.events, Now: time.Now,
		Gatherer: gather.FromReader(cluster.Client, time.Now),
		Record:   func(context.Context, decide.Judgement, time.Time) { w.found++ },
	})
	return w
}

func (w *world) settle(t *testing.T, group *virtfoundryv1alpha1.SecurityGroup) *virtfoundryv1alpha1.SecurityGroup {
	t.Helper()
	if err := w.live(t, group); err != nil {
		t.Fatalf("SecurityGroup %s: %v", group.Name, err)
	}
	read(t, group)
	return group
}

func (w *world) live(t *testing.T, group *virtfoundryv1alpha1.SecurityGroup) error {
	t.Helper()
	return fixture.Live(t, func() (reconcile.Result, error) {
		return w.Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKeyFromObject(group)})
	})
}

func read(t *testing.T, object client.Object) {
	t.Helper()
	if err := cluster.Client.Get(t.Context(), client.ObjectKeyFromObject(object), object); err != nil {
		t.Fatal(err)
	}
}

func create(t *testing.T, object client.Object) {
	t.Helper()
	if err := cluster.Client.Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
}

func update(t *testing.T, object client.Object) {
	t.Helper()
	if err := cluster.Client.Update(t.Context(), object, client.FieldOwner("somebody")); err != nil {
		t.Fatal(err)
	}
}

func groupIn(namespace, name string, rules ...virtfoundryv1alpha1.SecurityRule) *virtfoundryv1alpha1.SecurityGroup {
	return &virtfoundryv1alpha1.SecurityGroup{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Spec: virtfoundryv1alpha1.SecurityGroupSpec{Name: name, Rules: rules}}
}

func rule(direction virtfoundryv1alpha1.Direction, protocol virtfoundryv1alpha1.RuleProtocol, from, to int64, cidr string) virtfoundryv1alpha1.SecurityRule {
	return virtfoundryv1alpha1.SecurityRule{Direction: direction, Protocol: protocol, PortFrom: &from, PortTo: &to, CIDR: cidr}
}

func policyOf(t *testing.T, group *virtfoundryv1alpha1.SecurityGroup) *networkingv1.NetworkPolicy {
	t.Helper()
	policy := &networkingv1.NetworkPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: group.Namespace, Name: "sg-" + string(group.UID)[:8]}}
	read(t, policy)
	return policy
}

func is(t *testing.T, group *virtfoundryv1alpha1.SecurityGroup, kind string, status metav1.ConditionStatus) string {
	t.Helper()
	c := meta.FindStatusCondition(group.Status.Conditions, kind)
	if c == nil || c.Status != status {
		t.Errorf("condition %s: %+v, want %s", kind, c, status)
		return ""
	}
	return c.Message
}

func granted(t *testing.T, slug, cidr string) string {
	t.Helper()
	create(t, &catov1alpha1.ComplianceProfile{ObjectMeta: metav1.ObjectMeta{Name: slug}, Spec: catov1alpha1.ComplianceProfileSpec{
		Base: catov1alpha1.BaseVirtFoundry, Scope: catov1alpha1.ProfileScope{NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"virtfoundry.io/tenant": slug}}},
		Parameters: catov1alpha1.ComplianceProfileParameters{Grants: &catov1alpha1.Grants{SecurityGroups: []catov1alpha1.SecurityGroupGrant{{CIDRs: []string{cidr}, Reason: "test"}}}},
	}})
	return cluster.TenantNamespace(t, slug)
}

func TestADirectionWithoutRulesLetsNothingThrough(t *testing.T) {
	group := groupIn(cluster.TenantNamespace(t, "closed"), "closed")
	create(t, group)
	w := newWorld(t)
	w.settle(t, group)
	policy := policyOf(t, group)
	want := networkingv1.NetworkPolicySpec{
		PodSelector: metav1.LabelSelector{MatchLabels: map[string]string{"virtfoundry.io/sg-" + string(group.UID)[:8]: "true"}},
		PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress},
	}
	if diff := cmp.Diff(want, policy.Spec); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if group.Status.NetworkPolicyName != policy.Name || group.Status.Phase != virtfoundryv1alpha1.PhaseReady || w.found != 0 {
		t.Errorf("status %+v, %d judgements of drift", group.Status, w.found)
	}
	is(t, group, "Compliant", metav1.ConditionTrue)
	if message := is(t, group, "CoversNetworksOfNICs", metav1.ConditionFalse); !strings.Contains(message, "pod network") {
		t.Errorf("message %q", message)
	}
}

func TestRulesBecomeOneNetworkPolicy(t *testing.T) {
	group := groupIn(granted(t, "rules", "192.0.2.0/24"), "web",
		rule("ingress", "tcp", 8000, 8080, "192.0.2.0/24"), rule("ingress", "icmp", 0, 0, "0.0.0.0/0"), rule("egress", "udp", 0, 0, "192.0.2.128/25"), rule("egress", "tcp", 443, 0, "0.0.0.0/0"))
	create(t, group)
	w := newWorld(t)
	w.settle(t, group)
	policy := policyOf(t, group)
	tcp, udp, port, end, web := corev1.ProtocolTCP, corev1.ProtocolUDP, intstr.FromInt32(8000), int32(8080), intstr.FromInt32(443)
	block := func(cidr string) []networkingv1.NetworkPolicyPeer {
		return []networkingv1.NetworkPolicyPeer{{IPBlock: &networkingv1.IPBlock{CIDR: cidr}}}
	}
	ingress := []networkingv1.NetworkPolicyIngressRule{{From: block("192.0.2.0/24"), Ports: []networkingv1.NetworkPolicyPort{{Protocol: &tcp, Port: &port, EndPort: &end}}}}
	egress := []networkingv1.NetworkPolicyEgressRule{
		{To: block("192.0.2.128/25"), Ports: []networkingv1.NetworkPolicyPort{{Protocol: &udp}}},
		{To: block("0.0.0.0/0"), Ports: []networkingv1.NetworkPolicyPort{{Protocol: &tcp, Port: &web}}},
	}
	if diff := cmp.Diff(ingress, policy.Spec.Ingress) + cmp.Diff(egress, policy.Spec.Egress); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if message := is(t, group, "RulesRendered", metav1.ConditionFalse); !strings.Contains(message, "spec.rules[1]") {
		t.Errorf("message %q", message)
	}
	is(t, group, "Ready", metav1.ConditionTrue)
	for what, spoil := range map[string]func(p *networkingv1.NetworkPolicy){
		"wider": func(p *networkingv1.NetworkPolicy) { p.Spec.Ingress[0].Ports = nil },
		"another rule": func(p *networkingv1.NetworkPolicy) {
			p.Spec.Ingress = append(p.Spec.Ingress, networkingv1.NetworkPolicyIngressRule{})
		},
		"one direction":  func(p *networkingv1.NetworkPolicy) { p.Spec.PolicyTypes = p.Spec.PolicyTypes[:1] },
		"other pods":     func(p *networkingv1.NetworkPolicy) { p.Spec.PodSelector = metav1.LabelSelector{} },
		"without owners": func(p *networkingv1.NetworkPolicy) { p.OwnerReferences, p.Labels = nil, nil },
	} {
		spoilt := policyOf(t, group)
		spoil(spoilt)
		update(t, spoilt)
		w.found, w.events.Notes = 0, nil
		w.settle(t, group)
		now := policyOf(t, group)
		if diff := cmp.Diff(policy.Spec, now.Spec); diff != "" || w.found != 1 || metav1.GetControllerOf(now) == nil || !w.events.Has(lifecycle.EventRepaired) {
			t.Errorf("%s: %d judgements, events %v (-want +got):\n%s", what, w.found, w.events.Reasons(), diff)
		}
	}
}

func TestAGroupThatOpensMoreThanIsGrantedIsRefusedAndTheLastPolicyIsKept(t *testing.T) {
	group := groupIn(granted(t, "wide", "192.0.2.0/24"), "web", rule("ingress", "tcp", 22, 0, "192.0.2.0/24"))
	create(t, group)
	w := newWorld(t)
	w.settle(t, group)
	before := policyOf(t, group)
	group.Spec.Rules[0].CIDR = "0.0.0.0/0"
	update(t, group)
	w.settle(t, group)
	if message := is(t, group, "PolicyAllowed", metav1.ConditionFalse); !strings.Contains(message, "NET-027") || group.Status.Phase != virtfoundryv1alpha1.PhaseFailed {
		t.Errorf("message %q, phase %s", message, group.Status.Phase)
	}
	spoilt := policyOf(t, group)
	spoilt.Spec.Ingress = []networkingv1.NetworkPolicyIngressRule{{}}
	update(t, spoilt)
	w.settle(t, group)
	if diff := cmp.Diff(before.Spec, policyOf(t, group).Spec); diff != "" {
		t.Errorf("a refusal keeps a drift (-want +got):\n%s", diff)
	}
}

func TestTheOldIDNamesThePolicy(t *testing.T) {
	group := groupIn(cluster.TenantNamespace(t, "legacy"), "old")
	group.Annotations = map[string]string{"virtfoundry.io/legacy-id": "DEADBEEF-0000-4000-8000-000000000001"}
	create(t, group)
	w := newWorld(t)
	if w.settle(t, group); group.Status.NetworkPolicyName != "sg-deadbeef" {
		t.Errorf("status %+v", group.Status)
	}
	group.Annotations = nil
	update(t, group)
	w.settle(t, group)
	var policies networkingv1.NetworkPolicyList
	if err := cluster.Client.List(t.Context(), &policies, client.InNamespace(group.Namespace)); err != nil {
		t.Fatal(err)
	}
	if len(policies.Items) != 1 || policies.Items[0].Name != "sg-"+string(group.UID)[:8] {
		t.Errorf("policies: %v", fmt.Sprint(policies.Items))
	}
}
