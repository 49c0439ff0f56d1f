package e2e

import (
	"context"
	"os"
	"path/filepath"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/utils/ptr"
	kubevirtv1 "kubevirt.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
)

var _ = Describe("A UDSVirtualMachine's disk", func() {
	It("is imported from a web server and verified by the real importer", func(ctx SpecContext) {
		namespace := vmNamespace(ctx)
		stored(ctx, linuxMachine(namespace, "right"))
		machine := machineIn(ctx, namespace, "right", udsv1alpha1.PhaseReady)
		Expect(machine.Status.ChecksumVerified).To(BeTrue())
		Expect(machine.Status.ImageVerification).NotTo(BeNil())
		Expect(machine.Status.ImageVerification.Method).To(Equal(udsv1alpha1.VerifiedByCDIHTTP))
		becomes(ctx, namespace, assessor(ctx, namespace, false), "IMG-002", "right", "pass")
	}, SpecTimeout(12*time.Minute))

	It("is refused when somebody tampered with the image, and the guest never starts", func(ctx SpecContext) {
		namespace := vmNamespace(ctx)
		images, err := running.ServeImages("tampered.img")
		Expect(err).NotTo(HaveOccurred())
		Expect(running.Tamper("tampered.img")).To(Succeed())
		wanted := linuxMachine(namespace, "wrong")
		wanted.Spec.URL, wanted.Spec.Checksum = images["tampered.img"].URL, images["tampered.img"].Checksum
		stored(ctx, wanted)
		machine := machineIn(ctx, namespace, "wrong", udsv1alpha1.PhaseFailed)
		ready := meta.FindStatusCondition(machine.Status.Conditions, udsv1alpha1.ConditionReady)
		Expect(ready.Reason).To(Equal(udsv1alpha1.ReasonChecksumMismatch), "%+v", ready)
		Expect(machine.Status.ChecksumVerified).To(BeFalse())
		becomes(ctx, namespace, assessor(ctx, namespace, false), "IMG-002", "wrong", "fail")
		verified, err := metric(ctx, "uds_vm_compliance_verified", map[string]string{"namespace": namespace, "vm": "wrong", "control": "SI-7"})
		Expect(err).NotTo(HaveOccurred())
		Expect(verified).To(HaveValue(BeZero()))
		neverStarted(ctx, machine)
	}, SpecTimeout(12*time.Minute))

	It("is uploaded through CDI's proxy; the guest starts only where a profile allows what nobody verified", func(ctx SpecContext) {
		namespace := vmNamespace(ctx)
		wanted := linuxMachine(namespace, "sent")
		wanted.Spec.SourceType, wanted.Spec.URL = udsv1alpha1.SourceUpload, ""
		stored(ctx, wanted)
		machineIn(ctx, namespace, "sent", udsv1alpha1.PhaseWaitingForUpload)
		upload(ctx, namespace, "sent"+udsv1alpha1.DataVolumeSuffix, filepath.Join(running.Dir, "images", linuxImage))
		machine := machineIn(ctx, namespace, "sent", udsv1alpha1.PhaseStopped)
		verified := meta.FindStatusCondition(machine.Status.Conditions, udsv1alpha1.ConditionImageVerified)
		Expect(verified.Reason).To(Equal(udsv1alpha1.ReasonUploadChecksumUnsupported), "%+v", verified)
		neverStarted(ctx, machine)

		profile := profileFor(namespace)
		profile.Spec.Parameters.AllowUnverifiedDisk = ptr.To(true)
		stored(ctx, profile)
		machine = machineIn(ctx, namespace, "sent", udsv1alpha1.PhaseReady)
		Expect(machine.Status.ChecksumVerified).To(BeFalse())
		becomes(ctx, namespace, assessor(ctx, namespace, false), "IMG-002", "sent", "fail")
	}, SpecTimeout(15*time.Minute))

	It("is imported from a registry by digest, and by nothing else", func(ctx SpecContext) {
		namespace := vmNamespace(ctx)
		reference, err := running.ServeRegistry(ctx, linuxImage)
		Expect(err).NotTo(HaveOccurred())
		profile := profileFor(namespace)
		profile.Spec.Parameters.ImageAllowlist = &catov1alpha1.ImageAllowlist{Prefixes: []string{filepath.Dir(reference) + "/"}}
		stored(ctx, profile)
		wanted := linuxMachine(namespace, "pulled")
		wanted.Spec.SourceType, wanted.Spec.URL, wanted.Spec.Checksum = udsv1alpha1.SourceRegistry, "docker://"+reference, ""
		Eventually(func() error { return k8s().Create(ctx, wanted.DeepCopy()) }).WithContext(ctx).Should(Succeed())
		DeferCleanup(func(ctx SpecContext) { removed(ctx, wanted) }, NodeTimeout(removeTimeout))
		machine := machineIn(ctx, namespace, "pulled", udsv1alpha1.PhaseReady)
		Expect(machine.Status.ChecksumVerified).To(BeTrue())
		becomes(ctx, namespace, assessor(ctx, namespace, false), "IMG-002", "pulled", "pass")
	}, SpecTimeout(15*time.Minute))

	It("is made blank, of which there is nothing to verify", func(ctx SpecContext) {
		namespace := vmNamespace(ctx)
		stored(ctx, emptyMachine(namespace, "empty"))
		machineIn(ctx, namespace, "empty", udsv1alpha1.PhaseReady)
		becomes(ctx, namespace, assessor(ctx, namespace, false), "IMG-002", "empty", "not-applicable")
	}, SpecTimeout(12*time.Minute))

	It("goes with its machine, which leaves nothing", func(ctx SpecContext) {
		namespace := vmNamespace(ctx)
		before := contents(ctx, namespace)
		machine := linuxMachine(namespace, "brief")
		Expect(k8s().Create(ctx, machine)).To(Succeed())
		machineIn(ctx, namespace, "brief", udsv1alpha1.PhaseReady)
		removed(ctx, machine)
		Eventually(func() []string { return contents(ctx, namespace) }).WithContext(ctx).Should(Equal(before))
	}, SpecTimeout(12*time.Minute))
})

// neverStarted tells that no guest runs, and that none is to run.
func neverStarted(ctx context.Context, machine *udsv1alpha1.UDSVirtualMachine) {
	GinkgoHelper()
	vm := &kubevirtv1.VirtualMachine{}
	Expect(k8s().Get(ctx, client.ObjectKeyFromObject(machine), vm)).To(Succeed())
	Expect(vm.Spec.RunStrategy).To(HaveValue(Equal(kubevirtv1.RunStrategyHalted)))
	Expect(vm.Status.StartFailure).To(BeNil())
	var instances kubevirtv1.VirtualMachineInstanceList
	Expect(k8s().List(ctx, &instances, client.InNamespace(machine.Namespace))).To(Succeed())
	Expect(instances.Items).To(BeEmpty())
}

// upload sends a file to CDI's upload proxy with a token of its own API.
func upload(ctx context.Context, namespace, claim, file string) {
	GinkgoHelper()
	content, err := os.ReadFile(file)
	Expect(err).NotTo(HaveOccurred())
	Expect(running.Upload(ctx, namespace, claim, content)).To(Succeed())
}
