package e2e

import (
	"context"
	"fmt"
	"slices"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kubevirtv1 "kubevirt.io/api/core/v1"
	cdiv1beta1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/compliance/metrics"
	"cato.dev/cato/controllers/apply"
)

// unwelcome is a machine that one rule denies.
type unwelcome struct {
	rule    string
	machine func(*udsv1alpha1.UDSVirtualMachine)
	beside  func(ctx context.Context, namespace string) // what is there already
}

func unwelcomes() []unwelcome {
	return []unwelcome{
		{"CRB-001", func(m *udsv1alpha1.UDSVirtualMachine) { m.Spec.Memory = "1Ki" }, nil},
		{"CPU-001", func(m *udsv1alpha1.UDSVirtualMachine) { m.Spec.CPU.Dedicated = true }, nil},
		{"NET-001", func(*udsv1alpha1.UDSVirtualMachine) {}, allowAll},
		{"NET-002", func(m *udsv1alpha1.UDSVirtualMachine) {
			m.Spec.Network = &udsv1alpha1.Network{Egress: []udsv1alpha1.EgressRule{{CIDR: "198.51.100.0/24"}}}
		}, nil},
		{"NET-003", func(m *udsv1alpha1.UDSVirtualMachine) {
			m.Spec.Network = &udsv1alpha1.Network{Networks: []string{"blue"}}
		}, nil},
		{"IMG-001", func(m *udsv1alpha1.UDSVirtualMachine) { m.Spec.Checksum = "md5:d41d8cd98f00b204e9800998ecf8427e" }, nil},
		{"IMG-003", func(m *udsv1alpha1.UDSVirtualMachine) {
			m.Spec.SourceType, m.Spec.Checksum = udsv1alpha1.SourceRegistry, ""
			m.Spec.URL = "docker://registry.example.net/some/image@" + image.Checksum
		}, nil},
		{"STO-001", func(*udsv1alpha1.UDSVirtualMachine) {}, tinyClaim},
		{"GST-004", withUserData, script("#!/bin/sh\necho 'ops:x' | chpasswd\n")},
		{"GST-005", withUserData, script("#!/bin/sh\ncat /tmp/key >> /root/.ssh/authorized_keys\n")},
	}
}

