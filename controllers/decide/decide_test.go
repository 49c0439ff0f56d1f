package decide

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/children"
	"cato.dev/cato/policy/engine"
	"cato.dev/cato/policy/facts"
)

func ids(verdicts []engine.Verdict) []string {
	all := []string{}
	for _, v := range verdicts {
		all = append(all, v.Rule.ID)
	}
	return all
}

func TestWhatAVerdictDoesDependsOnRuleMomentAndMode(t *testing.T) {
	both, neither := []string{engine.Admission, engine.Plan}, []string{}
	for name, c := range map[string]struct {
		enforces  []string
		onUnknown string
		mode      catov1alpha1.Mode
		value     engine.Value
		does      string // refuse, wait, warn, in this order
	}{
		"a pass":                            {both, "wait", "", engine.Pass, ""},
		"not applicable":                    {both, "wait", "", engine.NotApplicable, ""},
		"a fail":                            {both, "wait", "", engine.Fail, "refuse"},
		"a fail, enforced by name":          {both, "wait", catov1alpha1.ModeEnforce, engine.Fail, "refuse"},
		"a fail, warned of":                 {both, "wait", catov1alpha1.ModeWarn, engine.Fail, "warn"},
		"a fail, audited":                   {both, "wait", catov1alpha1.ModeAudit, engine.Fail, ""},
		"a fail that nothing enforces":      {neither, "wait", "", engine.Fail, ""},
		"a fail enforced at another moment": {[]string{engine.Admission}, "wait", "", engine.Fail, ""},
		"unknown":                           {both, "wait", "", engine.Unknown, "wait warn"},
		"unknown, reported":                 {both, "report", "", engine.Unknown, "warn"},
		"unknown, warned of":                {both, "wait", catov1alpha1.ModeWarn, engine.Unknown, "warn"},
		"unknown, audited":                  {both, "wait", catov1alpha1.ModeAudit, engine.Unknown, ""},
		"unknown that nothing enforces":     {neither, "wait", "", engine.Unknown, ""},
	} {
		rule := &engine.Rule{ID: "X-1", Enforces: c.enforces, OnUnknown: c.onUnknown}
		j := Judgement{Moment: facts.Plan, Verdicts: []engine.Verdict{{Rule: rule, Value: c.value}}, modes: map[string]catov1alpha1.Mode{"X-1": c.mode, "X-2": catov1alpha1.ModeAudit}}
		does := ""
		for _, part := range []struct {
			word     string
			verdicts []engine.Verdict
		}{{" refuse", j.Refusals()}, {" wait", j.Waits()}, {" warn", j.Warnings()}} {
			if len(ids(part.verdicts)) == 1 {
				does += part.word
			}
		}
		if want := c.does; does != want && does != " "+want {
			t.Errorf("%s: %q, want %q", name, does, want)
		}
		if len(j.Verdicts) != 1 || j.Verdicts[0].Rule != rule {
			t.Errorf("%s: the verdicts were changed", name)
		}
	}
}

func TestAnExplanationNamesRuleReasonAndRemedy(t *testing.T) {
	got := Explain([]engine.Verdict{
		{Rule: &engine.Rule{ID: "X-1", Remediation: "Do this."}, Why: "It is so."}, {Rule: &engine.Rule{ID: "X-2"}, Why: "and so"},
	})
	if diff := cmp.Diff("X-1: It is so. Do this.; X-2: and so", got); diff != "" {
		t.Error(diff)
	}
}

func machineChildren(t *testing.T) (*udsv1alpha1.UDSVirtualMachine, *children.Machine) {
	t.Helper()
	machine := &udsv1alpha1.UDSVirtualMachine{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "web", UID: "u"}, Spec: udsv1alpha1.UDSVirtualMachineSpec{Memory: "1Gi", DiskSize: "1Gi", SourceType: "blank"}}
	planned, err := children.ForMachine(children.MachineInput{Machine: machine, Start: true})
	if err != nil {
		t.Fatal(err)
	}
	return machine, planned
}

func policy(namespace, name string) networkingv1.NetworkPolicy {
	return networkingv1.NetworkPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
}

