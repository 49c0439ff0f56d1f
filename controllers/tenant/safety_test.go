package tenant

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/internal/fixture"
)

func marks(slug string) map[string]string {
	return map[string]string{"app.kubernetes.io/part-of": "virtfoundry", "virtfoundry.io/tenant": slug}
}

func controlledBy(kind, uid string) metav1.OwnerReference {
	yes := true
	return metav1.OwnerReference{APIVersion: "virtfoundry.io/v1alpha1", Kind: kind, Name: "other", UID: types.UID(uid), Controller: &yes}
}

// The rows are the sentences of the sheet's section 2.1, one condition broken at a time.
func TestANamespaceIsTakenOnlyIfAllOfItIsRight(t *testing.T) {
	judge := fixture.Judge(t, nil)
	for slug, row := range map[string]struct {
		labels map[string]string
		owners []metav1.OwnerReference
		taken  bool
	}{
		"adopted":         {labels: marks("adopted"), taken: true},
		"no-labels":       {},
		"no-part-of":      {labels: map[string]string{"virtfoundry.io/tenant": "no-part-of"}},
		"other-part-of":   {labels: map[string]string{"app.kubernetes.io/part-of": "else", "virtfoundry.io/tenant": "other-part-of"}},
		"no-tenant-label": {labels: map[string]string{"app.kubernetes.io/part-of": "virtfoundry"}},
		"other-tenant":    {labels: marks("somebody")},
		"foreign-uid":     {labels: marks("foreign-uid"), owners: []metav1.OwnerReference{controlledBy("Tenant", "11111111-2222-3333-4444-555555555555")}},
		"foreign-kind":    {labels: marks("foreign-kind"), owners: []metav1.OwnerReference{controlledBy("Project", "11111111-2222-3333-4444-555555555556")}},
	} {
		t.Run(slug, func(t *testing.T) {
			namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "virtfoundry-tenant-" + slug, Labels: row.labels, OwnerReferences: row.owners}}
			create(t, namespace)
			before := get(t, &corev1.Namespace{}, "", namespace.Name)
			tenantNamed(t, slug)
			w := newWorld(t, judge)
			w.reconcile(t, slug)
			tenant := w.tenant(t, slug)
			if !row.taken {
				if made := w.writes.Made(); len(made) != 1 || !strings.HasPrefix(made[0], "patch status") {
					t.Errorf("writes beside the status: %v", made)
				}
				after := get(t, &corev1.Namespace{}, "", namespace.Name)
				if before.DeletionTimestamp == nil && after.DeletionTimestamp == nil && before.ResourceVersion != after.ResourceVersion {
					t.Errorf("the namespace was touched: %+v", after)
				}
				if exists(t, &networkingv1.NetworkPolicy{}, namespace.Name, "virtfoundry-default-deny") {
					t.Error("something was written into it")
				}
				if tenant.Status.Phase != virtfoundryv1alpha1.TenantFailed || tenant.Status.Namespace != "" {
					t.Errorf("status: %+v", tenant.Status)
				}
				if c := condition(t, tenant.Status.Conditions, "PolicyAllowed"); !strings.Contains(c.Message, "NS-001") {
					t.Errorf("the refusal does not name the rule: %s", c.Message)
				}
				return
			}
			w.settle(t, slug)
			owner := metav1.GetControllerOf(get(t, &corev1.Namespace{}, "", namespace.Name))
			if owner == nil || owner.UID != tenant.UID {
				t.Errorf("not adopted: %+v", owner)
			}
			if !w.events.Has(EventNamespaceAdopted) {
				t.Errorf("events: %v", w.events.Reasons())
			}
		})
	}
}

func TestADeletedTenantTakesItsNamespaceWithIt(t *testing.T) {
	tenantNamed(t, "gone")
	w := newWorld(t, fixture.Judge(t, nil))
	w.settle(t, "gone")
	remove(t, w.tenant(t, "gone"))
	if result := w.reconcile(t, "gone"); result.RequeueAfter != 5*time.Second {
		t.Errorf("comes back after %s", result.RequeueAfter)
	}
	if phase := w.tenant(t, "gone").Status.Phase; phase != virtfoundryv1alpha1.TenantTerminating {
		t.Errorf("phase %s", phase)
	}
	gone(t, w, "gone")
	if exists(t, &corev1.Namespace{}, "", "virtfoundry-tenant-gone") {
		t.Error("the Tenant went before its namespace")
	}
}

