package tenant

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/internal/fixture"
	"cato.dev/cato/policy/engine"
)

func TestATenantGetsItsNamespaceAndIsolation(t *testing.T) {
	tenantNamed(t, "whole")
	w := newWorld(t, fixture.Judge(t, nil))
	tenant := w.settle(t, "whole")

	if tenant.Status.Phase != virtfoundryv1alpha1.TenantReady || tenant.Status.Namespace != "virtfoundry-tenant-whole" || tenant.Status.ObservedGeneration != tenant.Generation {
		t.Errorf("status: %+v", tenant.Status)
	}
	for _, kind := range []string{"Ready", "PolicyAllowed", "Isolated", "Compliant"} {
		if c := condition(t, tenant.Status.Conditions, kind); c.Status != metav1.ConditionTrue {
			t.Errorf("%s: %+v", kind, c)
		}
	}
	namespace := get(t, &corev1.Namespace{}, "", "virtfoundry-tenant-whole")
	labels := map[string]string{
		"app.kubernetes.io/part-of": "virtfoundry", "app.kubernetes.io/managed-by": "virtfoundry-operator", "virtfoundry.io/tenant": "whole",
		"pod-security.kubernetes.io/enforce": "privileged", "pod-security.kubernetes.io/audit": "privileged", "pod-security.kubernetes.io/warn": "privileged",
		"kubernetes.io/metadata.name": "virtfoundry-tenant-whole",
	}
	if diff := cmp.Diff(labels, namespace.Labels); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
	if owner := metav1.GetControllerOf(namespace); owner == nil || owner.UID != tenant.UID {
		t.Errorf("owner: %+v", owner)
	}
	for name, object := range map[string]client.Object{
		"virtfoundry-default-deny": &networkingv1.NetworkPolicy{}, "virtfoundry-importer-egress": &networkingv1.NetworkPolicy{},
		"virtfoundry-operator-kubevirt-mutate": &rbacv1.RoleBinding{}, "virtfoundry-operator-vm-namespace": &rbacv1.RoleBinding{},
	} {
		get(t, object, namespace.Name, name)
	}
	get(t, &corev1.ResourceQuota{}, namespace.Name, "virtfoundry-default")
	get(t, &corev1.LimitRange{}, namespace.Name, "virtfoundry-default")
	if tenant.Finalizers[0] != "virtfoundry.io/finalizer" {
		t.Errorf("finalizers: %v", tenant.Finalizers)
	}
	if len(w.found) > 0 || len(w.events.Notes) > 0 {
		t.Errorf("making children is no drift: %d judgements, events %v", len(w.found), w.events.Notes)
	}
}

func TestASettledTenantIsNotWrittenAgain(t *testing.T) {
	tenantNamed(t, "calm")
	judge := fixture.Judge(t, nil)
	newWorld(t, judge).settle(t, "calm")
	again := newWorld(t, judge) // a process that starts
	again.settle(t, "calm")
	if again.writes.Count() != 0 {
		t.Errorf("writes: %v", again.writes.Made())
	}
}

func TestWithoutGrantsNothingIsWritten(t *testing.T) {
	tenantNamed(t, "ungranted")
	w := newWorld(t, fixture.Judge(t, fixture.NothingGranted(t)))
	tenant := w.settle(t, "ungranted")
	if exists(t, &corev1.Namespace{}, "", "virtfoundry-tenant-ungranted") {
		t.Error("the namespace was made")
	}
	if made := w.writes.Made(); len(made) != 1 || !strings.HasPrefix(made[0], "patch status") {
		t.Errorf("writes beside the status: %v", made)
	}
	allowed := condition(t, tenant.Status.Conditions, "PolicyAllowed")
	if tenant.Status.Phase != virtfoundryv1alpha1.TenantFailed || allowed.Reason != "PolicyDenied" || !strings.Contains(allowed.Message, "namespace_write") {
		t.Errorf("phase %s, PolicyAllowed %+v", tenant.Status.Phase, allowed)
	}
	if condition(t, tenant.Status.Conditions, "Stalled").Status != metav1.ConditionTrue || !w.events.Has(EventPolicyDenied) {
		t.Errorf("conditions %+v, events %v", tenant.Status.Conditions, w.events.Reasons())
	}
}

