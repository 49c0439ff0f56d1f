package facts

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	"cato.dev/cato/api/quantity"
)

func milli(resource, text string, n int64) Amount {
	return Amount{Resource: resource, Text: text, Milli: &n}
}

func TestWithoutAProfileTheDocumentedDefaultsHold(t *testing.T) {
	want := Params{
		Profile: "uds", SourceHosts: []SourceHost{}, TenantHTTPEgress: "importers", NetworkPolicyEnforcement: "assumed",
		ImagePrefixes: []ImagePrefix{
			{Text: "quay.io/containerdisks/", Registry: "quay.io", Path: []string{"containerdisks"}},
			{Text: "quay.io/kubevirt/", Registry: "quay.io", Path: []string{"kubevirt"}},
			{Text: "ghcr.io/virtfoundry/", Registry: "ghcr.io", Path: []string{"virtfoundry"}},
		},
		DNS:               []DNSPeer{{Namespace: "kube-system", Pods: map[string]string{"k8s-app": "kube-dns"}}},
		KubeVirtNamespace: "kubevirt", CDINamespace: "cdi", MaxCores: 256, MinMemory: 64 << 20, MaxMemory: 1 << 40, MemoryBounds: "64Mi to 1Ti",
		Quota: []Amount{
			milli("limits.cpu", "40", 40e3), milli("limits.memory", "80Gi", 80<<30*1000), milli("persistentvolumeclaims", "20", 20e3), milli("pods", "50", 50e3),
			milli("requests.cpu", "20", 20e3), milli("requests.memory", "40Gi", 40<<30*1000), milli("services", "20", 20e3),
		},
		LimitMax:            []Amount{milli("cpu", "8", 8e3), milli("memory", "16Gi", 16<<30*1000)},
		LimitDefault:        []Amount{milli("cpu", "1", 1e3), milli("memory", "1Gi", 1<<30*1000)},
		LimitDefaultRequest: []Amount{milli("cpu", "100m", 100), milli("memory", "128Mi", 128<<20*1000)},
		ClusterRanges:       []string{},
		DefaultClass:        "auto",
		Grants: Grants{
			DedicatedCPU: []NamespaceGrant{}, Egress: []EgressGrant{}, SecondaryNetworks: []NetworkGrant{}, CrossNamespaceSources: []SourceGrant{},
			SharedNetworks: []NetworkGrant{}, SecurityGroups: []GroupGrant{},
		},
	}
	if diff := cmp.Diff(want, buildParams(&Gathered{Profile: Profile{Name: "uds"}})); diff != "" {
		t.Error(diff)
	}
}

