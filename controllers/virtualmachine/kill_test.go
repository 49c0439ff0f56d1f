package virtualmachine

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	"cato.dev/cato/controllers/internal/fixture"
)

func TestKilledAtAnyWriteItConvergesAndLeavesNothing(t *testing.T) {
	judge := fixture.Judge(t, nil)
	w := start(t, judge)
	w.make(t, "k-0", from(udsv1alpha1.SourceBlank))
	if err := w.live(t, "k-0"); err != nil {
		t.Fatal(err)
	}
	total := w.writes.Count()
	if total < 6 {
		t.Fatalf("only %d writes make a machine: %v", total, w.writes.Made())
	}
	for at := 1; at <= total; at++ {
		for _, before := range []bool{true, false} {
			name := fmt.Sprintf("k-%d-%t", at, before)
			w.make(t, name, from(udsv1alpha1.SourceBlank))
			killed := newWorld(judge, w.namespace, &fixture.Writes{At: at, Before: before})
			killed.writes.MustHaveKilled(t, killed.live(t, name))
			next := newWorld(judge, w.namespace, &fixture.Writes{})
			if err := next.live(t, name); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			expect(t, next.machine(t, name), udsv1alpha1.PhaseImporting, "PolicyAllowed", metav1.ConditionTrue, "PolicyAllowed", "")
			w.vm(t, name)
			dying := newWorld(judge, w.namespace, &fixture.Writes{At: 1 + at%3, Before: before})
			remove(t, dying.machine(t, name))
			dying.writes.MustHaveKilled(t, dying.live(t, name))
			newWorld(judge, w.namespace, &fixture.Writes{}).gone(t, name)
		}
	}
}

func TestWithoutTheRightsOfTheNamespaceTheRemedyIsNamed(t *testing.T) {
	w := start(t, fixture.Judge(t, nil))
	create(t, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "reads"}, Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{"*"}, Resources: []string{"*"}, Verbs: []string{"get", "list", "watch"}},
		{APIGroups: []string{"uds.dev"}, Resources: []string{"*"}, Verbs: []string{"*"}},
	}})
	create(t, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "reads"}, RoleRef: rbacv1.RoleRef{APIGroup: "rbac.authorization.k8s.io", Kind: "ClusterRole", Name: "reads"},
		Subjects: []rbacv1.Subject{{Kind: "ServiceAccount", Name: "operator", Namespace: w.namespace}},
	})
	create(t, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "operator", Namespace: w.namespace}})
	config, err := cluster.ConfigFor(t.Context(), w.namespace, "operator")
	if err != nil {
		t.Fatal(err)
	}
	limited, err := client.NewWithWatch(config, client.Options{Scheme: cluster.Client.Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	w.deps.Client = limited
	w.make(t, "web")
	if after := w.reconcile(t, "web").RequeueAfter; after != time.Minute {
		t.Errorf("comes back after %s", after)
	}
	machine := w.machine(t, "web")
	expect(t, machine, udsv1alpha1.PhasePending, "Ready", metav1.ConditionFalse, "Forbidden", "cato.dev/vm-namespace=true and bind ClusterRole virtfoundry-operator-kubevirt-mutate")
	if !w.events.Has(EventForbidden) {
		t.Errorf("events %v", w.events.Reasons())
	}
}
