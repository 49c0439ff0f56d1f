package tenant

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/internal/fixture"
)

// A repair changes objects, makes a deleted one and exchanges one whose field
// cannot be changed. Killed before and after each of its writes, a new process
// ends where an undisturbed one does.
func TestKilledAtAnyWriteOfARepairItConverges(t *testing.T) {
	judge := fixture.Judge(t, nil)
	begin := func(name string) {
		tenantNamed(t, name)
		newWorld(t, judge).settle(t, name)
		spoil(t, "virtfoundry-tenant-"+name)
	}
	begin("r-0")
	counted := newWorld(t, judge)
	if err := counted.live(t, "r-0"); err != nil {
		t.Fatal(err)
	}
	total := counted.writes.Count()
	if total < 6 {
		t.Fatalf("only %d writes repair a Tenant: %v", total, counted.writes.Made())
	}
	for at := 1; at <= total; at++ {
		for _, before := range []bool{true, false} {
			name := fmt.Sprintf("r-%d-%t", at, before)
			begin(name)
			dying := newWorldAt(judge, &fixture.Writes{At: at, Before: before})
			dying.writes.MustHaveKilled(t, dying.live(t, name))
			next := newWorld(t, judge)
			if err := next.live(t, name); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			sound(t, next, name)
			remove(t, next.tenant(t, name))
		}
	}
}

// spoil changes what a Tenant's namespace holds in each way that a person can.
func spoil(t *testing.T, namespace string) {
	t.Helper()
	remove(t, get(t, &networkingv1.NetworkPolicy{}, namespace, "virtfoundry-importer-egress"))
	policy := get(t, &networkingv1.NetworkPolicy{}, namespace, "virtfoundry-default-deny")
	policy.Spec.Ingress = []networkingv1.NetworkPolicyIngressRule{{}}
	update(t, policy)
	limits := get(t, &corev1.LimitRange{}, namespace, "virtfoundry-default")
	delete(limits.Spec.Limits[0].Max, corev1.ResourceMemory)
	update(t, limits)
	binding := get(t, &rbacv1.RoleBinding{}, namespace, "virtfoundry-operator-kubevirt-mutate")
	remove(t, binding)
	create(t, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: binding.Name, Namespace: namespace, OwnerReferences: binding.OwnerReferences, Labels: binding.Labels},
		RoleRef:    rbacv1.RoleRef{APIGroup: "rbac.authorization.k8s.io", Kind: "ClusterRole", Name: "view"}, Subjects: binding.Subjects,
	})
}

func sound(t *testing.T, w *world, name string) {
	t.Helper()
	namespace := "virtfoundry-tenant-" + name
	get(t, &networkingv1.NetworkPolicy{}, namespace, "virtfoundry-importer-egress")
	if policy := get(t, &networkingv1.NetworkPolicy{}, namespace, "virtfoundry-default-deny"); len(policy.Spec.Ingress) != 1 || len(policy.Spec.Ingress[0].From) == 0 {
		t.Errorf("%s: the policy stays open: %+v", name, policy.Spec)
	}
	if limits := get(t, &corev1.LimitRange{}, namespace, "virtfoundry-default"); limits.Spec.Limits[0].Max.Memory().IsZero() {
		t.Errorf("%s: memory stays without a limit", name)
	}
	if binding := get(t, &rbacv1.RoleBinding{}, namespace, "virtfoundry-operator-kubevirt-mutate"); binding.RoleRef.Name != binding.Name {
		t.Errorf("%s: the binding gives %s", name, binding.RoleRef.Name)
	}
	if phase := w.tenant(t, name).Status.Phase; phase != virtfoundryv1alpha1.TenantReady {
		t.Errorf("%s: %+v", name, w.tenant(t, name).Status)
	}
}
