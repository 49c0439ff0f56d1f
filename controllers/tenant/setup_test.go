package tenant

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/decide"
	"cato.dev/cato/controllers/gather"
	"cato.dev/cato/controllers/internal/fixture"
)

// manage runs the reconciler in a manager, as the operator does.
func manage(t *testing.T) *fixture.Events {
	t.Helper()
	judge, events := fixture.Judge(t, nil), &fixture.Events{}
	cluster.Manager(t, func(mgr ctrl.Manager) error {
		return New(Deps{
			Client: mgr.GetClient(), Uncached: mgr.GetAPIReader(), Judge: judge, Events: events, Now: time.Now,
			Gatherer: gather.FromReader(mgr.GetClient(), time.Now),
			Record:   func(context.Context, decide.Judgement, time.Time) {},
		}).SetupWithManager(mgr, 2)
	})
	return events
}

func phaseIs(t *testing.T, name string, phase virtfoundryv1alpha1.TenantPhase) func() bool {
	return func() bool {
		return get(t, &virtfoundryv1alpha1.Tenant{}, "", name).Status.Phase == phase
	}
}

func TestEveryEventThatMattersWakesTheReconciler(t *testing.T) {
	manage(t)
	tenantNamed(t, "awake")
	fixture.Eventually(t, "Tenant is Ready", phaseIs(t, "awake", virtfoundryv1alpha1.TenantReady))
	const namespace = "virtfoundry-tenant-awake"
	for name, object := range map[string]client.Object{
		"virtfoundry-default-deny": &networkingv1.NetworkPolicy{}, "virtfoundry-default": &corev1.ResourceQuota{},
		"virtfoundry-operator-vm-namespace": &rbacv1.RoleBinding{},
	} {
		old := get(t, object, namespace, name).GetUID()
		remove(t, object)
		took := fixture.Eventually(t, name+" is made again", func() bool {
			return exists(t, object, namespace, name) && object.GetUID() != old
		})
		t.Logf("%s made again after %s", name, took)
	}
	limits := get(t, &corev1.LimitRange{}, namespace, "virtfoundry-default")
	limits.OwnerReferences, limits.Labels, limits.Spec.Limits = nil, nil, nil
	update(t, limits)
	fixture.Eventually(t, "limits are put right, with owner and labels", func() bool {
		now := get(t, &corev1.LimitRange{}, namespace, "virtfoundry-default")
		return len(now.Spec.Limits) == 1 && metav1.GetControllerOf(now) != nil && now.Labels["virtfoundry.io/tenant"] == "awake"
	})
	live := get(t, &corev1.Namespace{}, "", namespace)
	delete(live.Labels, "pod-security.kubernetes.io/enforce")
	live.OwnerReferences = nil
	update(t, live)
	fixture.Eventually(t, "the namespace is put right", func() bool {
		now := get(t, &corev1.Namespace{}, "", namespace)
		return now.Labels["pod-security.kubernetes.io/enforce"] == "privileged" && metav1.GetControllerOf(now) != nil
	})

	profile := &catov1alpha1.ComplianceProfile{ObjectMeta: metav1.ObjectMeta{Name: "smaller"}}
	profile.Spec.Base = catov1alpha1.BaseVirtFoundry
	profile.Spec.Parameters.Tenant = &catov1alpha1.TenantParameters{Egress: &catov1alpha1.TenantEgress{HTTP: catov1alpha1.HTTPAll}}
	create(t, profile)
	fixture.Eventually(t, "a profile's parameter reaches the policy", func() bool {
		return len(get(t, &networkingv1.NetworkPolicy{}, namespace, "virtfoundry-default-deny").Spec.Egress) == 5
	})
	remove(t, profile)
}

func TestTheNextInLineTakesTheSlugWhenTheHolderIsGone(t *testing.T) {
	manage(t)
	tenantNamed(t, "line")
	fixture.Eventually(t, "holder is Ready", phaseIs(t, "line", virtfoundryv1alpha1.TenantReady))
	create(t, &virtfoundryv1alpha1.Tenant{ObjectMeta: metav1.ObjectMeta{Name: "next"}, Spec: virtfoundryv1alpha1.TenantSpec{Name: "n", Slug: "line"}})
	fixture.Eventually(t, "newcomer is Failed", phaseIs(t, "next", virtfoundryv1alpha1.TenantFailed))
	remove(t, get(t, &virtfoundryv1alpha1.Tenant{}, "", "line"))
	fixture.Eventually(t, "newcomer is Ready", phaseIs(t, "next", virtfoundryv1alpha1.TenantReady))
	owner := metav1.GetControllerOf(get(t, &corev1.Namespace{}, "", "virtfoundry-tenant-line"))
	if owner == nil || owner.Name != "next" {
		t.Errorf("owner: %+v", owner)
	}
}

func TestAQuotaThatOnlyCountsWakesNobody(t *testing.T) {
	before := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{UID: types.UID("1"), ResourceVersion: "1"}}
	counted := before.DeepCopy()
	counted.ResourceVersion, counted.Status.Used = "2", corev1.ResourceList{}
	edited := before.DeepCopy()
	edited.Spec.Scopes = []corev1.ResourceQuotaScope{corev1.ResourceQuotaScopeBestEffort}
	if wakes(before, counted) || !wakes(before, edited) {
		t.Error("usage wakes, or an edit does not")
	}
}

func wakes(before, after client.Object) bool {
	return notUsage().Update(event.UpdateEvent{ObjectOld: before, ObjectNew: after})
}