func TestAProfileReplacesWhatItNames(t *testing.T) {
	yes, cores := true, int32(4)
	got := buildParams(&Gathered{Profile: Profile{Name: "mission", Parameters: catov1alpha1.ComplianceProfileParameters{
		ImageAllowlist: &catov1alpha1.ImageAllowlist{}, AllowUnverifiedDisk: &yes, NetworkPolicyEnforcement: "verified",
		Tenant: &catov1alpha1.TenantParameters{Egress: &catov1alpha1.TenantEgress{HTTP: "all"}}, KubevirtNamespace: "kv", CDINamespace: "importer",
		DNS: []catov1alpha1.DNSPeer{{Namespace: "dns", PodLabels: map[string]string{"app": "coredns"}}}, CPU: &catov1alpha1.CPUBounds{Max: &cores},
		Memory:     &catov1alpha1.MemoryBounds{Min: "1Gi", Max: "nonsense"},
		Quota:      &catov1alpha1.QuotaParameters{Hard: map[string]quantity.Text{"pods": "5", "requests.cpu": "1e30", "count/secrets": "1.5.2"}},
		LimitRange: &catov1alpha1.LimitRangeParameters{Max: map[string]quantity.Text{"cpu": "2"}},
	}}})
	defaults := buildParams(&Gathered{})
	want := defaults
	want.Profile, want.ImagePrefixes, want.AllowUnverifiedDisk, want.NetworkPolicyEnforcement = "mission", []ImagePrefix{}, true, "verified"
	want.TenantHTTPEgress, want.KubeVirtNamespace, want.CDINamespace, want.MaxCores, want.MinMemory = "all", "kv", "importer", 4, 1<<30
	want.MemoryBounds = "1Gi to 1Ti"
	want.DNS = []DNSPeer{{Namespace: "dns", Pods: map[string]string{"app": "coredns"}}}
	want.LimitMax = []Amount{milli("cpu", "2", 2e3), defaults.LimitMax[1]}
	want.Quota = []Amount{ // what is too large or no quantity has no amount, so that no rule finds it met
		{Resource: "count/secrets", Text: "1.5.2"}, defaults.Quota[0], defaults.Quota[1], defaults.Quota[2], milli("pods", "5", 5e3),
		{Resource: "requests.cpu", Text: "1e30"}, defaults.Quota[5], defaults.Quota[6],
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAGrantIsOfTheNamespacesThatItsSelectorSelects(t *testing.T) {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "a", Labels: map[string]string{"team": "red"}}}
	for name, c := range map[string]struct {
		selector  *metav1.LabelSelector
		namespace *corev1.Namespace
		want      bool
	}{
		"the label":                     {labelled("team", "red"), namespace, true},
		"another value":                 {labelled("team", "blue"), namespace, false},
		"every namespace":               {labelled(), namespace, true},
		"an expression":                 {expression("team", metav1.LabelSelectorOpExists), namespace, true},
		"a malformed expression":        {expression("team", "Like", "r"), namespace, false},
		"In without values":             {expression("team", metav1.LabelSelectorOpIn), namespace, false},
		"a namespace that is not there": {labelled(), nil, false},
	} {
		grants := catov1alpha1.Grants{
			DedicatedCPU:          []catov1alpha1.NamespaceGrant{{NamespaceSelector: *c.selector, Reason: "why"}},
			Egress:                []catov1alpha1.EgressGrant{{NamespaceSelector: *c.selector, CIDRs: []string{"10.0.0.0/8"}, Ports: []catov1alpha1.GrantPort{{Port: 443}}}},
			SecondaryNetworks:     []catov1alpha1.NetworkGrant{{NamespaceSelector: *c.selector, Networks: []string{"a/b"}}},
			CrossNamespaceSources: []catov1alpha1.SourceGrant{{NamespaceSelector: *c.selector, SourceNamespaces: []string{"golden"}}},
			SharedNetworks:        []catov1alpha1.NetworkGrant{{NamespaceSelector: *c.selector, Networks: []string{"virtfoundry-system/public"}}},
			SecurityGroups:        []catov1alpha1.SecurityGroupGrant{{NamespaceSelector: *c.selector, CIDRs: []string{"192.0.2.0/24"}}},
		}
		port := int64(443)
		want := Grants{
			DedicatedCPU:          []NamespaceGrant{{Selects: c.want, Reason: "why"}},
			Egress:                []EgressGrant{{Selects: c.want, CIDRs: []string{"10.0.0.0/8"}, Ports: []Port{{Protocol: "TCP", Number: &port}}}},
			SecondaryNetworks:     []NetworkGrant{{Selects: c.want, Networks: []string{"a/b"}}},
			CrossNamespaceSources: []SourceGrant{{Selects: c.want, Namespaces: []string{"golden"}}},
			SharedNetworks:        []NetworkGrant{{Selects: c.want, Networks: []string{"virtfoundry-system/public"}}},
			SecurityGroups:        []GroupGrant{{Selects: c.want, CIDRs: []string{"192.0.2.0/24"}}},
		}
		if diff := cmp.Diff(want, buildGrants(&grants, c.namespace)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestQuotasAndLimitsAreNumbersInOrder(t *testing.T) {
	quota := func(name, cpu string) corev1.ResourceQuota {
		return corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{"requests.cpu": resource.MustParse(cpu)}}}
	}
	scoped, selected, empty := quota("c", "1"), quota("d", "1"), quota("e", "1")
	scoped.Spec.Scopes = []corev1.ResourceQuotaScope{corev1.ResourceQuotaScopeBestEffort}
	selected.Spec.ScopeSelector = &corev1.ScopeSelector{MatchExpressions: []corev1.ScopedResourceSelectorRequirement{{}}}
	empty.Spec.ScopeSelector = &corev1.ScopeSelector{}
	got := []any{}
	for _, q := range buildQuotas([]corev1.ResourceQuota{selected, scoped, quota("b", "1500m"), quota("a", "0.1m"), empty}) {
		got = append(got, q.Name, q.Scoped, *q.Hard[0].Milli)
	}
	want := []any{"a", false, int64(1), "b", false, int64(1500), "c", true, int64(1000), "d", true, int64(1000), "e", false, int64(1000)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