func TestWithAllGrantsAndNoRulesATenantIsWritten(t *testing.T) {
	tenantNamed(t, "granted")
	w := newWorld(t, fixture.Judge(t, fixture.EverythingGranted(t)))
	if tenant := w.settle(t, "granted"); tenant.Status.Phase != virtfoundryv1alpha1.TenantReady {
		t.Errorf("status: %+v", tenant.Status)
	}
	get(t, &corev1.Namespace{}, "", "virtfoundry-tenant-granted")
}

func TestTheNewcomerWithATakenSlugFailsAndTheHolderDoesNot(t *testing.T) {
	tenantNamed(t, "holder")
	judge := fixture.Judge(t, nil)
	w := newWorld(t, judge)
	w.settle(t, "holder")
	create(t, &virtfoundryv1alpha1.Tenant{ObjectMeta: metav1.ObjectMeta{Name: "a-newcomer"}, Spec: virtfoundryv1alpha1.TenantSpec{Name: "n", Slug: "holder"}})
	newcomer := w.settle(t, "a-newcomer")
	if newcomer.Status.Phase != virtfoundryv1alpha1.TenantFailed || len(newcomer.Finalizers) != 0 {
		t.Errorf("newcomer: %+v %v", newcomer.Status, newcomer.Finalizers)
	}
	if c := condition(t, newcomer.Status.Conditions, "PolicyAllowed"); !strings.Contains(c.Message, "NS-003") {
		t.Errorf("the refusal does not name the rule: %s", c.Message)
	}
	if holder := w.settle(t, "holder"); holder.Status.Phase != virtfoundryv1alpha1.TenantReady {
		t.Errorf("holder: %+v", holder.Status)
	}
}

func TestDriftIsJudgedBeforeItIsPutRight(t *testing.T) {
	tenantNamed(t, "drift")
	w := newWorld(t, fixture.Judge(t, nil))
	w.settle(t, "drift")
	const namespace = "virtfoundry-tenant-drift"

	for name, change := range map[string]func(t *testing.T){
		"policy deleted": func(t *testing.T) {
			remove(t, get(t, &networkingv1.NetworkPolicy{}, namespace, "virtfoundry-default-deny"))
		},
		"policy opened": func(t *testing.T) {
			policy := get(t, &networkingv1.NetworkPolicy{}, namespace, "virtfoundry-default-deny")
			policy.Spec.Ingress = append(policy.Spec.Ingress, networkingv1.NetworkPolicyIngressRule{})
			update(t, policy)
		},
		"quota scoped": func(t *testing.T) {
			quota := get(t, &corev1.ResourceQuota{}, namespace, "virtfoundry-default")
			remove(t, quota)
			scoped := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: quota.Name, Namespace: namespace, OwnerReferences: quota.OwnerReferences, Labels: quota.Labels}, Spec: quota.Spec}
			delete(scoped.Spec.Hard, corev1.ResourceServices)
			delete(scoped.Spec.Hard, corev1.ResourcePersistentVolumeClaims)
			scoped.Spec.Scopes = []corev1.ResourceQuotaScope{corev1.ResourceQuotaScopeNotTerminating}
			for name := range scoped.Spec.Hard {
				if name != corev1.ResourcePods && name != corev1.ResourceRequestsCPU {
					delete(scoped.Spec.Hard, name)
				}
			}
			create(t, scoped)
		},
		"limits widened": func(t *testing.T) {
			limits := get(t, &corev1.LimitRange{}, namespace, "virtfoundry-default")
			delete(limits.Spec.Limits[0].Max, corev1.ResourceMemory)
			update(t, limits)
		},
	} {
		t.Run(name, func(t *testing.T) {
			seen := len(w.found)
			change(t)
			w.settle(t, "drift")
			if len(w.found) != seen+1 {
				t.Fatalf("%d judgements of what was found", len(w.found)-seen)
			}
			failed := false
			for _, v := range w.found[seen].Verdicts {
				failed = failed || v.Value == engine.Fail
			}
			if !failed {
				t.Errorf("no rule fails on what was found: %+v", w.found[seen].Verdicts)
			}
			if c := condition(t, w.tenant(t, "drift").Status.Conditions, "Compliant"); c.Status != metav1.ConditionTrue {
				t.Errorf("after the repair: %+v", c)
			}
			if !w.events.Has(EventRepaired) {
				t.Errorf("events: %v", w.events.Reasons())
			}
		})
	}
}

