package e2e

import (
	"context"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
			if addsNetwork(e) {
				expectNetworkRefused(ctx, vm, e)
			}
		}
		for _, c := range []*child{policy, secret, vm} {
			d.deleted(ctx, c)
		}
		machineIn(ctx, namespace, "web-1", udsv1alpha1.PhaseReady)
		volume.mark(ctx) // the disk last: who edits it loses the evidence, without which no guest is started
		d.every(ctx, volume, nil)
		kept.unchanged(ctx)
		d.report("UDSVirtualMachine")
		Expect(len(d.took)).To(BeNumerically(">=", 90))
	}, NodeTimeout(6*time.Minute))

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
			g.Expect(machine.Status.Phase).To(Equal(udsv1alpha1.PhaseReady), "%+v", machine.Status)
			g.Expect(machine.Status.ImageVerification).NotTo(BeNil())
			g.Expect(machine.Status.ImageVerification.ClaimUID).NotTo(Equal(first))
		}).WithContext(ctx).Should(Succeed())
		d.report("UDSVirtualMachine: deleted disk")
	}, NodeTimeout(3*time.Minute))

	It("takes the evidence of an edited disk away, although the edit is put right", func(ctx SpecContext) {
		namespace := vmNamespace(ctx)
		stored(ctx, linuxMachine(namespace, "web-3"))
		machine := machineIn(ctx, namespace, "web-3", udsv1alpha1.PhaseReady)
		Expect(machine.Status.ChecksumVerified).To(BeTrue())
		_, _, volume, _ := machineChildren(ctx, machine)
		outcome, _ := volume.edit(ctx, edit{path: fieldPath{"spec", "source", "http", "url"}, verb: "change"}, "https://elsewhere.example.com/other.qcow2")
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
	}, NodeTimeout(3*time.Minute))
})

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
// somebody else's entry, which Cato leaves where it is (decision 6), and a NIC
// that nobody granted is refused.
func addsNetwork(e edit) bool {
	path := e.path.String()
	return e.verb == "change" && (strings.HasSuffix(path, "interfaces[0].name") || strings.HasSuffix(path, "networks[0].name"))
}

// expectNetworkRefused makes such an edit, and takes the foreign entry away.
// A network that no NIC names reaches nothing, so that what is Cato's is put
// right beside it; beside a NIC nothing is written.
func expectNetworkRefused(ctx context.Context, vm *child, e edit) {
	GinkgoHelper()
	outcome, _ := vm.edit(ctx, e, e.values[0])
	Expect(outcome).To(Equal("made"))
	if strings.HasSuffix(e.path.String(), "networks[0].name") {
		vm.restored(ctx, e.String())
		vm.tidy(ctx)
		return
	}
	said := ""
	Eventually(func(g Gomega) {
		machine := &udsv1alpha1.UDSVirtualMachine{}
		g.Expect(k8s().Get(ctx, vm.key(), machine)).To(Succeed())
		g.Expect(meta.IsStatusConditionTrue(machine.Status.Conditions, udsv1alpha1.ConditionPolicyAllowed)).To(BeFalse())
		g.Expect(meta.IsStatusConditionTrue(machine.Status.Conditions, udsv1alpha1.ConditionIsolated)).To(BeFalse())
		said = message(machine.Status.Conditions, udsv1alpha1.ConditionPolicyAllowed)
		g.Expect(said).To(ContainSubstring("NET-003"), "after %s", e)
	}).WithContext(ctx).Should(Succeed())
	vm.tidy(ctx)
	machineIn(ctx, vm.key().Namespace, vm.key().Name, udsv1alpha1.PhaseReady)
	say("VirtualMachine %s leaves a NIC of another name: not accepted (%s), and put right when that is removed", e, said)
}