var _ = Describe("What is refused", func() {
	It("is denied by each enforcing rule and writes nothing", func(ctx SpecContext) {
		type pair struct {
			unwelcome
			namespace string
			before    []string
		}
		pairs := []pair{}
		for _, u := range unwelcomes() {
			p := pair{unwelcome: u, namespace: vmNamespace(ctx)}
			if u.beside != nil {
				u.beside(ctx, p.namespace)
			}
			pairs = append(pairs, p)
		}
		slug := unique("taken")
		stored(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: virtfoundryv1alpha1.NamespacePrefix + slug}})
		inTheirs := contents(ctx, virtfoundryv1alpha1.NamespacePrefix+slug)

		webhookAway(ctx, func() { // the operator is away, so the webhook cannot refuse them
			for i := range pairs {
				pairs[i].before = contents(ctx, pairs[i].namespace)
				machine := linuxMachine(pairs[i].namespace, "unwelcome")
				pairs[i].machine(machine)
				stored(ctx, machine)
			}
			stored(ctx, tenantNamed(slug))
		})
		for _, p := range pairs {
			machine := machineIn(ctx, p.namespace, "unwelcome", udsv1alpha1.PhaseFailed)
			refusal := meta.FindStatusCondition(machine.Status.Conditions, udsv1alpha1.ConditionPolicyAllowed)
			Expect(refusal.Reason).To(Equal(udsv1alpha1.ReasonPolicyDenied), "%s: %+v", p.rule, refusal)
			Expect(refusal.Message).To(ContainSubstring(p.rule))
			Expect(contents(ctx, p.namespace)).To(Equal(p.before), "%s: something was written", p.rule)
			Expect(machine.Finalizers).To(BeEmpty(), "%s", p.rule)
		}
		expectTenantRefused(ctx, slug, "NS-001")
		Expect(contents(ctx, virtfoundryv1alpha1.NamespacePrefix+slug)).To(Equal(inTheirs))
	}, NodeTimeout(12*time.Minute))

	It("is denied for a Tenant whose namespace is open, or whose slug is another's, and writes nothing", func(ctx SpecContext) {
		open := unique("open")
		namespace := virtfoundryv1alpha1.NamespacePrefix + open
		stored(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace, Labels: map[string]string{
			virtfoundryv1alpha1.LabelPartOf: virtfoundryv1alpha1.PartOf, virtfoundryv1alpha1.LabelTenant: open,
		}}})
		allowAll(ctx, namespace)
		holder := unique("holder")
		stored(ctx, tenantNamed(holder))
		readyTenant(ctx, holder)
		before := contents(ctx, namespace)
		newcomer := tenantNamed("a-" + holder)
		newcomer.Spec.Slug = holder
		webhookAway(ctx, func() {
			stored(ctx, tenantNamed(open))
			stored(ctx, newcomer)
		})
		expectTenantRefused(ctx, open, "NET-010")
		Expect(contents(ctx, namespace)).To(Equal(before))
		expectTenantRefused(ctx, newcomer.Name, "NS-001") // the namespace is the holder's
		Eventually(func(g Gomega) {
			failing, err := metric(ctx, metrics.RuleVerdicts, map[string]string{metrics.LabelRule: "NS-003", metrics.LabelVerdict: "fail"})
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(failing).To(HaveValue(BeNumerically(">=", 1)), "NS-003: the slug is another's")
		}).WithContext(ctx).Should(Succeed())
		readyTenant(ctx, holder)
		say("Not deniable by any Tenant or machine that the API server stores: NS-002 (the CRD's schema refuses the slug first); " +
			"RES-001, RES-002 (quota and limits are rendered from the profile that bounds them); " +
			"GST-001, GST-002, GST-003 (hardening wins over the user data: see the next spec)")
	}, NodeTimeout(12*time.Minute))

	It("is not the user data that hardening overrides: it is written hardened", func(ctx SpecContext) {
		namespace := vmNamespace(ctx)
		userData(ctx, namespace, "#cloud-config\nssh_pwauth: true\ndisable_root: false\nchpasswd: {expire: false}\npassword: secret-word\n")
		machine := linuxMachine(namespace, "soft")
		withUserData(machine)
		stored(ctx, machine)
		Eventually(func(g Gomega) {
			secret := &corev1.Secret{}
			g.Expect(k8s().Get(ctx, client.ObjectKey{Namespace: namespace, Name: "soft-cloudinit"}, secret)).To(Succeed())
			g.Expect(string(secret.Data["userdata"])).To(ContainSubstring("ssh_pwauth: false"))
			g.Expect(string(secret.Data["userdata"])).NotTo(ContainSubstring("secret-word"))
		}).WithContext(ctx).Should(Succeed())
		machineIn(ctx, namespace, "soft", udsv1alpha1.PhaseReady)
	}, NodeTimeout(9*time.Minute))

	It("waits for a Secret that is missing, writes nothing, and goes on when it appears", func(ctx SpecContext) {
		namespace := vmNamespace(ctx)
		before := contents(ctx, namespace)
		machine := linuxMachine(namespace, "waits")
		withUserData(machine)
		stored(ctx, machine)
		waiting := machineIn(ctx, namespace, "waits", udsv1alpha1.PhasePending)
		unknown := meta.FindStatusCondition(waiting.Status.Conditions, udsv1alpha1.ConditionPolicyAllowed)
		Expect(unknown.Status).To(Equal(metav1.ConditionUnknown), "%+v", unknown)
		Expect(unknown.Message).To(ContainSubstring("Secret " + namespace + "/user"))
		Expect(contents(ctx, namespace)).To(Equal(before))
		Consistently(func() []string { return contents(ctx, namespace) }).WithContext(ctx).WithTimeout(2 * time.Second).Should(Equal(before))
		userData(ctx, namespace, "#cloud-config\nhostname: waits\n")
		since := time.Now()
		machineIn(ctx, namespace, "waits", udsv1alpha1.PhaseReady)
		say("A machine whose Secret was missing was Ready %s after it appeared", time.Since(since).Round(time.Millisecond))
	}, NodeTimeout(9*time.Minute))
})

