package e2e

import (
	"context"
	"slices"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	"cato.dev/cato/compliance/metrics"
	"cato.dev/cato/controllers/children"
	"cato.dev/cato/policy/facts"
)

// blindWithin is how soon a withdrawn right has to show in the verdicts.
const blindWithin = time.Minute

// operatorRole is the ClusterRole that the operator reads by.
const operatorRole = "virtfoundry-operator"

const policiesResource = "networkpolicies.networking.k8s.io"

var _ = Describe("Freshness of the evidence", func() {
	It("calls unknown what rests on NetworkPolicies once they may not be watched, and returns with the right", func(ctx SpecContext) {
		namespace := vmNamespace(ctx)
		stored(ctx, linuxMachine(namespace, "vm-1"))
		machineIn(ctx, namespace, "vm-1", udsv1alpha1.PhaseReady)
		reader := assessor(ctx, namespace, false)
		needing := []string{"NET-001", "NET-002"}
		settles(ctx, namespace, reader, needing, "pass")
		passing := len(needing)

		role := &rbacv1.ClusterRole{}
		Expect(k8s().Get(ctx, client.ObjectKey{Name: operatorRole}, role)).To(Succeed())
		whole := role.DeepCopy()
		DeferCleanup(func(ctx SpecContext) { giveBack(ctx, whole) }, NodeTimeout(removeTimeout))
		withdrawn := time.Now()
		role.Rules = slices.DeleteFunc(role.Rules, func(rule rbacv1.PolicyRule) bool { return slices.Contains(rule.Resources, "networkpolicies") })
		role.Rules = append(role.Rules, rbacv1.PolicyRule{
			APIGroups: []string{"networking.k8s.io"}, Resources: []string{"networkpolicies"},
			Verbs: []string{"get", "create", "update", "patch", "delete"},
		})
		Expect(k8s().Update(ctx, role)).To(Succeed())

		Eventually(func(g Gomega) {
			for _, v := range verdictsOf(ctx, g, namespace, reader) {
				if slices.Contains(needing, v.Rule) {
					g.Expect(v.Verdict).To(Equal("unknown"), "%+v", v)
					g.Expect(v.Message).To(ContainSubstring("the right to list "+policiesResource+" is missing"), "the missing verb")
				}
			}
		}).WithContext(ctx).WithTimeout(blindWithin).Should(Succeed())
		say("From the withdrawal of the right to %s to %d verdicts unknown: %s (1 sample, goal %s)",
			"list and watch networkpolicies", passing, time.Since(withdrawn).Round(10*time.Millisecond), blindWithin)
		for _, rule := range needing {
			Expect(value(ctx, metrics.RuleVerdicts, map[string]string{"rule": rule, "verdict": "pass"})).To(BeZero(), "no verdict of %s rests on what may not be read", rule)
			Expect(value(ctx, metrics.RuleVerdicts, map[string]string{"rule": rule, "verdict": "unknown"})).To(BeNumerically(">=", 1))
		}
		age := value(ctx, metrics.OldestEvidence, map[string]string{"kind": policiesResource})
		Eventually(func() float64 { return value(ctx, metrics.OldestEvidence, map[string]string{"kind": policiesResource}) }).
			WithContext(ctx).Should(BeNumerically(">", age+1), "the evidence ages")

		returned := time.Now()
		giveBack(ctx, whole)
		settles(ctx, namespace, reader, needing, "pass")
		say("From the return of the right to the verdicts: %s (1 sample)", time.Since(returned).Round(10*time.Millisecond))
		Expect(value(ctx, metrics.OldestEvidence, map[string]string{"kind": policiesResource})).To(BeNumerically("<", age+60))
	}, SpecTimeout(12*time.Minute))

	It("calls unknown what a guest does when the Secrets of its namespace may not be read, and no other namespace's", func(ctx SpecContext) {
		closed, open := vmNamespace(ctx), vmNamespace(ctx)
		for _, namespace := range []string{closed, open} {
			stored(ctx, linuxMachine(namespace, "vm-1"))
			machineIn(ctx, namespace, "vm-1", udsv1alpha1.PhaseReady)
		}
		reader := assessor(ctx, closed, true)
		guest := []string{"GST-001"}
		settles(ctx, closed, reader, guest, "pass")
		binding := &rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Namespace: closed, Name: children.VMNamespaceRoleName}}
		withdrawn := time.Now()
		Expect(k8s().Delete(ctx, binding)).To(Succeed())
		Eventually(func(g Gomega) {
			found := 0
			for _, v := range verdictsOf(ctx, g, closed, reader) {
				if strings.HasPrefix(v.Rule, "GST-001") && v.Subject.Kind == facts.KindUDSVirtualMachine {
					found++
					g.Expect(v.Verdict).To(Equal("unknown"))
					g.Expect(v.Message).To(And(ContainSubstring("the right to"), ContainSubstring("secrets"), ContainSubstring(closed)))
				}
			}
			g.Expect(found).To(Equal(1))
		}).WithContext(ctx).WithTimeout(blindWithin).Should(Succeed())
		say("From the deletion of the RoleBinding to unknown: %s (1 sample, goal %s)", time.Since(withdrawn).Round(10*time.Millisecond), blindWithin)
		settles(ctx, open, reader, guest, "pass")

		returned := time.Now()
		Expect(running.EnableNamespace(ctx, closed)).To(Succeed())
		settles(ctx, closed, reader, guest, "pass")
		say("From the return of the RoleBinding to the verdicts: %s (1 sample)", time.Since(returned).Round(10*time.Millisecond))
	}, SpecTimeout(12*time.Minute))
})

// giveBack puts a ClusterRole's rules back.
func giveBack(ctx context.Context, whole *rbacv1.ClusterRole) {
	GinkgoHelper()
	role := &rbacv1.ClusterRole{}
	Expect(k8s().Get(ctx, client.ObjectKeyFromObject(whole), role)).To(Succeed())
	role.Rules = whole.Rules
	Expect(k8s().Update(ctx, role)).To(Succeed())
}

// settles waits until the rules have a verdict on the machines of a namespace.
func settles(ctx context.Context, namespace, token string, rules []string, verdict string) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		left := slices.Clone(rules)
		for _, v := range verdictsOf(ctx, g, namespace, token) {
			if i := slices.Index(left, v.Rule); i >= 0 {
				g.Expect(v.Verdict).To(Equal(verdict), "%+v", v)
				left = slices.Delete(left, i, i+1)
			}
		}
		g.Expect(left).To(BeEmpty(), "rules without a verdict in %s", namespace)
	}).WithContext(ctx).WithTimeout(settleTimeout).Should(Succeed())
}

// assessor makes a ServiceAccount that may read the documents of a namespace,
// or of the whole cluster, and returns a token of it.
func assessor(ctx context.Context, namespace string, cluster bool) string {
	GinkgoHelper()
	name := serviceAccount(ctx, namespace)
	subjects := []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: namespace, Name: name}}
	role := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cato-oscal-reader"}
	if cluster {
		stored(ctx, &rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: unique("assessor")}, RoleRef: role, Subjects: subjects})
	} else {
		stored(ctx, &rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, RoleRef: role, Subjects: subjects})
	}
	return tokenOf(ctx, namespace, name)
}
