package e2e

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
)

var _ = Describe("An Instance of a qcow2 Template", func() {
	It("is imported by https and verified by the real importer, and never starts from other content", func(ctx SpecContext) {
		w := newInstanceWorld(ctx, true)
		images, err := running.ServeImages("template-tampered.img")
		Expect(err).NotTo(HaveOccurred())
		Expect(running.Tamper("template-tampered.img")).To(Succeed())
		base, err := running.ServeImagesByHTTPS()
		Expect(err).NotTo(HaveOccurred())
		of := func(name, url, checksum string) *virtfoundryv1alpha1.Template {
			template := w.template(name, url)
			template.Spec.SourceType, template.Spec.Checksum, template.Spec.BootDiskSizeGi = virtfoundryv1alpha1.TemplateQCOW2, checksum, 1
			return template
		}
		Expect(k8s().Create(ctx, of("plain", image.URL, image.Checksum))).To(MatchError(And(ContainSubstring("SRC-001"), ContainSubstring("by https on port 443 only"))))
		stored(ctx, of("golden", base+"/"+linuxImage, image.Checksum))
		stored(ctx, of("tampered", base+"/template-tampered.img", images["template-tampered.img"].Checksum))
		for _, name := range []string{"golden", "tampered"} {
			instance := w.named(name)
			instance.Spec.TemplateRef.Name = name
			stored(ctx, instance)
		}

		wrong := w.inPhase(ctx, "tampered", virtfoundryv1alpha1.InstanceError)
		imported := meta.FindStatusCondition(wrong.Status.Conditions, virtfoundryv1alpha1.ConditionImported)
		Expect(imported.Reason).To(Equal(virtfoundryv1alpha1.ReasonImportFailed), "%+v", imported)
		Expect(imported.Message).To(ContainSubstring("checksum mismatch"))
		w.verified(ctx, "tampered", metav1.ConditionFalse)

		w.inPhase(ctx, "golden", virtfoundryv1alpha1.InstanceRunning)
		w.verified(ctx, "golden", metav1.ConditionTrue)
		err = k8s().Get(ctx, client.ObjectKey{Namespace: w.namespace, Name: "tampered"}, &kubevirtv1.VirtualMachineInstance{})
		Expect(apierrors.IsNotFound(err)).To(BeTrue(), "a guest was started from content that is not as asked for: %v", err)
	}, NodeTimeout(20*time.Minute))
})

// verified waits for what is known of the content of an Instance's disk.
func (w instanceWorld) verified(ctx SpecContext, name string, want metav1.ConditionStatus) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		instance := &virtfoundryv1alpha1.Instance{}
		g.Expect(k8s().Get(ctx, client.ObjectKey{Namespace: w.namespace, Name: name}, instance)).To(Succeed())
		g.Expect(meta.IsStatusConditionPresentAndEqual(instance.Status.Conditions, virtfoundryv1alpha1.ConditionImageVerified, want)).To(BeTrue(), "%+v", instance.Status)
	}).WithContext(ctx).Should(Succeed())
}
