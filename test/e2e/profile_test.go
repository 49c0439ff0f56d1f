package e2e

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	kubevirtv1 "kubevirt.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	"cato.dev/cato/api/quantity"
	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/test/controlplane"
)

var _ = Describe("A ComplianceProfile", func() {
	It("lets the machines of a selected namespace pin processors, at admission, plan and live, until it is taken away", func(ctx SpecContext) {
		granted, other := vmNamespace(ctx), vmNamespace(ctx)
		pinned := func(namespace string) *udsv1alpha1.UDSVirtualMachine {
			machine := linuxMachine(namespace, "pinned")
			machine.Spec.CPU = udsv1alpha1.CPU{Cores: ptr.To[int32](2), Dedicated: true}
			return machine
		}
		Expect(k8s().Create(ctx, pinned(granted))).To(MatchError(ContainSubstring("CPU-001")))
		profile := profileFor(granted)
		profile.Spec.Parameters.Grants = &catov1alpha1.Grants{DedicatedCPU: []catov1alpha1.NamespaceGrant{{
			NamespaceSelector: metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: granted}},
			Reason:            "Signal processing of " + granted + " needs processors of its own.",
		}}}
		stored(ctx, profile)
		cpuManager(ctx)
		Eventually(func() error { return k8s().Create(ctx, pinned(granted)) }).WithContext(ctx).Should(Succeed())
		machine := pinned(granted)
		DeferCleanup(func(ctx SpecContext) { removed(ctx, machine) }, NodeTimeout(removeTimeout))
		machineIn(ctx, granted, "pinned", udsv1alpha1.PhaseReady)
		reader := assessor(ctx, granted, false)
		becomes(ctx, granted, reader, "CPU-001", "pinned", "pass")
		Expect(k8s().Create(ctx, pinned(other))).To(MatchError(ContainSubstring("CPU-001")), "another namespace")

		removed(ctx, profile)
		becomes(ctx, granted, reader, "CPU-001", "pinned", "fail")
		Expect(k8s().Create(ctx, pinned(other))).To(MatchError(ContainSubstring("CPU-001")))
	}, SpecTimeout(9*time.Minute))

	It("says which images a machine may be made of", func(ctx SpecContext) {
		namespace := vmNamespace(ctx)
		const digest = "sha256:1c07402df0875df0e98ab47eced10405f060751becadb1db37bb37c0444bff67"
		fromRegistry := func(name, image string) *udsv1alpha1.UDSVirtualMachine {
			machine := linuxMachine(namespace, name)
			machine.Spec.SourceType, machine.Spec.URL, machine.Spec.Checksum = udsv1alpha1.SourceRegistry, "docker://"+image+"@"+digest, ""
			return machine
		}
		Expect(k8s().Create(ctx, fromRegistry("ours", "registry.example.com/golden/linux"))).To(MatchError(ContainSubstring("IMG-003")))
		profile := profileFor(namespace)
		profile.Spec.Parameters.ImageAllowlist = &catov1alpha1.ImageAllowlist{Prefixes: []string{"registry.example.com/golden/"}}
		stored(ctx, profile)
		machine := fromRegistry("ours", "registry.example.com/golden/linux")
		Eventually(func() error { return k8s().Create(ctx, machine.DeepCopy()) }).WithContext(ctx).Should(Succeed())
		DeferCleanup(func(ctx SpecContext) { removed(ctx, machine) }, NodeTimeout(removeTimeout))
		reader := assessor(ctx, namespace, false)
		becomes(ctx, namespace, reader, "IMG-003", "ours", "pass")
		Expect(k8s().Create(ctx, fromRegistry("theirs", "quay.io/containerdisks/fedora"))).To(MatchError(ContainSubstring("IMG-003")), "the list replaces the built-in one")
		Expect(edited(ctx, profile, func(p *catov1alpha1.ComplianceProfile) {
			p.Spec.Parameters.ImageAllowlist.Prefixes = []string{"registry.example.com/blessed/"}
		})).To(Succeed())
		becomes(ctx, namespace, reader, "IMG-003", "ours", "fail")
	}, SpecTimeout(9*time.Minute))

	It("sizes the quota of a tenant", func(ctx SpecContext) {
		tenant := stored(ctx, tenantNamed(unique("quota")))
		namespace := virtfoundryv1alpha1.NamespacePrefix + tenant.Spec.Slug
		readyTenant(ctx, tenant.Name)
		profile := profileFor(namespace)
		profile.Spec.Base, profile.Spec.Scope.Kinds = catov1alpha1.BaseVirtFoundry, []catov1alpha1.SubjectKind{catov1alpha1.SubjectTenant}
		profile.Spec.Parameters.Quota = &catov1alpha1.QuotaParameters{Hard: map[string]quantity.Text{"requests.cpu": "7"}}
		stored(ctx, profile)
		hard := func() string {
			var quotas corev1.ResourceQuotaList
			Expect(k8s().List(ctx, &quotas, client.InNamespace(namespace))).To(Succeed())
			for i := range quotas.Items {
				if amount, found := quotas.Items[i].Spec.Hard["requests.cpu"]; found {
					return amount.String()
				}
			}
			return ""
		}
		Eventually(hard).WithContext(ctx).Should(Equal("7"))
		becomes(ctx, namespace, assessor(ctx, namespace, false), "RES-001", tenant.Name, "pass")
		removed(ctx, profile)
		Eventually(hard).WithContext(ctx).ShouldNot(Equal("7"))
	}, SpecTimeout(9*time.Minute))
})

// cpuManager labels the node as virt-handler does where the kubelet's CPU
// manager is static: KubeVirt places pinned guests there only.
func cpuManager(ctx context.Context) {
	GinkgoHelper()
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: controlplane.NodeName(1)}}
	set := func(ctx context.Context, value string) {
		GinkgoHelper()
		patch := []byte(`{"metadata":{"labels":{"` + kubevirtv1.CPUManager + `":` + value + `}}}`)
		Expect(k8s().Patch(ctx, node, client.RawPatch(types.MergePatchType, patch))).To(Succeed())
	}
	set(ctx, `"true"`)
	DeferCleanup(func(ctx SpecContext) { set(ctx, "null") })
}