func TestAForgedRoleBindingIsMadeAgain(t *testing.T) {
	tenantNamed(t, "binding")
	w := newWorld(t, fixture.Judge(t, nil))
	w.settle(t, "binding")
	const namespace, name = "virtfoundry-tenant-binding", "virtfoundry-operator-kubevirt-mutate"
	binding := get(t, &rbacv1.RoleBinding{}, namespace, name)
	remove(t, binding)
	create(t, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace, OwnerReferences: binding.OwnerReferences},
		RoleRef:    rbacv1.RoleRef{APIGroup: "rbac.authorization.k8s.io", Kind: "ClusterRole", Name: "cluster-admin"}, Subjects: binding.Subjects,
	})
	w.settle(t, "binding")
	if now := get(t, &rbacv1.RoleBinding{}, namespace, name); now.RoleRef.Name != name {
		t.Errorf("roleRef: %+v", now.RoleRef)
	}
}

func TestWhatOthersAddStays(t *testing.T) {
	tenantNamed(t, "added")
	w := newWorld(t, fixture.Judge(t, nil))
	w.settle(t, "added")
	namespace := get(t, &corev1.Namespace{}, "", "virtfoundry-tenant-added")
	namespace.Labels["team"] = "blue"
	namespace.Labels["app.kubernetes.io/managed-by"] = "someone"
	update(t, namespace)
	create(t, &networkingv1.NetworkPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: "allow-all", Namespace: namespace.Name},
		Spec:       networkingv1.NetworkPolicySpec{Ingress: []networkingv1.NetworkPolicyIngressRule{{}}},
	})
	remove(t, get(t, &networkingv1.NetworkPolicy{}, namespace.Name, "virtfoundry-default-deny"))
	for range 4 {
		w.reconcile(t, "added")
	}
	tenant := w.tenant(t, "added")
	if tenant.Status.Phase != virtfoundryv1alpha1.TenantFailed {
		t.Errorf("an open namespace is not reported: %+v", tenant.Status)
	}
	get(t, &networkingv1.NetworkPolicy{}, namespace.Name, "allow-all")
	// What protects is kept up although the whole is refused.
	get(t, &networkingv1.NetworkPolicy{}, namespace.Name, "virtfoundry-default-deny")

	remove(t, get(t, &networkingv1.NetworkPolicy{}, namespace.Name, "allow-all"))
	if tenant = w.settle(t, "added"); tenant.Status.Phase != virtfoundryv1alpha1.TenantReady {
		t.Errorf("status: %+v", tenant.Status)
	}
	labels := get(t, &corev1.Namespace{}, "", namespace.Name).Labels
	if labels["team"] != "blue" || labels["app.kubernetes.io/managed-by"] != "virtfoundry-operator" {
		t.Errorf("labels: %v", labels)
	}
}

func remove(t *testing.T, object client.Object) {
	t.Helper()
	if err := cluster.Client.Delete(t.Context(), object); err != nil {
		t.Fatal(err)
	}
}

func update(t *testing.T, object client.Object) {
	t.Helper()
	if err := cluster.Client.Update(t.Context(), object); err != nil {
		t.Fatal(err)
	}
}
