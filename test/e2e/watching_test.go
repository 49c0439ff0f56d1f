package e2e

import (
	"context"
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	cdiv1beta1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	"cato.dev/cato/controllers/assessment"
	"cato.dev/cato/policy/facts"
)

// idle is how long nothing may be written while nothing changes.
const idle = 15 * time.Second

var _ = Describe("Live watching", func() {
	It("follows a second policy that allows everything", func(ctx SpecContext) {
		namespace := judgedNamespace(ctx)
		reader := assessor(ctx, namespace, false)
		open := openPolicy(namespace)
		started := time.Now()
		Expect(k8s().Create(ctx, open)).To(Succeed())
		becomes(ctx, namespace, reader, "NET-001", "vm-1", "fail")
		say("From the creation of an allow-all NetworkPolicy to the verdict in the document: %s (1 sample)", time.Since(started).Round(time.Millisecond))
		Expect(k8s().Delete(ctx, open)).To(Succeed())
		becomes(ctx, namespace, reader, "NET-001", "vm-1", "pass")
	}, SpecTimeout(9*time.Minute))

	It("judges again what an event touches, and nothing else", func(ctx SpecContext) {
		namespace, other := vmNamespace(ctx), vmNamespace(ctx)
		const unrelated = 10
		for i := range unrelated {
			Expect(k8s().Create(ctx, unmanaged(other, fmt.Sprintf("other-%d", i), "seed"))).To(Succeed())
		}
		Expect(k8s().Create(ctx, unmanaged(namespace, "bare", "seed"))).To(Succeed())
		becomes(ctx, namespace, assessor(ctx, namespace, false), "NET-001", "bare", "fail")
		stillness(ctx)

		before := judgements(ctx)
		elsewhere := openPolicy(namespace)
		elsewhere.Spec.PodSelector.MatchLabels = map[string]string{"app": "web"}
		Expect(k8s().Create(ctx, elsewhere)).To(Succeed())
		Consistently(func() uint64 { return judgements(ctx) }).WithContext(ctx).WithTimeout(2*time.Second).
			Should(Equal(before), "a policy for other pods wakes nobody")
		everyPod := openPolicy(namespace)
		everyPod.Name = "every-pod"
		Expect(k8s().Create(ctx, everyPod)).To(Succeed())
		Eventually(func() uint64 { return judgements(ctx) }).WithContext(ctx).Should(Equal(before + 1))
		Expect(k8s().Delete(ctx, everyPod)).To(Succeed())
		Eventually(func() uint64 { return judgements(ctx) }).WithContext(ctx).Should(Equal(before + 2))
		quiet(ctx)
		Expect(judgements(ctx)).To(Equal(before+2), "of %d machines one was touched, twice", unrelated+1)
	}, SpecTimeout(9*time.Minute))

	It("follows what is edited around a machine that no custom resource describes, and forgets it with its last trace", func(ctx SpecContext) {
		namespace := vmNamespace(ctx)
		reader := assessor(ctx, namespace, false)
		secret := stored(ctx, &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "seed"},
			StringData: map[string]string{"userdata": "#cloud-config\nssh_pwauth: false\ndisable_root: true\n"},
		})
		vm := unmanaged(namespace, "bare", "seed")
		Expect(k8s().Create(ctx, vm)).To(Succeed())
		DeferCleanup(func(ctx SpecContext) { removed(ctx, vm) }, NodeTimeout(removeTimeout))
		becomes(ctx, namespace, reader, "GST-001", "bare", "pass")
		Expect(verdictOn(ctx, Default, namespace, reader, "GST-001", "bare").Subject.Kind).To(Equal(facts.KindVirtualMachine))
		becomes(ctx, namespace, reader, "NET-001", "bare", "fail")

		started := time.Now()
		secret.StringData = map[string]string{"userdata": "#cloud-config\nssh_pwauth: true\n"}
		Expect(k8s().Update(ctx, secret)).To(Succeed())
		becomes(ctx, namespace, reader, "GST-001", "bare", "fail")
		say("From the edit of a cloud-init Secret to the verdict in the document: %s (1 sample)", time.Since(started).Round(time.Millisecond))
		Eventually(func() string { return reportOf(ctx, namespace) }).WithContext(ctx).Should(ContainSubstring("GST-001"))

		removed(ctx, vm)
		Eventually(func(g Gomega) {
			web, err := running.OSCALClient()
			g.Expect(err).NotTo(HaveOccurred())
			_, status, err := get(ctx, web, running.OSCALURL+"/oscal/v1/assessment-results?namespace="+namespace, reader)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(status).To(Equal(404), "nothing is left to be said")
			families, err := scrape(ctx)
			g.Expect(err).NotTo(HaveOccurred())
			for name, family := range families {
				for _, m := range family.Metric {
					for _, label := range m.Label {
						g.Expect(label.GetValue()).NotTo(Equal(namespace), "a series of %s", name)
					}
				}
			}
			g.Expect(reportOf(ctx, namespace)).To(BeEmpty(), "a report")
		}).WithContext(ctx).Should(Succeed())
	}, SpecTimeout(9*time.Minute))

	It("follows the file system overhead that CDI is configured with", func(ctx SpecContext) {
		namespace := vmNamespace(ctx)
		stored(ctx, linuxMachine(namespace, "vm-1"))
		machineIn(ctx, namespace, "vm-1", udsv1alpha1.PhaseReady)
		reader := assessor(ctx, namespace, false)
		becomes(ctx, namespace, reader, "STO-001", "vm-1", "pass")
		restore := overhead(ctx, "0.5")
		becomes(ctx, namespace, reader, "STO-001", "vm-1", "fail")
		restore()
		becomes(ctx, namespace, reader, "STO-001", "vm-1", "pass")
	}, SpecTimeout(9*time.Minute))

	It("writes a report when its content changes and at no other time", func(ctx SpecContext) {
		namespace := vmNamespace(ctx)
		stored(ctx, linuxMachine(namespace, "vm-1"))
		machineIn(ctx, namespace, "vm-1", udsv1alpha1.PhaseReady)
		settles(ctx, namespace, assessor(ctx, namespace, false), []string{"NET-001", "GST-001"}, "pass")
		quiet(ctx)
		version := func() string {
			report := &catov1alpha1.ComplianceReport{}
			Expect(k8s().Get(ctx, client.ObjectKey{Namespace: namespace, Name: catov1alpha1.ReportName}, report)).To(Succeed())
			return report.ResourceVersion
		}
		before := version()
		Consistently(version).WithContext(ctx).WithTimeout(idle).WithPolling(time.Second).Should(Equal(before))
	}, SpecTimeout(9*time.Minute))
})

