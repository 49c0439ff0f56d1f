// Package children holds pure functions from a custom resource and what it
// refers to, to the child objects that are to exist for it. They know no
// client, no clock and no policy: what may be written is asked elsewhere.
package children

import (
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"fmt"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	"cato.dev/cato/api/quantity"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/policy/facts"
)

// ImporterEgressName is the policy that lets CDI's importer pods, and no
// others, fetch images over HTTP and HTTPS.
const ImporterEgressName = "virtfoundry-importer-egress"

// VMNamespaceRoleName is the ClusterRole that, bound in a namespace, lets the
// operator write the children of machines there (decision 5).
const VMNamespaceRoleName = "virtfoundry-operator-vm-namespace"

// Tenant are the children of a Tenant.
type Tenant struct {
	Namespace       *corev1.Namespace
	NetworkPolicies []*networkingv1.NetworkPolicy
	ResourceQuota   *corev1.ResourceQuota
	LimitRange      *corev1.LimitRange
	RoleBindings    []*rbacv1.RoleBinding
}

// ForTenant renders a Tenant's children by the VirtFoundry sheet, section 2.2.
// It fails when a parameter of the profile is not a quantity.
func ForTenant(tenant *virtfoundryv1alpha1.Tenant, parameters *catov1alpha1.ComplianceProfileParameters) (*Tenant, error) {
	tenancy := facts.TenancyOf(parameters)
	hard, err := resourceList("spec.parameters.quota.hard", tenancy.Quota)
	if err != nil {
		return nil, err
	}
	limits, err := limitRangeItem(tenancy)
	if err != nil {
		return nil, err
	}
	t := &Tenant{
		Namespace: &corev1.Namespace{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"},
			ObjectMeta: metav1.ObjectMeta{
				Name: NamespaceOf(tenant), Labels: tenantLabels(tenant), OwnerReferences: owner(tenant, virtfoundryv1alpha1.GroupVersion.WithKind("Tenant")),
			},
		},
		NetworkPolicies: []*networkingv1.NetworkPolicy{defaultDeny(tenant, parameters), importerEgress(tenant)},
		ResourceQuota: &corev1.ResourceQuota{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ResourceQuota"},
			ObjectMeta: tenantMeta(tenant, virtfoundryv1alpha1.QuotaName),
			Spec:       corev1.ResourceQuotaSpec{Hard: hard},
		},
		LimitRange: &corev1.LimitRange{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "LimitRange"},
			ObjectMeta: tenantMeta(tenant, virtfoundryv1alpha1.LimitRangeName),
			Spec:       corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{limits}},
		},
		RoleBindings: []*rbacv1.RoleBinding{
			operatorBinding(tenant, virtfoundryv1alpha1.MutateRoleName),
			operatorBinding(tenant, VMNamespaceRoleName),
		},
	}
	for _, mode := range []string{"enforce", "audit", "warn"} {
		// virt-launcher needs it: KubeVirt's pods are not within the baseline.
		t.Namespace.Labels["pod-security.kubernetes.io/"+mode] = "privileged"
	}
	if httpEgress(parameters) == catov1alpha1.HTTPAll {
		t.NetworkPolicies[0].Spec.Egress = append(t.NetworkPolicies[0].Spec.Egress, networkingv1.NetworkPolicyEgressRule{Ports: tcp(80, 443)})
	}
	return t, nil
}

// NamespaceOf is the name of a Tenant's namespace.
func NamespaceOf(tenant *virtfoundryv1alpha1.Tenant) string {
	return virtfoundryv1alpha1.NamespacePrefix + tenant.Spec.Slug
}

func httpEgress(p *catov1alpha1.ComplianceProfileParameters) catov1alpha1.TenantHTTP {
	if p.Tenant == nil || p.Tenant.Egress == nil || p.Tenant.Egress.HTTP == "" {
		return catov1alpha1.HTTPImporters
	}
	return p.Tenant.Egress.HTTP
}

func tenantLabels(tenant *virtfoundryv1alpha1.Tenant) map[string]string {
	return map[string]string{
		virtfoundryv1alpha1.LabelPartOf:    virtfoundryv1alpha1.PartOf,
		virtfoundryv1alpha1.LabelManagedBy: virtfoundryv1alpha1.ManagedBy,
		virtfoundryv1alpha1.LabelTenant:    tenant.Spec.Slug,
	}
}

func tenantMeta(tenant *virtfoundryv1alpha1.Tenant, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name: name, Namespace: NamespaceOf(tenant), Labels: tenantLabels(tenant),
		OwnerReferences: owner(tenant, virtfoundryv1alpha1.GroupVersion.WithKind("Tenant")),
	}
}

func defaultDeny(tenant *virtfoundryv1alpha1.Tenant, p *catov1alpha1.ComplianceProfileParameters) *networkingv1.NetworkPolicy {
	anyPod := []networkingv1.NetworkPolicyPeer{{PodSelector: &metav1.LabelSelector{}}}
	egress := dnsEgress(facts.DNSOf(p))
	egress = append(egress, networkingv1.NetworkPolicyEgressRule{To: anyPod})
	for _, namespace := range []string{orName(p.KubevirtNamespace, "kubevirt"), orName(p.CDINamespace, "cdi")} {
		egress = append(egress, networkingv1.NetworkPolicyEgressRule{To: []networkingv1.NetworkPolicyPeer{{NamespaceSelector: namespaceNamed(namespace)}}})
	}
	return &networkingv1.NetworkPolicy{
		TypeMeta:   metav1.TypeMeta{APIVersion: "networking.k8s.io/v1", Kind: "NetworkPolicy"},
		ObjectMeta: tenantMeta(tenant, virtfoundryv1alpha1.NetworkPolicyName),
		Spec: networkingv1.NetworkPolicySpec{
			PolicyTypes: bothDirections(),
			Ingress:     []networkingv1.NetworkPolicyIngressRule{{From: anyPod}},
			Egress:      egress,
		},
	}
}

