package children

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	kubevirtv1 "kubevirt.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	"cato.dev/cato/api/quantity"
	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/policy/facts"
)

func machineInput(edit func(*udsv1alpha1.UDSVirtualMachineSpec)) MachineInput {
	m := &udsv1alpha1.UDSVirtualMachine{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "web", UID: "u"}, Spec: udsv1alpha1.UDSVirtualMachineSpec{
		Memory: "4Gi", DiskSize: "10Gi", SourceType: udsv1alpha1.SourceHTTP, URL: "https://images.example/a", Checksum: "sha256:abc",
	}}
	if edit != nil {
		edit(&m.Spec)
	}
	return MachineInput{Machine: m, DNS: facts.DNSOf(&catov1alpha1.ComplianceProfileParameters{}), Start: true}
}

func machineOf(t *testing.T, edit func(*udsv1alpha1.UDSVirtualMachineSpec)) *Machine {
	t.Helper()
	m, err := ForMachine(machineInput(edit))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func tenantOf(t *testing.T, p *catov1alpha1.ComplianceProfileParameters) *Tenant {
	t.Helper()
	if p == nil {
		p = &catov1alpha1.ComplianceProfileParameters{}
	}
	tenant, err := ForTenant(&virtfoundryv1alpha1.Tenant{ObjectMeta: metav1.ObjectMeta{Name: "acme-corp", UID: "t"}, Spec: virtfoundryv1alpha1.TenantSpec{Slug: "acme"}}, p)
	if err != nil {
		t.Fatal(err)
	}
	return tenant
}

func dnsRule() networkingv1.NetworkPolicyEgressRule {
	udp, tcp, dns := corev1.ProtocolUDP, corev1.ProtocolTCP, intstr.FromInt32(53)
	return networkingv1.NetworkPolicyEgressRule{
		To: []networkingv1.NetworkPolicyPeer{{
			NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": "kube-system"}},
			PodSelector:       &metav1.LabelSelector{MatchLabels: map[string]string{"k8s-app": "kube-dns"}},
		}},
		Ports: []networkingv1.NetworkPolicyPort{{Protocol: &udp, Port: &dns}, {Protocol: &tcp, Port: &dns}},
	}
}

func TestEveryChildHasKindNameLabelAndOneController(t *testing.T) {
	m, tenant := machineOf(t, nil), tenantOf(t, nil)
	for _, c := range []struct {
		object client.Object
		want   string
		uid    string
	}{
		{m.NetworkPolicy, "NetworkPolicy ns/web-netpol", "u"}, {m.CloudInit, "Secret ns/web-cloudinit", "u"},
		{m.DataVolume, "DataVolume ns/web-dv", "u"}, {m.VirtualMachine, "VirtualMachine ns/web", "u"},
		{tenant.Namespace, "Namespace /virtfoundry-tenant-acme", "t"},
		{tenant.NetworkPolicies[0], "NetworkPolicy virtfoundry-tenant-acme/virtfoundry-default-deny", "t"},
		{tenant.NetworkPolicies[1], "NetworkPolicy virtfoundry-tenant-acme/virtfoundry-importer-egress", "t"},
		{tenant.ResourceQuota, "ResourceQuota virtfoundry-tenant-acme/virtfoundry-default", "t"},
		{tenant.LimitRange, "LimitRange virtfoundry-tenant-acme/virtfoundry-default", "t"},
		{tenant.RoleBindings[0], "RoleBinding virtfoundry-tenant-acme/virtfoundry-operator-kubevirt-mutate", "t"},
		{tenant.RoleBindings[1], "RoleBinding virtfoundry-tenant-acme/virtfoundry-operator-vm-namespace", "t"},
	} {
		if got := c.object.GetObjectKind().GroupVersionKind().Kind + " " + c.object.GetNamespace() + "/" + c.object.GetName(); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
		if ref := metav1.GetControllerOf(c.object); ref == nil || string(ref.UID) != c.uid || len(c.object.GetOwnerReferences()) != 1 {
			t.Errorf("%s: owners %v", c.want, c.object.GetOwnerReferences())
		}
		labels := c.object.GetLabels()
		if c.uid == "u" && labels["uds.dev/vm"] != "web" || c.uid == "t" && (labels["virtfoundry.io/tenant"] != "acme" || labels["app.kubernetes.io/managed-by"] != "virtfoundry-operator") {
			t.Errorf("%s: labels %v", c.want, labels)
		}
	}
	for _, mode := range []string{"enforce", "audit", "warn"} {
		if tenant.Namespace.Labels["pod-security.kubernetes.io/"+mode] != "privileged" || tenant.ResourceQuota.Labels["pod-security.kubernetes.io/"+mode] != "" {
			t.Errorf("pod security %s: namespace %v, quota %v", mode, tenant.Namespace.Labels, tenant.ResourceQuota.Labels)
		}
	}
}

func TestAMachineMayReachDNSAndWhatItAsksFor(t *testing.T) {
	want := networkingv1.NetworkPolicySpec{
		PodSelector: metav1.LabelSelector{MatchLabels: map[string]string{"uds.dev/vm": "web"}}, PolicyTypes: []networkingv1.PolicyType{"Ingress", "Egress"},
		Ingress: []networkingv1.NetworkPolicyIngressRule{}, Egress: []networkingv1.NetworkPolicyEgressRule{dnsRule()},
	}
	m := machineOf(t, nil)
	if diff := cmp.Diff(want, m.NetworkPolicy.Spec); diff != "" {
		t.Error(diff)
	}
	if m.VirtualMachine.Spec.Template.ObjectMeta.Labels["uds.dev/vm"] != "web" {
		t.Error("the policy does not select the launcher pod")
	}
	end, tcp, port := int32(99), corev1.ProtocolTCP, intstr.FromInt32(90)
	want.Egress = append(want.Egress, networkingv1.NetworkPolicyEgressRule{
		To:    []networkingv1.NetworkPolicyPeer{{IPBlock: &networkingv1.IPBlock{CIDR: "10.0.0.0/8"}}},
		Ports: []networkingv1.NetworkPolicyPort{{Protocol: &tcp, Port: &port, EndPort: &end}},
	})
	asks := machineOf(t, func(s *udsv1alpha1.UDSVirtualMachineSpec) {
		s.Network = &udsv1alpha1.Network{Egress: []udsv1alpha1.EgressRule{{CIDR: "10.0.0.0/8", Ports: []udsv1alpha1.Port{{Port: 90, EndPort: &end}}}}}
	})
	if diff := cmp.Diff(want, asks.NetworkPolicy.Spec); diff != "" {
		t.Error(diff)
	}
}

func TestImportersReachThePublicWebOnly(t *testing.T) {
	spec := tenantOf(t, nil).NetworkPolicies[1].Spec
	if diff := cmp.Diff(map[string]string{"cdi.kubevirt.io": "importer"}, spec.PodSelector.MatchLabels); diff != "" || len(spec.Egress) != 1 {
		t.Fatalf("selects %v with %d rules", spec.PodSelector, len(spec.Egress))
	}
	reached := func(address string) bool {
		return slices.ContainsFunc(spec.Egress[0].To, func(peer networkingv1.NetworkPolicyPeer) bool {
			holds := func(cidr string) bool { return netip.MustParsePrefix(cidr).Contains(netip.MustParseAddr(address)) }
			return holds(peer.IPBlock.CIDR) && !slices.ContainsFunc(peer.IPBlock.Except, holds)
		})
	}
	for address, want := range map[string]bool{
		"8.8.8.8": true, "2600::1": true, "10.1.2.3": false, "172.31.0.1": false, "192.168.1.1": false, "169.254.169.254": false, "100.64.0.1": false,
		"127.0.0.1": false, "fd00::1": false, "fe80::1": false, "::1": false, "64:ff9b::a00:1": false,
	} {
		if reached(address) != want {
			t.Errorf("%s: reached is %t", address, !want)
		}
	}
}

func TestTheTenantsPolicyOpensTheWebForAllOnlyWhenTold(t *testing.T) {
	all := &catov1alpha1.ComplianceProfileParameters{Tenant: &catov1alpha1.TenantParameters{Egress: &catov1alpha1.TenantEgress{HTTP: catov1alpha1.HTTPAll}}, KubevirtNamespace: "kv"}
	closed, open := tenantOf(t, nil).NetworkPolicies[0].Spec, tenantOf(t, all).NetworkPolicies[0].Spec
	if len(closed.Egress) != 4 || len(open.Egress) != 5 || len(open.Egress[4].To) != 0 || len(open.Egress[4].Ports) != 2 {
		t.Errorf("closed %v\nopen %v", closed.Egress, open.Egress)
	}
	if diff := cmp.Diff(dnsRule(), closed.Egress[0]); diff != "" {
		t.Error(diff)
	}
	if got := open.Egress[2].To[0].NamespaceSelector.MatchLabels["kubernetes.io/metadata.name"]; got != "kv" {
		t.Errorf("KubeVirt's namespace is %q", got)
	}
}

func TestTheDataVolumeIsBoundAtOnceAndNotInflated(t *testing.T) {
	for source, url := range map[udsv1alpha1.SourceType]string{"http": "https://images.example/a", "registry": "quay.io/a/b", "upload": "", "blank": ""} {
		dv := machineOf(t, func(s *udsv1alpha1.UDSVirtualMachineSpec) { s.SourceType, s.URL, s.VolumeMode = source, url, "Block" }).DataVolume
		size := dv.Spec.Storage.Resources.Requests[corev1.ResourceStorage]
		if dv.Annotations["cdi.kubevirt.io/storage.bind.immediate.requested"] != "true" || size.Value() != 10<<30 || *dv.Spec.Storage.VolumeMode != "Block" || dv.Spec.PVC != nil {
			t.Errorf("%s: %v with %s", source, dv.Annotations, size.String())
		}
		s := dv.Spec.Source
		given := map[udsv1alpha1.SourceType]bool{
			"http":     s.HTTP != nil && s.HTTP.URL == url && s.HTTP.Checksum == "sha256:abc",
			"registry": s.Registry != nil && *s.Registry.URL == "docker://quay.io/a/b",
			"upload":   s.Upload != nil, "blank": s.Blank != nil,
		}
		for kind, present := range given {
			if present != (kind == source) {
				t.Errorf("%s: source %s is there: %t", source, kind, present)
			}
		}
	}
}

func TestAGuestStartsOnlyWhenItMay(t *testing.T) {
	for _, c := range []struct {
		start bool
		asked udsv1alpha1.RunStrategy
		want  kubevirtv1.VirtualMachineRunStrategy
	}{{true, "", "Always"}, {true, "Manual", "Manual"}, {true, "Halted", "Halted"}, {false, "Always", "Halted"}, {false, "", "Halted"}} {
		in := machineInput(func(s *udsv1alpha1.UDSVirtualMachineSpec) { s.RunStrategy = c.asked })
		in.Start = c.start
		m, err := ForMachine(in)
		if err != nil || *m.VirtualMachine.Spec.RunStrategy != c.want {
			t.Errorf("%+v: %v, %v", c, m, err)
		}
	}
}

func TestWhatNoChildrenCanBeMadeOfIsNamedWithARemedy(t *testing.T) {
	type spec = udsv1alpha1.UDSVirtualMachineSpec
	for name, c := range map[string]struct {
		edit     func(*spec)
		userData string
		want     []string
	}{
		"no memory":         {edit: func(s *spec) { s.Memory = "" }, want: []string{"ns/web", "spec.memory", `""`, "missing", "4Gi"}},
		"memory beyond":     {edit: func(s *spec) { s.Memory = "9Ei" }, want: []string{"spec.memory", `"9Ei"`, "overflows", "4Gi"}},
		"no number":         {edit: func(s *spec) { s.DiskSize = "1e1.5" }, want: []string{"spec.diskSize", `"1e1.5"`, "exponent", "4Gi"}},
		"nothing":           {edit: func(s *spec) { s.DiskSize = "0" }, want: []string{"spec.diskSize", `"0"`, "not a positive size"}},
		"less than nothing": {edit: func(s *spec) { s.DiskSize = "-1Gi" }, want: []string{"spec.diskSize", `"-1Gi"`, "not a positive size"}},
		"a clone":           {edit: func(s *spec) { s.SourceType = "pvc" }, want: []string{"spec.sourceType", `"pvc"`, "use http, registry"}},
		"windows":           {edit: func(s *spec) { s.OSType = "windows" }, want: []string{"spec.osType", "windows", "use linux"}},
		"bad user data":     {userData: "#cloud-config\nusers: {hunter2: [\n", want: []string{"ns/web", "spec.guest"}},
	} {
		in := machineInput(c.edit)
		in.UserData = []byte(c.userData)
		_, err := ForMachine(in)
		if err == nil {
			t.Errorf("%s: children were made", name)
			continue
		}
		for _, part := range c.want {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %q does not say %q", name, err, part)
			}
		}
		if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: user data is in the error: %q", name, err)
		}
	}
	bad := &catov1alpha1.ComplianceProfileParameters{Quota: &catov1alpha1.QuotaParameters{Hard: map[string]quantity.Text{"pods": "many"}}}
	if _, err := ForTenant(&virtfoundryv1alpha1.Tenant{}, bad); err == nil || !strings.Contains(err.Error(), `spec.parameters.quota.hard[pods]: "many" is not a quantity`) {
		t.Errorf("a quota of many pods: %v", err)
	}
}