// gone reconciles until the Tenant has left.
func gone(t *testing.T, w *world, name string) {
	t.Helper()
	err := wait.PollUntilContextTimeout(t.Context(), 100*time.Millisecond, 3*time.Minute, true, func(ctx context.Context) (bool, error) {
		if _, err := w.Reconcile(ctx, reconcile.Request{NamespacedName: types.NamespacedName{Name: name}}); err != nil {
			return false, err
		}
		return !exists(t, &virtfoundryv1alpha1.Tenant{}, "", name), nil
	})
	if err != nil {
		t.Fatalf("Tenant %s does not go: %v", name, err)
	}
}

func TestADeletedTenantLeavesANamespaceThatIsNotProvenItsOwn(t *testing.T) {
	judge := fixture.Judge(t, nil)
	for slug, spoil := range map[string]func(*corev1.Namespace){
		"left-unowned":   func(n *corev1.Namespace) { n.OwnerReferences = nil },
		"left-unlabeled": func(n *corev1.Namespace) { delete(n.Labels, "virtfoundry.io/tenant") },
		"left-part-of":   func(n *corev1.Namespace) { n.Labels["app.kubernetes.io/part-of"] = "else" },
	} {
		t.Run(slug, func(t *testing.T) {
			tenantNamed(t, slug)
			w := newWorld(t, judge)
			w.settle(t, slug)
			namespace := get(t, &corev1.Namespace{}, "", "virtfoundry-tenant-"+slug)
			namespace.OwnerReferences[0].BlockOwnerDeletion = nil
			spoil(namespace)
			update(t, namespace)
			remove(t, w.tenant(t, slug))
			seen := w.writes.Count()
			w.reconcile(t, slug)
			for _, made := range w.writes.Made()[seen:] {
				if strings.HasPrefix(made, "delete") {
					t.Errorf("deleted: %s", made)
				}
			}
			if exists(t, &virtfoundryv1alpha1.Tenant{}, "", slug) {
				t.Error("the Tenant is stuck")
			}
			if !w.events.Has(EventNamespaceLeft) {
				t.Errorf("events: %v", w.events.Reasons())
			}
		})
	}
}

func TestAGrantThatCannotBeDeterminedKeepsTheTenant(t *testing.T) {
	tenantNamed(t, "unsure")
	judge := fixture.Judge(t, nil)
	newWorld(t, judge).settle(t, "unsure")
	w := newWorld(t, judge)
	w.deps.Gatherer.Blind = func(resource, _ string) string {
		if resource == "namespaces" {
			return "the watch on namespaces is broken"
		}
		return ""
	}
	remove(t, w.tenant(t, "unsure"))
	_, err := w.Reconcile(t.Context(), reconcile.Request{NamespacedName: types.NamespacedName{Name: "unsure"}})
	if err == nil || !strings.Contains(err.Error(), "the watch on namespaces is broken") {
		t.Errorf("error: %v", err)
	}
	if !exists(t, &virtfoundryv1alpha1.Tenant{}, "", "unsure") || !exists(t, &corev1.Namespace{}, "", "virtfoundry-tenant-unsure") {
		t.Error("something was given up on a guess")
	}
}

func TestWhatIsUnknownIsWaitedForAndNothingIsWritten(t *testing.T) {
	tenantNamed(t, "waits")
	w := newWorld(t, fixture.Judge(t, nil))
	w.deps.Gatherer.Blind = func(resource, _ string) string {
		if resource == "networkpolicies.networking.k8s.io" {
			return "the right to list networkpolicies is missing"
		}
		return ""
	}
	if result := w.reconcile(t, "waits"); result.RequeueAfter == 0 {
		t.Error("nobody comes back")
	}
	tenant := w.tenant(t, "waits")
	if c := condition(t, tenant.Status.Conditions, "PolicyAllowed"); c.Status != metav1.ConditionUnknown || !strings.Contains(c.Message, "networkpolicies") {
		t.Errorf("PolicyAllowed: %+v", c)
	}
	if tenant.Status.Phase != virtfoundryv1alpha1.TenantPending || exists(t, &corev1.Namespace{}, "", "virtfoundry-tenant-waits") {
		t.Errorf("phase %s, or a namespace was made", tenant.Status.Phase)
	}
}