func TestAPlanIsWhatStandsOnceTheChildrenAreWritten(t *testing.T) {
	machine, planned := machineChildren(t)
	live := planned.VirtualMachine.DeepCopy()
	live.Spec.Template.Spec.Volumes = append(live.Spec.Template.Spec.Volumes, kubevirtv1.Volume{Name: "hot"})
	stale := facts.DecodeSecret(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "web-cloudinit"}, Data: map[string][]byte{"userdata": []byte("#cloud-config\nssh_pwauth: true\n")}})
	g := &facts.Gathered{
		Moment: facts.Live, Machine: machine, VirtualMachine: live, VirtualMachineInstance: &kubevirtv1.VirtualMachineInstance{},
		NetworkPolicies: []networkingv1.NetworkPolicy{policy("ns", "web-netpol"), policy("ns", "theirs")}, Secrets: []facts.Secret{stale, {Namespace: "ns", Name: "other"}},
		Gaps: map[string]string{"guest": "no right", "network.nics": "no right", "network.launchers": "no right", "network.policies": "no right", "disks": "no right", "guest.userData": "no right"},
	}
	p := PlanMachine(g, planned, facts.Plan)
	if diff := cmp.Diff(map[string]string{"network.policies": "no right", "disks": "no right", "guest.userData": "no right"}, p.Gaps); diff != "" {
		t.Errorf("gaps (-want +got):\n%s", diff)
	}
	if p.Moment != facts.Plan || p.VirtualMachineInstance != nil || len(p.VirtualMachine.Spec.Template.Spec.Volumes) != 3 || len(p.DataVolumes) != 1 {
		t.Errorf("moment %s, instance %v, volumes %v, DataVolumes %d", p.Moment, p.VirtualMachineInstance, p.VirtualMachine.Spec.Template.Spec.Volumes, len(p.DataVolumes))
	}
	if len(p.NetworkPolicies) != 2 || p.NetworkPolicies[0].Name != "theirs" || len(p.NetworkPolicies[1].Spec.PolicyTypes) != 2 {
		t.Errorf("policies %v", p.NetworkPolicies)
	}
	if want := facts.DecodeSecret(planned.CloudInit); len(p.Secrets) != 2 || cmp.Diff(want, p.Secrets[1]) != "" {
		t.Errorf("secrets %v", p.Secrets)
	}
	if g.Moment != facts.Live || len(g.Gaps) != 6 || len(g.NetworkPolicies) != 2 || len(g.NetworkPolicies[0].Spec.PolicyTypes) != 0 || len(g.DataVolumes) != 0 || cmp.Diff(stale, g.Secrets[0]) != "" {
		t.Errorf("what was gathered has changed: %+v", g)
	}
	g.DataVolumes = append(g.DataVolumes, *planned.DataVolume.DeepCopy())
	g.DataVolumes[0].UID = "live"
	if p := PlanMachine(g, planned, facts.Plan); len(p.DataVolumes) != 1 || p.DataVolumes[0].UID != "live" {
		t.Errorf("the DataVolume that exists is not the one judged: %+v", p.DataVolumes)
	}
}

func TestAPlanOfATenantKeepsWhatIsTheirs(t *testing.T) {
	tenant := &virtfoundryv1alpha1.Tenant{ObjectMeta: metav1.ObjectMeta{Name: "acme", UID: "t"}, Spec: virtfoundryv1alpha1.TenantSpec{Slug: "acme"}}
	planned, err := children.ForTenant(tenant, &catov1alpha1.ComplianceProfileParameters{})
	if err != nil {
		t.Fatal(err)
	}
	const namespace = "virtfoundry-tenant-acme"
	quota := corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "virtfoundry-default"}}
	g := &facts.Gathered{
		Tenant: tenant, NetworkPolicies: []networkingv1.NetworkPolicy{policy(namespace, "virtfoundry-default-deny"), policy(namespace, "theirs")},
		ResourceQuotas: []corev1.ResourceQuota{quota, {ObjectMeta: metav1.ObjectMeta{Name: "theirs"}}}, Gaps: map[string]string{"quotas": "no right"},
	}
	p := PlanTenant(g, planned, facts.Admission)
	if p.Namespace == nil || len(p.NetworkPolicies) != 3 || len(p.ResourceQuotas) != 2 || len(p.ResourceQuotas[1].Spec.Hard) == 0 || len(p.LimitRanges) != 1 || len(p.RoleBindings) != 2 || p.Moment != facts.Admission || len(p.Gaps) != 1 {
		t.Errorf("%+v", p)
	}
	if g.Namespace != nil || len(g.NetworkPolicies) != 2 || len(g.NetworkPolicies[0].Spec.Egress) != 0 || len(g.ResourceQuotas[0].Spec.Hard) != 0 {
		t.Errorf("what was gathered has changed: %+v", g)
	}
}
