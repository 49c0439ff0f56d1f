package assessment

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	"cato.dev/cato/controllers/internal/fixture"
)

func TestAReportNamesWhatItRestsOnAndIsWrittenOnlyWhenThatMoves(t *testing.T) {
	namespaceNamed(t, "footing")
	e, controls := loaded(t)
	store, writes := memory(t), &fixture.Writes{}
	assumed, missing := []string{}, []string{}
	deps := reporting(writes.Through(cluster.Client), store, e, controls)
	deps.Assumptions = func(_ context.Context, namespace string, kinds []string) ([]string, error) {
		if d := cmp.Diff([]string{"footing", "UDSVirtualMachine"}, append([]string{namespace}, kinds...)); d != "" {
			t.Error(d)
		}
		return slices.Clone(assumed), nil
	}
	deps.Missing = func(string) []string { return missing }
	reporter := NewReporter(deps)
	record(t, store, e.Current(), "footing", "a", passes)
	record(t, store, e.Current(), "footing", "b", passes)
	settle := func(want int) {
		t.Helper()
		before := writes.Count()
		for range 2 { // the second has nothing to write
			if err := reporter.write(t.Context(), "footing"); err != nil {
				t.Fatal(err)
			}
		}
		if got := writes.Count() - before; got != want {
			t.Errorf("%d writes, want %d", got, want)
		}
	}
	is := func(status metav1.ConditionStatus, reason, message string, assumptions ...string) {
		t.Helper()
		report, _ := reportOf(t, "footing")
		c := meta.FindStatusCondition(report.Status.Conditions, catov1alpha1.ConditionReady)
		if c == nil || c.Status != status || c.Reason != reason || c.Message != message {
			t.Errorf("%+v, want %s %s %q", c, status, reason, message)
		}
		if d := cmp.Diff(assumptions, report.Status.Assumptions); d != "" {
			t.Error(d)
		}
	}
	const current = "every verdict is of this revision and of evidence that is watched"
	settle(2)
	is(metav1.ConditionFalse, "NotSwept", "not every subject has been judged since the record began")
	if err := store.FinishSweep(time.Now()); err != nil {
		t.Fatal(err)
	}
	settle(1)
	is(metav1.ConditionTrue, "Current", current)
	assumed = []string{"that all is well is assumed"}
	settle(1)
	is(metav1.ConditionTrue, "Current", current, "that all is well is assumed")
	missing = []string{"the right to list networkpolicies is missing", "secrets/footing could not be read"}
	settle(1)
	is(metav1.ConditionFalse, "EvidenceMissing", "the right to list networkpolicies is missing; secrets/footing could not be read", "that all is well is assumed")
	missing = nil
	older := *e.Current()
	older.Revision = "older"
	record(t, store, &older, "footing", "b", passes)
	settle(1)
	is(metav1.ConditionFalse, "OlderRevision", fmt.Sprintf("%d verdicts are of an earlier revision of the policy bundle: they are being renewed", len(older.Rules())), "that all is well is assumed")
}

func TestWhatIsBlindIsNamedWhereItMatters(t *testing.T) {
	f := &Freshness{blind: map[string]string{"networkpolicies": "no right", "secrets/a": "no Secrets", "secrets/b": "none either"}}
	for namespace, want := range map[string][]string{"a": {"no Secrets", "no right"}, "b": {"no right", "none either"}, "c": {"no right"}} {
		if d := cmp.Diff(want, f.Missing(namespace)); d != "" {
			t.Errorf("%s: %s", namespace, d)
		}
	}
}
