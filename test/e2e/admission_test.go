package e2e

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
)

// warnings collects what the API server warns a client of.
type warnings struct {
	mu    sync.Mutex
	texts []string
}

// HandleWarningHeaderWithContext implements rest.WarningHandlerWithContext.
func (w *warnings) HandleWarningHeaderWithContext(_ context.Context, _ int, _, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.texts = append(w.texts, text)
}

var _ = Describe("The admission webhook", func() {
	It("serves the certificate that cert-controller keeps in the Secret, and the API server trusts it", func(ctx SpecContext) {
		secret := &corev1.Secret{}
		Expect(k8s().Get(ctx, client.ObjectKey{Namespace: virtfoundryv1alpha1.SystemNamespace, Name: "cato-webhook-cert"}, secret)).To(Succeed())
		clients, err := kubernetes.NewForConfig(running.ControlPlane.RESTConfig())
		Expect(err).NotTo(HaveOccurred())
		configuration, err := clients.AdmissionregistrationV1().ValidatingWebhookConfigurations().Get(ctx, "cato-webhook", metav1.GetOptions{})
		Expect(err).NotTo(HaveOccurred())
		for _, name := range []string{"ca.crt", "tls.crt", "tls.key"} {
			Expect(secret.Data[name]).NotTo(BeEmpty(), name)
			file, err := os.ReadFile(filepath.Join(running.Dir, "certificates", name))
			Expect(err).NotTo(HaveOccurred())
			Expect(bytes.Equal(file, secret.Data[name])).To(BeTrue(), "%s of --webhook-cert-dir is not the Secret's", name)
		}
		for _, webhook := range configuration.Webhooks {
			Expect(bytes.TrimSpace(webhook.ClientConfig.CABundle)).To(Equal(bytes.TrimSpace(secret.Data["ca.crt"])), webhook.Name)
		}
		key, err := os.Stat(filepath.Join(running.Dir, "certificates", "tls.key"))
		Expect(err).NotTo(HaveOccurred())
		Expect(key.Mode().Perm()).To(Equal(os.FileMode(0o600)))
	})

	It("refuses what a rule fails, warns of what is not known, and judges no update that changes nothing judged", func(ctx SpecContext) {
		namespace := vmNamespace(ctx)
		greedy := linuxMachine(namespace, "greedy")
		greedy.Spec.CPU = udsv1alpha1.CPU{Cores: ptr.To[int32](2), Dedicated: true}
		Expect(k8s().Create(ctx, greedy)).To(MatchError(And(ContainSubstring("udsvirtualmachines.cato.dev"), ContainSubstring("CPU-001"))))

		config := running.ControlPlane.RESTConfig()
		heard := &warnings{}
		config.WarningHandlerWithContext = heard
		warned, err := client.New(config, client.Options{Scheme: k8s().Scheme()})
		Expect(err).NotTo(HaveOccurred())
		absent := linuxMachine(namespace, "absent")
		absent.Spec.Guest = &udsv1alpha1.Guest{UserDataSecretRef: &udsv1alpha1.SecretKeyRef{Name: "not-there", Key: "userdata"}}
		Expect(warned.Create(ctx, absent)).To(Succeed())
		DeferCleanup(func(ctx SpecContext) { removed(ctx, absent) }, NodeTimeout(removeTimeout))
		Expect(heard.texts).To(ContainElement(And(ContainSubstring("is unknown"), ContainSubstring("not-there"))))

		machine := stored(ctx, linuxMachine(namespace, "vm-1"))
		machineIn(ctx, namespace, "vm-1", udsv1alpha1.PhaseReady)
		before := admissions(ctx)
		edit := func(change func(*udsv1alpha1.UDSVirtualMachine)) error {
			return edited(ctx, machine, change)
		}
		Expect(edit(func(m *udsv1alpha1.UDSVirtualMachine) { m.Labels = map[string]string{"team": "a"} })).To(Succeed())
		Expect(edit(func(m *udsv1alpha1.UDSVirtualMachine) { m.Finalizers = append(m.Finalizers, "example.com/held") })).To(Succeed())
		Expect(edit(func(m *udsv1alpha1.UDSVirtualMachine) {
			m.Finalizers = m.Finalizers[:len(m.Finalizers)-1]
		})).To(Succeed())
		Expect(admissions(ctx)).To(Equal(before), "labels and finalizers were judged")
		Expect(edit(func(m *udsv1alpha1.UDSVirtualMachine) { m.Annotations = map[string]string{"example.com/note": "x"} })).To(Succeed())
		Expect(admissions(ctx)).To(Equal(before + 1))
		Expect(edit(func(m *udsv1alpha1.UDSVirtualMachine) { m.Spec.Memory = "9Ei" })).To(MatchError(ContainSubstring("CRB-001")))
		Expect(admissions(ctx)).To(Equal(before + 2))
	}, SpecTimeout(9*time.Minute))

	It("refuses a second ComplianceProfile for one namespace and kind", func(ctx SpecContext) {
		namespace := vmNamespace(ctx)
		first := stored(ctx, profileFor(namespace))
		second := profileFor(namespace)
		Eventually(func() error { return k8s().Create(ctx, second.DeepCopy(), client.DryRunAll) }).WithContext(ctx).Should(MatchError(And(
			ContainSubstring("spec.scope"), ContainSubstring(first.Name), ContainSubstring("UDSVirtualMachine in namespace "+namespace), ContainSubstring("narrow"))),
			"once the webhook knows namespace and profile, a moment after they were made")
		second.Spec.Scope.Kinds = []catov1alpha1.SubjectKind{catov1alpha1.SubjectTenant}
		stored(ctx, second)
	}, SpecTimeout(3*time.Minute))
})

// profileFor is a ComplianceProfile of the UDSVirtualMachines of one namespace.
func profileFor(namespace string) *catov1alpha1.ComplianceProfile {
	return &catov1alpha1.ComplianceProfile{
		ObjectMeta: metav1.ObjectMeta{Name: unique("profile")},
		Spec: catov1alpha1.ComplianceProfileSpec{Base: catov1alpha1.BaseUDS, Scope: catov1alpha1.ProfileScope{
			NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: namespace}},
			Kinds:             []catov1alpha1.SubjectKind{catov1alpha1.SubjectUDSVirtualMachine},
		}},
	}
}

// edited changes an object as it stands, again when another was faster.
func edited[T client.Object](ctx context.Context, object T, change func(T)) error {
	GinkgoHelper()
	var err error
	Eventually(func() bool {
		Expect(k8s().Get(ctx, client.ObjectKeyFromObject(object), object)).To(Succeed())
		change(object)
		err = k8s().Update(ctx, object)
		return apierrors.IsConflict(err)
	}).WithContext(ctx).Should(BeFalse())
	return err
}

// admissions is how many objects were judged at admission.
func admissions(ctx context.Context) uint64 { return judgedAt(ctx, "admission") }
