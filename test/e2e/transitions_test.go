package e2e

import (
	"context"
	"os"
	"path/filepath"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	"cato.dev/cato/compliance/posture"
	"cato.dev/cato/policy/engine"
)

var _ = Describe("A drift of milliseconds", func() {
	It("is two transitions of the posture: fail, and pass", func(ctx SpecContext) {
		tenant := unique("seen")
		stored(ctx, tenantNamed(tenant))
		namespace := vmNamespace(ctx)
		stored(ctx, linuxMachine(namespace, "web-1"))
		machine := machineIn(ctx, namespace, "web-1", udsv1alpha1.PhaseReady)
		_, inside := tenantChildren(ctx, readyTenant(ctx, tenant))
		policy, _, _, _ := machineChildren(ctx, machine)
		start := time.Now()

		open := any(map[string]any{})
		for _, c := range []*child{inside[0], policy} {
			outcome, _ := c.edit(ctx, edit{path: fieldPath{"spec", "ingress"}, verb: "add"}, open)
			Expect(outcome).To(Equal("made"))
			c.restored(ctx, "an open policy")
			Expect(k8s().Delete(ctx, c.live(ctx))).To(Succeed())
			c.restored(ctx, "a deleted policy")
		}
		readyTenant(ctx, tenant)
		Eventually(func() string {
			return message(machineIn(ctx, namespace, "web-1", udsv1alpha1.PhaseReady).Status.Conditions, udsv1alpha1.ConditionIsolated)
		}).WithContext(ctx).Should(ContainSubstring("passes"))

		transitions := history(ctx)
		for rule, subject := range map[string]string{"NET-010": tenant, "NET-001": "web-1"} {
			seen := []engine.Value{}
			for _, t := range transitions {
				if t.Rule == rule && t.Subject.Name == subject && !t.Time.Before(start) {
					seen = append(seen, t.To)
				}
			}
			Expect(len(seen)).To(BeNumerically(">=", 2), "%s of %s: %v", rule, subject, seen)
			Expect(seen[0]).To(Equal(engine.Fail), "%s of %s: %v", rule, subject, seen)
			Expect(seen[len(seen)-1]).To(Equal(engine.Pass), "%s of %s: %v", rule, subject, seen)
		}
	}, NodeTimeout(12*time.Minute))
})

// history reads the transitions from a copy of the operator's state, with the
// operator stopped for the copy.
func history(ctx context.Context) []posture.Transition {
	GinkgoHelper()
	running.KillOperator()
	copied := filepath.Join(GinkgoT().TempDir(), "state")
	Expect(os.CopyFS(copied, os.DirFS(filepath.Join(running.Dir, "state")))).To(Succeed())
	Expect(running.StartOperator(ctx)).To(Succeed())
	store, err := posture.Open(copied, time.Now())
	Expect(err).NotTo(HaveOccurred())
	defer func() { Expect(store.Close()).To(Succeed()) }()
	return store.Transitions(0, 0)
}
