package e2e

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"sigs.k8s.io/controller-runtime/pkg/client"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/children"
)

var _ = Describe("Drift of a Tenant's children", func() {
	It("puts right every owned field and every deleted child, and leaves what others own", func(ctx SpecContext) {
		name := unique("drift")
		stored(ctx, tenantNamed(name))
		tenant := readyTenant(ctx, name)
		kept := foreignTo(ctx, tenant.Status.Namespace)
		namespace, inside := tenantChildren(ctx, tenant)
		d := &drifts{}

		namespace.mark(ctx)
		d.every(ctx, namespace, func(e edit) bool { return !identifies(e) })
		for _, c := range inside {
			c.mark(ctx)
			d.every(ctx, c, nil)
		}
		for _, c := range inside {
			d.deleted(ctx, c)
		}
		readyTenant(ctx, name)
		kept.unchanged(ctx)
		d.report("Tenant")
		Expect(len(d.took)).To(BeNumerically(">=", 200))
	}, NodeTimeout(18*time.Minute))

	It("leaves a namespace alone that is no longer proven its own, says so, and comes back", func(ctx SpecContext) {
		name := unique("proof")
		stored(ctx, tenantNamed(name))
		tenant := readyTenant(ctx, name)
		namespace, _ := tenantChildren(ctx, tenant)
		for _, e := range editsOf(namespace.document, nil) {
			if identifies(e) {
				expectLeftAlone(ctx, name, namespace, e)
			}
		}
	}, NodeTimeout(18*time.Minute))

	It("makes a deleted namespace again", func(ctx SpecContext) {
		name := unique("again")
		stored(ctx, tenantNamed(name))
		tenant := readyTenant(ctx, name)
		namespace, _ := tenantChildren(ctx, tenant)
		before := namespace.live(ctx)
		since := time.Now()
		Expect(k8s().Delete(ctx, before.DeepCopy())).To(Succeed())
		Eventually(func(g Gomega) {
			live := namespace.object()
			g.Expect(k8s().Get(ctx, namespace.key(), live)).To(Succeed())
			g.Expect(live.GetUID()).NotTo(Equal(before.GetUID()))
		}).WithContext(ctx).Should(Succeed())
		readyTenant(ctx, name)
		say("Tenant: a deleted namespace was there again, with all in it, after %s, the API server's own deletion included", time.Since(since).Round(time.Millisecond))
	}, NodeTimeout(9*time.Minute))
})

// tenantChildren renders a Tenant's children: the namespace, and what is in it.
func tenantChildren(ctx context.Context, tenant *virtfoundryv1alpha1.Tenant) (namespace *child, inside []*child) {
	GinkgoHelper()
	rendered, err := children.ForTenant(tenant, &catov1alpha1.ComplianceProfileParameters{})
	Expect(err).NotTo(HaveOccurred())
	for _, policy := range rendered.NetworkPolicies {
		inside = append(inside, childOf(ctx, policy, "spec"))
	}
	inside = append(inside, childOf(ctx, rendered.ResourceQuota), childOf(ctx, rendered.LimitRange, "spec"))
	for _, binding := range rendered.RoleBindings {
		c := childOf(ctx, binding, "subjects", "roleRef")
		c.remade = "roleRef"
		inside = append(inside, c)
	}
	return childOf(ctx, rendered.Namespace), inside
}

// identifies tells that a field of a namespace is what proves it to be the
// Tenant's own. Who changes one takes the namespace away from it, and Cato must
// not write to what is not proven its own (VirtFoundry sheet, section 2.1).
func identifies(e edit) bool {
	switch e.path.String() {
	case "metadata.labels." + virtfoundryv1alpha1.LabelPartOf, "metadata.labels." + virtfoundryv1alpha1.LabelTenant,
		"metadata.ownerReferences[0].uid", "metadata.ownerReferences[0].name", "metadata.ownerReferences[0].kind":
		return true
	default:
		return false
	}
}

// expectLeftAlone makes an edit that takes the namespace away. Where the edit
// names an owner that does not exist, Kubernetes' garbage collector may delete
// the namespace meanwhile; then a new one is made.
func expectLeftAlone(ctx context.Context, name string, namespace *child, e edit) {
	GinkgoHelper()
	before := namespace.live(ctx)
	value := any(nil)
	if e.verb != "remove" {
		value = e.values[len(e.values)-1]
	}
	outcome, _ := namespace.edit(ctx, e, value)
	if outcome != "made" {
		say("Namespace %s: the API server refuses: %s", e, outcome)
		return
	}
	taken := false
	Eventually(func(g Gomega) {
		live := namespace.object()
		err := k8s().Get(ctx, namespace.key(), live)
		taken = err != nil || live.GetDeletionTimestamp() != nil || live.GetUID() != before.GetUID()
		if taken {
			return
		}
		tenant := &virtfoundryv1alpha1.Tenant{}
		g.Expect(k8s().Get(ctx, client.ObjectKey{Name: name}, tenant)).To(Succeed())
		g.Expect(tenant.Status.Phase).To(Equal(virtfoundryv1alpha1.TenantFailed), "%s: %+v", e, tenant.Status)
		g.Expect(message(tenant.Status.Conditions, virtfoundryv1alpha1.ConditionPolicyAllowed)).To(ContainSubstring("NS-001"))
		g.Expect(namespace.missing(live)).NotTo(BeEmpty(), "%s: it was written all the same", e)
	}).WithContext(ctx).Should(Succeed())
	if taken {
		say("Namespace %s: the garbage collector deleted it, since no such owner exists", e)
	} else {
		Eventually(func() error { // the person gives it back; the garbage collector may be faster
			live := namespace.object()
			if err := k8s().Get(ctx, namespace.key(), live); err != nil || live.GetDeletionTimestamp() != nil || live.GetUID() != before.GetUID() {
				return nil
			}
			live.SetLabels(before.GetLabels())
			live.SetOwnerReferences(before.GetOwnerReferences())
			return k8s().Update(ctx, live, somebody)
		}).WithContext(ctx).Should(Succeed())
	}
	Eventually(func(g Gomega) {
		live := namespace.object()
		g.Expect(k8s().Get(ctx, namespace.key(), live)).To(Succeed())
		g.Expect(live.GetDeletionTimestamp()).To(BeNil())
		g.Expect(namespace.missing(live)).To(BeEmpty())
	}).WithContext(ctx).Should(Succeed(), "after %s", e)
	readyTenant(ctx, name)
}