// importerEgress allows TCP 80 and 443 to public addresses from importer pods
// alone: the original opens them for every pod, which also opens the metadata
// service, the nodes and every private range (sheet, section 7.2, number 6).
func importerEgress(tenant *virtfoundryv1alpha1.Tenant) *networkingv1.NetworkPolicy {
	return &networkingv1.NetworkPolicy{
		TypeMeta:   metav1.TypeMeta{APIVersion: "networking.k8s.io/v1", Kind: "NetworkPolicy"},
		ObjectMeta: tenantMeta(tenant, ImporterEgressName),
		Spec: networkingv1.NetworkPolicySpec{
			PodSelector: metav1.LabelSelector{MatchLabels: map[string]string{"cdi.kubevirt.io": "importer"}},
			PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeEgress},
			Egress: []networkingv1.NetworkPolicyEgressRule{{
				To: []networkingv1.NetworkPolicyPeer{
					{IPBlock: &networkingv1.IPBlock{CIDR: "0.0.0.0/0", Except: []string{"10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16"}}},
					{IPBlock: &networkingv1.IPBlock{CIDR: "::/0", Except: []string{"::1/128", "64:ff9b::/96", "fc00::/7", "fe80::/10"}}},
				},
				Ports: tcp(80, 443),
			}},
		},
	}
}

func operatorBinding(tenant *virtfoundryv1alpha1.Tenant, role string) *rbacv1.RoleBinding {
	return &rbacv1.RoleBinding{
		TypeMeta:   metav1.TypeMeta{APIVersion: "rbac.authorization.k8s.io/v1", Kind: "RoleBinding"},
		ObjectMeta: tenantMeta(tenant, role),
		RoleRef:    rbacv1.RoleRef{APIGroup: "rbac.authorization.k8s.io", Kind: "ClusterRole", Name: role},
		Subjects: []rbacv1.Subject{{
			Kind: "ServiceAccount", Name: virtfoundryv1alpha1.ServiceAccountName, Namespace: virtfoundryv1alpha1.SystemNamespace,
		}},
	}
}

func limitRangeItem(tenancy facts.Tenancy) (corev1.LimitRangeItem, error) {
	item := corev1.LimitRangeItem{Type: corev1.LimitTypeContainer}
	for _, part := range []struct {
		field  string
		values map[string]quantity.Text
		into   *corev1.ResourceList
	}{
		{"default", tenancy.Default, &item.Default},
		{"defaultRequest", tenancy.DefaultRequest, &item.DefaultRequest},
		{"max", tenancy.Max, &item.Max},
	} {
		list, err := resourceList("spec.parameters.limitRange."+part.field, part.values)
		if err != nil {
			return item, err
		}
		*part.into = list
	}
	complete(item.Default, item.Max)
	complete(item.DefaultRequest, item.Default)
	return item, nil
}

// complete fills in what the API server defaults in a LimitRange, so that what
// is read is what was written.
func complete(list, otherwise corev1.ResourceList) {
	for name, amount := range otherwise {
		if _, found := list[name]; !found {
			list[name] = amount
		}
	}
}

func resourceList(path string, values map[string]quantity.Text) (corev1.ResourceList, error) {
	list := corev1.ResourceList{}
	for name, text := range values {
		amount, err := resource.ParseQuantity(string(text))
		if err != nil {
			return nil, fmt.Errorf("ComplianceProfile %s[%s]: %q is not a quantity: write for example 20 or 40Gi", path, name, text)
		}
		list[corev1.ResourceName(name)] = amount
	}
	return list, nil
}

func dnsEgress(peers []facts.DNSPeer) []networkingv1.NetworkPolicyEgressRule {
	to := make([]networkingv1.NetworkPolicyPeer, 0, len(peers))
	for _, peer := range peers {
		to = append(to, networkingv1.NetworkPolicyPeer{
			NamespaceSelector: namespaceNamed(peer.Namespace),
			PodSelector:       &metav1.LabelSelector{MatchLabels: peer.Pods},
		})
	}
	return []networkingv1.NetworkPolicyEgressRule{{To: to, Ports: []networkingv1.NetworkPolicyPort{
		port(corev1.ProtocolUDP, 53), port(corev1.ProtocolTCP, 53),
	}}}
}

func namespaceNamed(name string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: name}}
}

func port(protocol corev1.Protocol, number int32) networkingv1.NetworkPolicyPort {
	value := intstr.FromInt32(number)
	return networkingv1.NetworkPolicyPort{Protocol: &protocol, Port: &value}
}

func tcp(numbers ...int32) []networkingv1.NetworkPolicyPort {
	ports := make([]networkingv1.NetworkPolicyPort, 0, len(numbers))
	for _, number := range numbers {
		ports = append(ports, port(corev1.ProtocolTCP, number))
	}
	return ports
}

func bothDirections() []networkingv1.PolicyType {
	return []networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress}
}

func orName(name, otherwise string) string {
	if name == "" {
		return otherwise
	}
	return name
}
