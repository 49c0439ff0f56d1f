package e2e

import (
	"context"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes"
	kubevirtv1 "kubevirt.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	"cato.dev/cato/controllers/children"
	"cato.dev/cato/policy/facts"
)

var _ = Describe("Drift of a UDSVirtualMachine's children", func() {
	It("puts right every owned field and every deleted child, and leaves what others own", func(ctx SpecContext) {
		namespace := vmNamespace(ctx)
		kept := foreignTo(ctx, namespace)
		stored(ctx, linuxMachine(namespace, "web-1"))
		machine := machineIn(ctx, namespace, "web-1", udsv1alpha1.PhaseReady)
		policy, secret, volume, vm := machineChildren(ctx, machine)
		d := &drifts{}

		for _, c := range []*child{policy, secret, vm} {
			c.mark(ctx)
			d.every(ctx, c, func(e edit) bool { return !addsNetwork(e) })
		}
		for _, e := range editsOf(vm.document, nil) {
			if addsNetwork(e) { // KubeVirt itself wants both names to be one
				outcome, _ := vm.edit(ctx, e, e.values[0])
				Expect(outcome).To(ContainSubstring("virtualmachine-validator.kubevirt.io"), "%s", e)
			}
		}
		expectNetworkRefused(ctx, vm)
		for _, c := range []*child{policy, secret, vm} {
			d.deleted(ctx, c)
		}
		machineIn(ctx, namespace, "web-1", udsv1alpha1.PhaseReady)
		volume.mark(ctx) // the disk last: who edits it loses the evidence, without which no guest is started
		d.every(ctx, volume, nil)
		kept.unchanged(ctx)
		d.report("UDSVirtualMachine")
		Expect(len(d.took)).To(BeNumerically(">=", 80))
	}, NodeTimeout(18*time.Minute))

	It("makes a deleted disk again, and starts the guest from it only when the new one is verified", func(ctx SpecContext) {
		namespace := vmNamespace(ctx)
		stored(ctx, linuxMachine(namespace, "web-2"))
		machine := machineIn(ctx, namespace, "web-2", udsv1alpha1.PhaseReady)
		first := machine.Status.ImageVerification.ClaimUID
		_, _, volume, _ := machineChildren(ctx, machine)
		d := &drifts{}
		d.deleted(ctx, volume)
		Eventually(func(g Gomega) {
			g.Expect(k8s().Get(ctx, client.ObjectKeyFromObject(machine), machine)).To(Succeed())
			g.Expect(message(machine.Status.Conditions, udsv1alpha1.ConditionReady)).To(ContainSubstring("uds-vmctl power stop web-2"))
		}).WithContext(ctx).Should(Succeed(), "the guest that runs holds the disk that was deleted")
		turned(ctx, machine, udsv1alpha1.RunHalted)
		turned(ctx, machine, udsv1alpha1.RunAlways)
		Eventually(func(g Gomega) {
			g.Expect(k8s().Get(ctx, client.ObjectKeyFromObject(machine), machine)).To(Succeed())
			g.Expect(machine.Status.Phase).To(Equal(udsv1alpha1.PhaseReady), "%+v", machine.Status)
			g.Expect(machine.Status.ImageVerification).NotTo(BeNil())
			g.Expect(machine.Status.ImageVerification.ClaimUID).NotTo(Equal(first))
		}).WithContext(ctx).Should(Succeed())
		d.report("UDSVirtualMachine: deleted disk")
	}, NodeTimeout(9*time.Minute))

	It("takes the evidence of an edited disk away, although the edit is put right", func(ctx SpecContext) {
		namespace := vmNamespace(ctx)
		stored(ctx, linuxMachine(namespace, "web-3"))
		machine := machineIn(ctx, namespace, "web-3", udsv1alpha1.PhaseReady)
		Expect(machine.Status.ChecksumVerified).To(BeTrue())
		_, _, volume, _ := machineChildren(ctx, machine)
		elsewhere := edit{path: fieldPath{"spec", "source", "http", "url"}, verb: "change"}
		outcome, _ := volume.edit(ctx, elsewhere, "https://elsewhere.example.com/other.qcow2")
		Expect(outcome).To(ContainSubstring("datavolume-validate.cdi.kubevirt.io"), "while CDI guards its objects")
		cdiWebhooksAway(ctx)
		outcome, _ = volume.edit(ctx, elsewhere, "https://elsewhere.example.com/other.qcow2")
		Expect(outcome).To(Equal("made"))
		volume.restored(ctx, "the source")
		Eventually(func(g Gomega) {
			g.Expect(k8s().Get(ctx, client.ObjectKeyFromObject(machine), machine)).To(Succeed())
			verified := meta.FindStatusCondition(machine.Status.Conditions, udsv1alpha1.ConditionImageVerified)
			g.Expect(verified).NotTo(BeNil())
			g.Expect(verified.Status).NotTo(Equal(metav1.ConditionTrue), "%+v", verified)
			g.Expect(verified.Reason).To(Equal(udsv1alpha1.ReasonSourceChanged), "%+v", verified)
			g.Expect(machine.Status.ChecksumVerified).To(BeFalse())
			g.Expect(machine.Status.ImageVerification).To(BeNil())
			compliant := meta.FindStatusCondition(machine.Status.Conditions, udsv1alpha1.ConditionCompliant)
			g.Expect(compliant.Status).To(Equal(metav1.ConditionUnknown), "%+v", compliant)
			g.Expect(compliant.Message).To(ContainSubstring("SourceChanged"))
		}).WithContext(ctx).Should(Succeed())
	}, NodeTimeout(9*time.Minute))
})

