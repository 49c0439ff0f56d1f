package e2e

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
)

// containerImage has the one name whose containers the nodes of the test cluster
// let idle: nothing is pulled there, and no guest boots from it.
const containerImage = "quay.io/kubevirt/virt-launcher@sha256:1c07402df0875df0e98ab47eced10405f060751becadb1db37bb37c0444bff67"

// instanceWorld is a Tenant that is Ready, with a Template and an Offering.
type instanceWorld struct {
	namespace string
	offering  *virtfoundryv1alpha1.Offering
}

func newInstanceWorld(ctx context.Context, platform bool) instanceWorld {
	GinkgoHelper()
	slug := unique("inst")
	stored(ctx, tenantNamed(slug))
	w := instanceWorld{namespace: readyTenant(ctx, slug).Status.Namespace}
	w.offering = &virtfoundryv1alpha1.Offering{ObjectMeta: metav1.ObjectMeta{Name: unique("small")}, Spec: virtfoundryv1alpha1.OfferingSpec{CPU: 2, MemoryMi: 1024}}
	if platform {
		w.offering.Labels = map[string]string{virtfoundryv1alpha1.LabelPlatformOwned: "true"}
	}
	stored(ctx, w.offering)
	stored(ctx, w.template("ubuntu", containerImage))
	return w
}

func (w instanceWorld) template(name, image string) *virtfoundryv1alpha1.Template {
	return &virtfoundryv1alpha1.Template{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: w.namespace},
		Spec:       virtfoundryv1alpha1.TemplateSpec{DisplayName: name, Image: image, SourceType: virtfoundryv1alpha1.TemplateContainer},
	}
}

func (w instanceWorld) named(name string) *virtfoundryv1alpha1.Instance {
	return &virtfoundryv1alpha1.Instance{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: w.namespace, Annotations: map[string]string{virtfoundryv1alpha1.AnnotationAllowPodNetwork: "true"}},
		Spec: virtfoundryv1alpha1.InstanceSpec{
			OfferingRef: &virtfoundryv1alpha1.LocalObjectRef{Name: w.offering.Name}, TemplateRef: &virtfoundryv1alpha1.LocalObjectRef{Name: "ubuntu"},
		},
	}
}

func (w instanceWorld) inPhase(ctx context.Context, name string, phase virtfoundryv1alpha1.InstancePhase) *virtfoundryv1alpha1.Instance {
	GinkgoHelper()
	instance := &virtfoundryv1alpha1.Instance{}
	Eventually(func(g Gomega) {
		g.Expect(k8s().Get(ctx, client.ObjectKey{Namespace: w.namespace, Name: name}, instance)).To(Succeed())
		g.Expect(instance.Status.Phase).To(Equal(phase), "%+v", instance.Status)
		g.Expect(instance.Status.ObservedGeneration).To(Equal(instance.Generation))
	}).WithContext(ctx).Should(Succeed())
	return instance
}