// webhookAway makes objects while the operator does not run, and starts it again.
func webhookAway(ctx context.Context, do func()) {
	GinkgoHelper()
	running.KillOperator()
	do()
	Expect(running.StartOperator(ctx)).To(Succeed())
}

func expectTenantRefused(ctx context.Context, name, rule string) {
	GinkgoHelper()
	tenant := &virtfoundryv1alpha1.Tenant{}
	Eventually(func(g Gomega) {
		g.Expect(k8s().Get(ctx, client.ObjectKey{Name: name}, tenant)).To(Succeed())
		g.Expect(tenant.Status.Phase).To(Equal(virtfoundryv1alpha1.TenantFailed), "%+v", tenant.Status)
		g.Expect(message(tenant.Status.Conditions, virtfoundryv1alpha1.ConditionPolicyAllowed)).To(ContainSubstring(rule))
	}).WithContext(ctx).Should(Succeed())
	Expect(tenant.Finalizers).To(BeEmpty())
}

// contents lists what is in a namespace, with resourceVersions, and whether
// Cato wrote it. Reports tell of the namespace and are no children.
func contents(ctx context.Context, namespace string) []string {
	GinkgoHelper()
	lines := []string{}
	for _, list := range []client.ObjectList{
		&networkingv1.NetworkPolicyList{}, &corev1.SecretList{}, &corev1.ConfigMapList{}, &corev1.ResourceQuotaList{}, &corev1.LimitRangeList{},
		&rbacv1.RoleBindingList{}, &rbacv1.RoleList{}, &corev1.PersistentVolumeClaimList{}, &corev1.PodList{}, &corev1.ServiceAccountList{},
		&kubevirtv1.VirtualMachineList{}, &kubevirtv1.VirtualMachineInstanceList{}, &cdiv1beta1.DataVolumeList{},
	} {
		Expect(k8s().List(ctx, list, client.InNamespace(namespace))).To(Succeed())
		Expect(meta.EachListItem(list, func(item runtime.Object) error {
			object, _ := item.(client.Object)
			if object.GetName() == "kube-root-ca.crt" || object.GetName() == "default" {
				return nil // Kubernetes' own, a moment after the namespace
			}
			byCato := slices.ContainsFunc(object.GetManagedFields(), func(f metav1.ManagedFieldsEntry) bool { return f.Manager == apply.FieldManager })
			lines = append(lines, fmt.Sprintf("%T %s %s cato=%t", object, object.GetName(), object.GetResourceVersion(), byCato))
			return nil
		})).To(Succeed())
	}
	slices.Sort(lines)
	return lines
}

func allowAll(ctx context.Context, namespace string) {
	GinkgoHelper()
	Expect(k8s().Create(ctx, &networkingv1.NetworkPolicy{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "allow-all"},
		Spec: networkingv1.NetworkPolicySpec{
			PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress},
			Ingress:     []networkingv1.NetworkPolicyIngressRule{{}}, Egress: []networkingv1.NetworkPolicyEgressRule{{}},
		},
	})).To(Succeed())
}

// tinyClaim is a bound claim of the name that the machine's disk will have.
func tinyClaim(ctx context.Context, namespace string) {
	GinkgoHelper()
	size := corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}
	claim := &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "unwelcome" + udsv1alpha1.DataVolumeSuffix},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}, VolumeName: "tiny", Resources: corev1.VolumeResourceRequirements{Requests: size},
		},
	}
	Expect(k8s().Create(ctx, claim)).To(Succeed())
	claim.Status = corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimBound, AccessModes: claim.Spec.AccessModes, Capacity: size}
	Expect(k8s().Status().Update(ctx, claim)).To(Succeed())
}

func withUserData(m *udsv1alpha1.UDSVirtualMachine) {
	m.Spec.Guest.UserDataSecretRef = &udsv1alpha1.SecretKeyRef{Name: "user"}
}

func script(text string) func(context.Context, string) {
	return func(ctx context.Context, namespace string) { userData(ctx, namespace, text) }
}

func userData(ctx context.Context, namespace, text string) {
	GinkgoHelper()
	Expect(k8s().Create(ctx, &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "user"}, StringData: map[string]string{"userdata": text},
	})).To(Succeed())
}
