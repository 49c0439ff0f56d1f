package profile

import (
	"os"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	"cato.dev/cato/api/quantity"
	"cato.dev/cato/controllers/internal/fixture"
)

var cluster fixture.Cluster

func TestMain(m *testing.M) { os.Exit(fixture.Main(m, "../..", &cluster)) }

func known(rule string) bool { return rule == "NET-001" }

// made stores a profile for the namespaces with a label, until the test ends.
func made(t *testing.T, name, team string, change ...func(*catov1alpha1.ComplianceProfileSpec)) {
	t.Helper()
	profile := &catov1alpha1.ComplianceProfile{ObjectMeta: metav1.ObjectMeta{Name: name}}
	profile.Spec.Base = catov1alpha1.BaseUDS
	if team != "" {
		profile.Spec.Scope.NamespaceSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"team": team}}
	}
	for _, f := range change {
		f(&profile.Spec)
	}
	if err := cluster.Client.Create(t.Context(), profile); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cluster.Client.Delete(t.Context(), profile) })
}

func namespace(t *testing.T, name, team string) *corev1.Namespace {
	t.Helper()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"team": team}}}
	if err := cluster.Client.Create(t.Context(), ns); err != nil {
		t.Fatal(err)
	}
	return ns
}

func profileNamed(t *testing.T, name string) *catov1alpha1.ComplianceProfile {
	t.Helper()
	profile := &catov1alpha1.ComplianceProfile{}
	if err := cluster.Client.Get(t.Context(), client.ObjectKey{Name: name}, profile); err != nil {
		t.Fatal(err)
	}
	return profile
}

func is(t *testing.T, name, kind string, status metav1.ConditionStatus, reason string, parts ...string) bool {
	t.Helper()
	profile := profileNamed(t, name)
	c := meta.FindStatusCondition(profile.Status.Conditions, kind)
	if c == nil || c.Status != status || c.Reason != reason || c.ObservedGeneration != profile.Generation || profile.Status.ObservedGeneration != profile.Generation {
		return false
	}
	for _, part := range parts {
		if !strings.Contains(c.Message, part) {
			t.Errorf("%s of %s: %q lacks %q", kind, name, c.Message, part)
		}
	}
	return true
}

func TestTheStatusTellsWhichProfileHoldsAndFollowsEveryChange(t *testing.T) {
	cluster.Manager(t, func(mgr ctrl.Manager) error { return New(mgr.GetClient(), known).SetupWithManager(mgr) })
	ns := namespace(t, "mission-red", "red")
	made(t, "elder", "red")
	fixture.Eventually(t, "the first holds", func() bool {
		return is(t, "elder", "Accepted", metav1.ConditionTrue, "InForce") && is(t, "elder", "Conflict", metav1.ConditionFalse, "NoOverlap")
	})
	made(t, "younger", "")
	fixture.Eventually(t, "the younger gives way", func() bool {
		return is(t, "younger", "Conflict", metav1.ConditionTrue, "Overlap", "ComplianceProfile elder is older", "UDSVirtualMachine in namespace mission-red", "narrow spec.scope of younger") &&
			is(t, "elder", "Conflict", metav1.ConditionFalse, "NoOverlap")
	})
	before := ns.DeepCopy()
	ns.Labels["team"] = "blue"
	if err := cluster.Client.Patch(t.Context(), ns, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
	fixture.Eventually(t, "a label ends the overlap", func() bool { return is(t, "younger", "Conflict", metav1.ConditionFalse, "NoOverlap") })
	made(t, "zonewide", "")
	fixture.Eventually(t, "two of everywhere", func() bool {
		return is(t, "zonewide", "Conflict", metav1.ConditionTrue, "Overlap", "younger", "in every namespace")
	})
	if err := cluster.Client.Delete(t.Context(), profileNamed(t, "younger")); err != nil {
		t.Fatal(err)
	}
	fixture.Eventually(t, "the next in line holds", func() bool { return is(t, "zonewide", "Conflict", metav1.ConditionFalse, "NoOverlap") })
}

func TestWhatCannotBeReadIsNamed(t *testing.T) {
	made(t, "unreadable", "purple", func(s *catov1alpha1.ComplianceProfileSpec) {
		s.Parameters.AllowedSourceHosts = []string{"mirror.corp", "a b"}
		s.Parameters.Rules = []catov1alpha1.RuleMode{{ID: "NET-001", Mode: catov1alpha1.ModeWarn}, {ID: "NET-999", Mode: catov1alpha1.ModeWarn}}
		s.Parameters.Quota = &catov1alpha1.QuotaParameters{Hard: map[string]quantity.Text{"pods": "1e30", "services": "5"}}
		s.Parameters.Memory = &catov1alpha1.MemoryBounds{Max: "9Ei"}
		s.Parameters.Grants = &catov1alpha1.Grants{
			Egress:       []catov1alpha1.EgressGrant{{CIDRs: []string{"everywhere"}, Reason: "r"}},
			DedicatedCPU: []catov1alpha1.NamespaceGrant{{NamespaceSelector: metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "a", Operator: "Like"}}}, Reason: "r"}},
		}
	})
	writes := &fixture.Writes{}
	reconciler := New(writes.Through(cluster.Client), known)
	for range 3 {
		if _, err := reconciler.Reconcile(t.Context(), reconcile.Request{}); err != nil {
			t.Fatal(err)
		}
	}
	if !is(t, "unreadable", "Accepted", metav1.ConditionFalse, "InvalidParameter",
		`allowedSourceHosts[1] "a b" is no host`, `rules[1].id "NET-999"`, `quota.hard.pods "1e30"`, `memory.max "9Ei" overflows`,
		`grants.egress[0].cidrs "everywhere"`, "grants.dedicatedCPU[0].namespaceSelector") {
		t.Errorf("%+v", profileNamed(t, "unreadable").Status)
	}
	if message := meta.FindStatusCondition(profileNamed(t, "unreadable").Status.Conditions, "Accepted").Message; strings.Contains(message, "mirror.corp") || strings.Contains(message, "NET-001") || strings.Contains(message, "services") {
		t.Errorf("what can be read is named too: %s", message)
	}
	patches := 0
	for _, write := range writes.Made() {
		if strings.HasSuffix(write, "/unreadable") {
			patches++
		}
	}
	if patches != 1 {
		t.Errorf("writes: %v, want one", writes.Made())
	}
}