func TestATerminatingNamespaceIsWaitedFor(t *testing.T) {
	tenantNamed(t, "rises")
	w := newWorld(t, fixture.Judge(t, nil))
	w.settle(t, "rises")
	namespace := get(t, &corev1.Namespace{}, "", "virtfoundry-tenant-rises")
	create(t, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "holds", Namespace: namespace.Name, Finalizers: []string{"cato.dev/test"}}})
	remove(t, namespace)
	if result := w.reconcile(t, "rises"); result.RequeueAfter == 0 {
		t.Error("nobody comes back")
	}
	if c := condition(t, w.tenant(t, "rises").Status.Conditions, "PolicyAllowed"); c.Status != metav1.ConditionUnknown || !strings.Contains(c.Message, "being deleted") {
		t.Errorf("PolicyAllowed: %+v", c)
	}
	holder := get(t, &corev1.ConfigMap{}, namespace.Name, "holds")
	holder.Finalizers = nil
	update(t, holder)
	err := wait.PollUntilContextTimeout(t.Context(), 200*time.Millisecond, 3*time.Minute, true, func(context.Context) (bool, error) {
		return !exists(t, &corev1.Namespace{}, "", namespace.Name), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if tenant := w.settle(t, "rises"); tenant.Status.Phase != virtfoundryv1alpha1.TenantReady {
		t.Errorf("status: %+v", tenant.Status)
	}
}

// Before and after each write of a Tenant's life the process is killed; a new
// one ends where an undisturbed one does.
func TestKilledAtAnyWriteItConverges(t *testing.T) {
	judge := fixture.Judge(t, nil)
	tenantNamed(t, "k-0")
	counted := newWorld(t, judge)
	if err := counted.live(t, "k-0"); err != nil {
		t.Fatal(err)
	}
	total := counted.writes.Count()
	if total < 8 {
		t.Fatalf("only %d writes make a Tenant: %v", total, counted.writes.Made())
	}
	for at := 1; at <= total; at++ {
		for _, before := range []bool{true, false} {
			name := fmt.Sprintf("k-%d-%t", at, before)
			tenantNamed(t, name)
			dying := newWorldAt(judge, &fixture.Writes{At: at, Before: before})
			dying.writes.MustHaveKilled(t, dying.live(t, name))
			next := newWorld(t, judge)
			if err := next.live(t, name); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if phase := next.tenant(t, name).Status.Phase; phase != virtfoundryv1alpha1.TenantReady {
				t.Errorf("%s: %+v", name, next.tenant(t, name).Status)
			}
			remove(t, next.tenant(t, name))
		}
	}
}

func TestKilledAtAnyWriteOfADeletionNothingIsLeft(t *testing.T) {
	judge := fixture.Judge(t, nil)
	for at := 1; at <= 3; at++ { // delete the namespace, status, finalizer
		for _, before := range []bool{true, false} {
			name := fmt.Sprintf("d-%d-%t", at, before)
			tenantNamed(t, name)
			newWorld(t, judge).settle(t, name)
			dying := newWorldAt(judge, &fixture.Writes{At: at, Before: before})
			remove(t, dying.tenant(t, name))
			err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, 3*time.Minute, true, func(ctx context.Context) (bool, error) {
				_, err := dying.Reconcile(ctx, reconcile.Request{NamespacedName: types.NamespacedName{Name: name}})
				return false, err
			})
			if !errors.Is(err, fixture.ErrKilled) {
				t.Fatalf("%s was not killed: %v", name, err)
			}
			gone(t, newWorld(t, judge), name)
			if exists(t, &corev1.Namespace{}, "", "virtfoundry-tenant-"+name) {
				t.Errorf("%s: the namespace is left", name)
			}
		}
	}
}

func TestADeleteOfAnotherNamespaceOfThatNameIsNotCarriedOut(t *testing.T) {
	namespace := namespaceOf(t, "uid", marks("uid"))
	stale := namespace.DeepCopy()
	stale.UID = "11111111-2222-3333-4444-555555555557"
	tenant := tenantNamed(t, "uid")
	w := newWorld(t, fixture.Judge(t, nil))
	if _, err := w.deleteNamespace(t.Context(), tenant, stale); client.IgnoreNotFound(err) != nil && !apierrors.IsConflict(err) {
		t.Fatal(err)
	}
	if now := get(t, &corev1.Namespace{}, "", namespace.Name); now.DeletionTimestamp != nil {
		t.Error("a namespace of another uid was deleted")
	}
}