var _ = Describe("An Instance", func() {
	It("of an Offering and a Template runs, is switched off and leaves nothing", func(ctx SpecContext) {
		w := newInstanceWorld(ctx, true)
		stored(ctx, &virtfoundryv1alpha1.SSHKey{ObjectMeta: metav1.ObjectMeta{Name: "ops", Namespace: w.namespace}, Spec: virtfoundryv1alpha1.SSHKeySpec{PublicKey: sshKey}})
		wanted := w.named("web")
		wanted.Spec.SSHKeyRefs = []virtfoundryv1alpha1.LocalObjectRef{{Name: "ops"}}
		wanted.Spec.CloudInitUserData = "#cloud-config\nhostname: web\n"
		stored(ctx, wanted)
		instance := w.inPhase(ctx, "web", virtfoundryv1alpha1.InstanceRunning)
		Eventually(func(g Gomega) {
			g.Expect(k8s().Get(ctx, client.ObjectKeyFromObject(instance), instance)).To(Succeed())
			g.Expect(meta.IsStatusConditionTrue(instance.Status.Conditions, virtfoundryv1alpha1.ConditionReady)).To(BeTrue(), "%+v", instance.Status)
			g.Expect(meta.IsStatusConditionTrue(instance.Status.Conditions, virtfoundryv1alpha1.ConditionIsolated)).To(BeTrue(), "%+v", instance.Status)
		}).WithContext(ctx).Should(Succeed())
		vm := &kubevirtv1.VirtualMachine{}
		Expect(k8s().Get(ctx, client.ObjectKeyFromObject(instance), vm)).To(Succeed())
		Expect(vm.Spec.Template.Spec.Domain.CPU.Cores).To(BeEquivalentTo(2))
		seed := &corev1.Secret{}
		Expect(k8s().Get(ctx, client.ObjectKey{Namespace: w.namespace, Name: "web-cloudinit"}, seed)).To(Succeed())
		Expect(string(seed.Data["userdata"])).To(And(ContainSubstring(sshKey), ContainSubstring("hostname: web"), ContainSubstring("ssh_pwauth: false")))

		before := instance.DeepCopy()
		instance.Spec.PowerState = virtfoundryv1alpha1.PowerHalted
		Expect(k8s().Patch(ctx, instance, client.MergeFrom(before))).To(Succeed())
		w.inPhase(ctx, "web", virtfoundryv1alpha1.InstanceStopped)

		removed(ctx, instance)
		for _, object := range []client.Object{&kubevirtv1.VirtualMachine{}, &kubevirtv1.VirtualMachineInstance{}} {
			err := k8s().Get(ctx, client.ObjectKey{Namespace: w.namespace, Name: "web"}, object)
			Expect(apierrors.IsNotFound(err)).To(BeTrue(), "%T is there when the Instance is gone: %v", object, err)
		}
		Eventually(func() bool {
			return apierrors.IsNotFound(k8s().Get(ctx, client.ObjectKeyFromObject(seed), seed))
		}).WithContext(ctx).Should(BeTrue(), "the Secret with the user data stays")
	}, NodeTimeout(15*time.Minute))

	It("is refused without a Template, with an image that is not allowed, or outside of a tenant", func(ctx SpecContext) {
		w := newInstanceWorld(ctx, true)
		none := w.named("none")
		none.Spec.TemplateRef = nil
		Expect(k8s().Create(ctx, none)).To(MatchError(And(ContainSubstring("instances.cato.dev"), ContainSubstring("TPL-001"))))
		evil := w.template("evil", "docker.io/evil/disk:latest")
		Expect(k8s().Create(ctx, evil.DeepCopy())).To(MatchError(And(ContainSubstring("image-guard"), ContainSubstring("of no allowed source"))))
		guardAway(ctx, "image-guard", func() { // what the guard did not see, the rule refuses
			dryRunRefused(ctx, evil, "IMG-003", "lies below no allowed prefix")
			webhookAway(ctx, func() { // and what admission did not see, the reconciler refuses
				stored(ctx, evil)
				foreign := w.named("foreign")
				foreign.Spec.TemplateRef.Name = "evil"
				stored(ctx, foreign)
			})
		})
		refused := w.inPhase(ctx, "foreign", virtfoundryv1alpha1.InstanceFailed)
		Expect(refused.Status.ErrorMessage).To(ContainSubstring("IMG-003"))
		err := k8s().Get(ctx, client.ObjectKeyFromObject(refused), &kubevirtv1.VirtualMachine{})
		Expect(apierrors.IsNotFound(err)).To(BeTrue(), "%v", err)

		elsewhere := w.named("elsewhere")
		elsewhere.Namespace = vmNamespace(ctx)
		Expect(k8s().Create(ctx, elsewhere.DeepCopy())).To(MatchError(And(ContainSubstring("cr-admission"), ContainSubstring("lives in the namespace of a tenant"))))
		guardAway(ctx, "cr-admission", func() { dryRunRefused(ctx, elsewhere, "NS-004") })
	}, NodeTimeout(15*time.Minute))

	It("has dedicated processors only by an Offering of the platform, and is told so", func(ctx SpecContext) {
		w := newInstanceWorld(ctx, false)
		greedy := w.named("greedy")
		greedy.Spec.DedicatedCPU, greedy.Spec.PowerState = true, virtfoundryv1alpha1.PowerHalted
		stored(ctx, greedy)
		pinned := func(want bool, status metav1.ConditionStatus) {
			GinkgoHelper()
			Eventually(func(g Gomega) {
				vm, instance := &kubevirtv1.VirtualMachine{}, &virtfoundryv1alpha1.Instance{}
				g.Expect(k8s().Get(ctx, client.ObjectKeyFromObject(greedy), vm)).To(Succeed())
				g.Expect(vm.Spec.Template.Spec.Domain.CPU.DedicatedCPUPlacement).To(Equal(want))
				g.Expect(k8s().Get(ctx, client.ObjectKeyFromObject(greedy), instance)).To(Succeed())
				condition := meta.FindStatusCondition(instance.Status.Conditions, virtfoundryv1alpha1.ConditionDedicatedCPU)
				g.Expect(condition).NotTo(BeNil())
				g.Expect(condition.Status).To(Equal(status), condition.Message)
			}).WithContext(ctx).Should(Succeed())
		}
		pinned(false, metav1.ConditionFalse)
		before := w.offering.DeepCopy()
		w.offering.Labels = map[string]string{virtfoundryv1alpha1.LabelPlatformOwned: "true"}
		Expect(k8s().Patch(ctx, w.offering, client.MergeFrom(before))).To(Succeed())
		pinned(true, metav1.ConditionTrue)
	}, NodeTimeout(15*time.Minute))
})