// turned sets the run strategy and waits until the guest is so.
func turned(ctx context.Context, machine *udsv1alpha1.UDSVirtualMachine, strategy udsv1alpha1.RunStrategy) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		g.Expect(k8s().Get(ctx, client.ObjectKeyFromObject(machine), machine)).To(Succeed())
		machine.Spec.RunStrategy = strategy
		g.Expect(k8s().Update(ctx, machine)).To(Succeed())
	}).WithContext(ctx).Should(Succeed())
	Eventually(func(g Gomega) {
		err := k8s().Get(ctx, client.ObjectKeyFromObject(machine), &kubevirtv1.VirtualMachineInstance{})
		g.Expect(apierrors.IsNotFound(err)).To(Equal(strategy == udsv1alpha1.RunHalted), "%v", err)
	}).WithContext(ctx).Should(Succeed())
}

// cdiWebhooksAway takes CDI's own guard of DataVolumes away until the end of
// the spec, as a cluster that lost its CDI has it.
func cdiWebhooksAway(ctx context.Context) {
	GinkgoHelper()
	api, err := kubernetes.NewForConfig(running.ControlPlane.RESTConfig())
	Expect(err).NotTo(HaveOccurred())
	guards := api.AdmissionregistrationV1().ValidatingWebhookConfigurations()
	guard, err := guards.Get(ctx, "cdi-api-datavolume-validate", metav1.GetOptions{})
	Expect(err).NotTo(HaveOccurred())
	Expect(guards.Delete(ctx, guard.Name, metav1.DeleteOptions{})).To(Succeed())
	DeferCleanup(func(ctx SpecContext) {
		guard.ResourceVersion, guard.UID = "", ""
		_, err := guards.Create(ctx, guard, metav1.CreateOptions{})
		Expect(client.IgnoreAlreadyExists(err)).To(Succeed())
	})
}

// machineChildren renders the children of a machine whose guest may start.
func machineChildren(ctx context.Context, machine *udsv1alpha1.UDSVirtualMachine) (policy, secret, volume, vm *child) {
	GinkgoHelper()
	rendered, err := children.ForMachine(children.MachineInput{
		Machine: machine, DNS: facts.DNSOf(&catov1alpha1.ComplianceProfileParameters{}), Start: true,
	})
	Expect(err).NotTo(HaveOccurred())
	return childOf(ctx, rendered.NetworkPolicy, "spec"), childOf(ctx, rendered.CloudInit),
		childOf(ctx, rendered.DataVolume), childOf(ctx, rendered.VirtualMachine)
}

// addsNetwork tells that an edit renames a NIC or its network: the new name is
// somebody else's entry, which Cato would leave where it is (decision 6).
func addsNetwork(e edit) bool {
	path := e.path.String()
	return e.verb == "change" && (strings.HasSuffix(path, "interfaces[0].name") || strings.HasSuffix(path, "networks[0].name"))
}

// expectNetworkRefused plugs a NIC of a secondary network in, as somebody could
// who goes past Cato: it is foreign and stays, the machine is not accepted, and
// all is well again when it is taken out.
func expectNetworkRefused(ctx context.Context, vm *child) {
	GinkgoHelper()
	vm.update(ctx, func(live *unstructured.Unstructured) {
		for _, entry := range []struct {
			path []string
			with map[string]any
		}{
			{[]string{"spec", "template", "spec", "networks"}, map[string]any{"name": "lan", "multus": map[string]any{"networkName": "lan"}}},
			{[]string{"spec", "template", "spec", "domain", "devices", "interfaces"}, map[string]any{"name": "lan", "bridge": map[string]any{}}},
		} {
			list, _, err := unstructured.NestedSlice(live.Object, entry.path...)
			Expect(err).NotTo(HaveOccurred())
			Expect(unstructured.SetNestedSlice(live.Object, append(list, entry.with), entry.path...)).To(Succeed())
		}
	})
	said := ""
	Eventually(func(g Gomega) {
		machine := &udsv1alpha1.UDSVirtualMachine{}
		g.Expect(k8s().Get(ctx, vm.key(), machine)).To(Succeed())
		g.Expect(meta.IsStatusConditionTrue(machine.Status.Conditions, udsv1alpha1.ConditionPolicyAllowed)).To(BeFalse())
		g.Expect(meta.IsStatusConditionTrue(machine.Status.Conditions, udsv1alpha1.ConditionIsolated)).To(BeFalse())
		said = message(machine.Status.Conditions, udsv1alpha1.ConditionPolicyAllowed)
		g.Expect(said).To(ContainSubstring("NET-003"))
	}).WithContext(ctx).Should(Succeed())
	vm.tidy(ctx)
	machineIn(ctx, vm.key().Namespace, vm.key().Name, udsv1alpha1.PhaseReady)
	say("VirtualMachine with a NIC of a secondary network: not accepted (%s), and put right when that is removed", said)
}