// overhead configures CDI's file system overhead and returns what takes it back.
func overhead(ctx context.Context, global cdiv1beta1.Percent) (restore func()) {
	GinkgoHelper()
	configure := func(change func(*cdiv1beta1.CDIConfigSpec)) {
		GinkgoHelper()
		cdi := &cdiv1beta1.CDI{}
		Expect(k8s().Get(ctx, client.ObjectKey{Name: "cdi"}, cdi)).To(Succeed())
		before := cdi.DeepCopy()
		change(cdi.Spec.Config)
		Expect(k8s().Patch(ctx, cdi, client.MergeFrom(before))).To(Succeed())
	}
	var was *cdiv1beta1.FilesystemOverhead
	configure(func(c *cdiv1beta1.CDIConfigSpec) {
		was, c.FilesystemOverhead = c.FilesystemOverhead, &cdiv1beta1.FilesystemOverhead{Global: global}
	})
	return func() {
		GinkgoHelper()
		configure(func(c *cdiv1beta1.CDIConfigSpec) { c.FilesystemOverhead = was })
	}
}

// quiet waits until no subject was judged, and no report written, for a while.
func quiet(ctx context.Context) { quietFor(ctx, 2*time.Second) }

// stillness waits until no namespace is going or has just come: with the rights in
// it, the next probe of the watches has every subject judged again.
func stillness(ctx context.Context) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		var namespaces corev1.NamespaceList
		g.Expect(k8s().List(ctx, &namespaces)).To(Succeed())
		for i := range namespaces.Items {
			g.Expect(namespaces.Items[i].DeletionTimestamp).To(BeNil(), "%s is going", namespaces.Items[i].Name)
		}
	}).WithContext(ctx).Should(Succeed())
	quietFor(ctx, assessment.ProbeInterval+2*time.Second)
}

func quietFor(ctx context.Context, span time.Duration) {
	GinkgoHelper()
	last, since := judgements(ctx), time.Now()
	Eventually(func() time.Duration {
		if now := judgements(ctx); now != last {
			last, since = now, time.Now()
		}
		return time.Since(since)
	}).WithContext(ctx).WithPolling(100 * time.Millisecond).Should(BeNumerically(">", span))
}

// becomes waits until a rule has a verdict on a subject.
func becomes(ctx context.Context, namespace, token, rule, name, want string) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		found := verdictOn(ctx, g, namespace, token, rule, name)
		g.Expect(found.Verdict).To(Equal(want), "%+v", found)
	}).WithContext(ctx).Should(Succeed())
}

func openPolicy(namespace string) *networkingv1.NetworkPolicy {
	return &networkingv1.NetworkPolicy{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "allow-all"},
		Spec: networkingv1.NetworkPolicySpec{
			PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress},
			Ingress:     []networkingv1.NetworkPolicyIngressRule{{}}, Egress: []networkingv1.NetworkPolicyEgressRule{{}},
		},
	}
}

// unmanaged is a VirtualMachine that somebody made by hand.
func unmanaged(namespace, name, secret string) *kubevirtv1.VirtualMachine {
	halted := kubevirtv1.RunStrategyHalted
	return &kubevirtv1.VirtualMachine{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: kubevirtv1.VirtualMachineSpec{RunStrategy: &halted, Template: &kubevirtv1.VirtualMachineInstanceTemplateSpec{
			Spec: kubevirtv1.VirtualMachineInstanceSpec{
				Domain: kubevirtv1.DomainSpec{Devices: kubevirtv1.Devices{Disks: []kubevirtv1.Disk{{Name: "seed"}}}},
				Volumes: []kubevirtv1.Volume{{Name: "seed", VolumeSource: kubevirtv1.VolumeSource{
					CloudInitNoCloud: &kubevirtv1.CloudInitNoCloudSource{UserDataSecretRef: &corev1.LocalObjectReference{Name: secret}},
				}}},
			},
		}},
	}
}

// reportOf is what the report of a namespace says, empty without one.
func reportOf(ctx context.Context, namespace string) string {
	GinkgoHelper()
	text, err := running.ControlPlane.Kubectl(ctx, "get", "creport", "-n", namespace, "-o", "jsonpath={.items[*].status}")
	Expect(err).NotTo(HaveOccurred())
	return text
}
