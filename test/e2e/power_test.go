package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	kubevirtv1 "kubevirt.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	"cato.dev/cato/controllers/virtualmachine"
)

var _ = Describe("Power", func() {
	It("is switched by uds-vmctl through the custom resource, and a restart is KubeVirt's", func(ctx SpecContext) {
		namespace := vmNamespace(ctx)
		vmctl := vmctlIn(ctx, namespace)
		stored(ctx, linuxMachine(namespace, "web-1"))
		machine := machineIn(ctx, namespace, "web-1", udsv1alpha1.PhaseReady)

		vmctl("power", "stop", "web-1")
		stopped := machineIn(ctx, namespace, "web-1", udsv1alpha1.PhaseStopped)
		Expect(stopped.Spec.RunStrategy).To(Equal(udsv1alpha1.RunHalted))
		Eventually(func() bool { return apierrors.IsNotFound(instanceOf(ctx, machine, nil)) }).WithContext(ctx).Should(BeTrue())

		vmctl("power", "start", "web-1")
		machineIn(ctx, namespace, "web-1", udsv1alpha1.PhaseReady)
		first := &kubevirtv1.VirtualMachineInstance{}
		Expect(instanceOf(ctx, machine, first)).To(Succeed())

		generation := machineIn(ctx, namespace, "web-1", udsv1alpha1.PhaseReady).Generation
		vmctl("power", "restart", "web-1")
		Eventually(func(g Gomega) {
			second := &kubevirtv1.VirtualMachineInstance{}
			g.Expect(instanceOf(ctx, machine, second)).To(Succeed())
			g.Expect(second.UID).NotTo(Equal(first.UID))
			g.Expect(second.Status.Phase).To(Equal(kubevirtv1.Running))
		}).WithContext(ctx).Should(Succeed())
		Expect(machineIn(ctx, namespace, "web-1", udsv1alpha1.PhaseReady).Generation).To(Equal(generation), "a restart changes no spec")
	}, SpecTimeout(15*time.Minute))

	It("that somebody switches past the custom resource is put right, with an Event that names the command", func(ctx SpecContext) {
		namespace := vmNamespace(ctx)
		stored(ctx, linuxMachine(namespace, "web-1"))
		machine := machineIn(ctx, namespace, "web-1", udsv1alpha1.PhaseReady)
		api, err := kubernetes.NewForConfig(running.ControlPlane.RESTConfig())
		Expect(err).NotTo(HaveOccurred())
		// What virtctl stop sends.
		Expect(api.RESTClient().Put().AbsPath("/apis/subresources.kubevirt.io/v1/namespaces", namespace, "virtualmachines", "web-1", "stop").
			Body([]byte("{}")).Do(ctx).Error()).To(Succeed())
		Eventually(func(g Gomega) {
			events, err := api.EventsV1().Events(namespace).List(ctx, metav1.ListOptions{})
			g.Expect(err).NotTo(HaveOccurred())
			notes := []string{}
			for i := range events.Items {
				if events.Items[i].Reason == virtualmachine.EventPowerRestored {
					notes = append(notes, events.Items[i].Note)
				}
			}
			g.Expect(notes).To(ContainElement(ContainSubstring("uds-vmctl power stop web-1")))
		}).WithContext(ctx).Should(Succeed())
		machineIn(ctx, namespace, "web-1", udsv1alpha1.PhaseReady)
		Eventually(func(g Gomega) {
			instance := &kubevirtv1.VirtualMachineInstance{}
			g.Expect(instanceOf(ctx, machine, instance)).To(Succeed())
			g.Expect(instance.Status.Phase).To(Equal(kubevirtv1.Running))
		}).WithContext(ctx).Should(Succeed())
	}, SpecTimeout(15*time.Minute))
})

func instanceOf(ctx context.Context, machine *udsv1alpha1.UDSVirtualMachine, into *kubevirtv1.VirtualMachineInstance) error {
	if into == nil {
		into = &kubevirtv1.VirtualMachineInstance{}
	}
	return k8s().Get(ctx, client.ObjectKeyFromObject(machine), into)
}

// vmctlIn builds uds-vmctl and returns what runs it in a namespace.
func vmctlIn(ctx context.Context, namespace string) func(arguments ...string) {
	GinkgoHelper()
	binary := filepath.Join(GinkgoT().TempDir(), "uds-vmctl")
	command := exec.CommandContext(ctx, "go", "build", "-o", binary, "./cmd/catoctl")
	command.Dir = running.Root
	output, err := command.CombinedOutput()
	Expect(err).NotTo(HaveOccurred(), "%s", output)
	return func(arguments ...string) {
		GinkgoHelper()
		run := exec.CommandContext(ctx, binary, append(arguments, "-n", namespace)...)
		run.Env = append(os.Environ(), "KUBECONFIG="+running.ControlPlane.Kubeconfig)
		output, err := run.CombinedOutput()
		Expect(err).NotTo(HaveOccurred(), "uds-vmctl %v: %s", arguments, output)
	}
}
