package e2e

import (
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"cato.dev/cato/api/quantity"
	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
)

var _ = Describe("What was stored while the webhook was away", func() {
	It("fails where it cannot be read, by object, field, value and remedy, and blinds no watch", func(ctx SpecContext) {
		namespace := vmNamespace(ctx)
		before := []string{}
		bad := map[string]struct {
			field string
			value quantity.Text
			set   func(*udsv1alpha1.UDSVirtualMachineSpec, quantity.Text)
		}{
			"memory-float":  {"spec.memory", "1e1.5", func(s *udsv1alpha1.UDSVirtualMachineSpec, q quantity.Text) { s.Memory = q }},
			"memory-vast":   {"spec.memory", "1e30", func(s *udsv1alpha1.UDSVirtualMachineSpec, q quantity.Text) { s.Memory = q }},
			"disk-float":    {"spec.diskSize", "1e1.5", func(s *udsv1alpha1.UDSVirtualMachineSpec, q quantity.Text) { s.DiskSize = q }},
			"disk-vast":     {"spec.diskSize", "1e30", func(s *udsv1alpha1.UDSVirtualMachineSpec, q quantity.Text) { s.DiskSize = q }},
			"disk-negative": {"spec.diskSize", "-1", func(s *udsv1alpha1.UDSVirtualMachineSpec, q quantity.Text) { s.DiskSize = q }},
		}
		webhookAway(ctx, func() {
			before = contents(ctx, namespace)
			for name, b := range bad {
				machine := linuxMachine(namespace, name)
				b.set(&machine.Spec, b.value)
				stored(ctx, machine)
			}
		})
		for name, b := range bad {
			machine := machineIn(ctx, namespace, name, udsv1alpha1.PhaseFailed)
			said := message(machine.Status.Conditions, udsv1alpha1.ConditionPolicyAllowed)
			for _, part := range []string{"UDSVirtualMachine " + namespace + "/" + name, b.field, fmt.Sprintf("%q", b.value), "4Gi"} {
				Expect(said).To(ContainSubstring(part), "the message of %s", name)
			}
		}
		Expect(contents(ctx, namespace)).To(Equal(before))

		for i := range 2 { // beside them: made now, with the bad ones stored
			name := fmt.Sprintf("good-%d", i)
			stored(ctx, emptyMachine(namespace, name))
			machineIn(ctx, namespace, name, udsv1alpha1.PhaseReady)
		}
		webhookAway(ctx, func() { stored(ctx, emptyMachine(namespace, "good-later")) }) // and read from nothing
		machineIn(ctx, namespace, "good-later", udsv1alpha1.PhaseReady)

		Eventually(func() error {
			now := &udsv1alpha1.UDSVirtualMachine{}
			if err := k8s().Get(ctx, client.ObjectKey{Namespace: namespace, Name: "memory-vast"}, now); err != nil {
				return err
			}
			now.Spec.Memory = "1Gi"
			return k8s().Update(ctx, now)
		}).WithContext(ctx).Should(Succeed())
		machineIn(ctx, namespace, "memory-vast", udsv1alpha1.PhaseReady)
	}, NodeTimeout(12*time.Minute))
})
