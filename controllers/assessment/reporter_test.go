package assessment

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	"cato.dev/cato/compliance/catalog"
	"cato.dev/cato/compliance/posture"
	"cato.dev/cato/controllers/internal/fixture"
	"cato.dev/cato/policy/engine"
	"cato.dev/cato/policy/facts"
)

func reportOf(t *testing.T, namespace string) (*catov1alpha1.ComplianceReport, bool) {
	t.Helper()
	report := &catov1alpha1.ComplianceReport{}
	err := cluster.Client.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: catov1alpha1.ReportName}, report)
	if client.IgnoreNotFound(err) != nil {
		t.Fatal(err)
	}
	return report, err == nil
}

func reporting(c client.Client, store *posture.Store, e *engine.Engine, controls *catalog.Catalog) ReporterDeps {
	return ReporterDeps{
		Client: c, API: cluster.Client, Posture: store, Engine: e, Controls: controls,
		Assumptions: func(context.Context, string, []string) ([]string, error) { return nil, nil },
		Missing:     func(string) []string { return nil },
	}
}

func passes(string) (engine.Value, string) { return engine.Pass, "" }

func TestAReportIsWrittenWhenItDiffersAndRemovedWithItsLastSubject(t *testing.T) {
	namespaceNamed(t, "reported")
	e, controls := loaded(t)
	set, store, writes := e.Current(), memory(t), &fixture.Writes{}
	reporter := NewReporter(reporting(writes.Through(cluster.Client), store, e, controls))
	write := func(what string, want int) {
		t.Helper()
		before := writes.Count()
		if err := reporter.write(t.Context(), "reported"); err != nil {
			t.Fatal(err)
		}
		if got := writes.Count() - before; got != want {
			t.Errorf("%s: %d writes, want %d: %v", what, got, want, writes.Made())
		}
	}
	write("nothing is judged", 0)
	record(t, store, set, "reported", "vm", passes)
	write("the first verdicts", 2) // the object and its status
	write("nothing changed", 0)
	record(t, store, set, "reported", "vm", passes)
	write("judged again alike", 0)
	swept := time.Now().UTC().Truncate(time.Second)
	if err := store.FinishSweep(swept); err != nil {
		t.Fatal(err)
	}
	write("a sweep moves the time of the evidence", 1)
	write("nothing changed since the sweep", 0)
	if report, _ := reportOf(t, "reported"); !report.Status.EvidenceTime.Time.Equal(swept) {
		t.Errorf("evidence of %s, want %s", report.Status.EvidenceTime, swept)
	}
	record(t, store, set, "reported", "vm", func(rule string) (engine.Value, string) {
		if rule == "NET-001" {
			return engine.Fail, "open"
		}
		return engine.Pass, ""
	})
	write("a verdict moved", 1)
	report, _ := reportOf(t, "reported")
	if report.Status.Summary.Fail != 1 || len(report.Status.Failing) != 1 || report.Status.Failing[0].Rule != "NET-001" {
		t.Errorf("%+v", report.Status)
	}
	// A person's edit is put right at the next write.
	report.Status.Summary.Fail = 0
	if err := cluster.Client.Status().Update(t.Context(), report); err != nil {
		t.Fatal(err)
	}
	write("a report that was edited", 1)
	if report, _ = reportOf(t, "reported"); report.Status.Summary.Fail != 1 {
		t.Error("the edit stands")
	}
	if _, err := store.Forget(posture.Subject{APIVersion: "uds.dev/v1alpha1", Kind: facts.KindUDSVirtualMachine, Namespace: "reported", Name: "vm"}, time.Now()); err != nil {
		t.Fatal(err)
	}
	write("the last subject is gone", 1)
	if _, found := reportOf(t, "reported"); found {
		t.Error("the report stays")
	}
}

func TestNothingIsWrittenIntoANamespaceThatGoesOrIsNotThere(t *testing.T) {
	create(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "going", Finalizers: []string{"cato.dev/test"}}})
	if err := cluster.Client.Delete(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "going"}}); err != nil {
		t.Fatal(err)
	}
	e, controls := loaded(t)
	store, writes := memory(t), &fixture.Writes{}
	reporter := NewReporter(reporting(writes.Through(cluster.Client), store, e, controls))
	for _, namespace := range []string{"going", "never-there"} {
		record(t, store, e.Current(), namespace, "vm", passes)
		if err := reporter.write(t.Context(), namespace); err != nil {
			t.Errorf("%s: %v", namespace, err)
		}
	}
	if writes.Count() != 0 {
		t.Errorf("writes: %v", writes.Made())
	}
}

func TestARunningReporterFollowsThePostureAndTriesAgainAfterAnError(t *testing.T) {
	namespaceNamed(t, "followed")
	e, controls := loaded(t)
	store := memory(t)
	writes := &fixture.Writes{At: 1, Before: true} // every write fails
	failing := NewReporter(reporting(writes.Through(cluster.Client), store, e, controls))
	following := NewReporter(reporting(cluster.Client, store, e, controls))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 2)
	for _, r := range []*Reporter{failing, following} {
		go func() { ended <- r.Start(ctx) }()
	}
	record(t, store, e.Current(), "followed", "vm", passes)
	eventually(t, "the report is there", func() bool {
		report, found := reportOf(t, "followed")
		return found && report.Status.Subjects == 1
	})
	eventually(t, "the failed write is tried again", func() bool {
		failing.mu.Lock()
		defer failing.mu.Unlock()
		return failing.dirty["followed"]
	})
	cancel()
	for range 2 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

func TestTheStoredReportOfAThousandMachinesIsAcceptedAndBelow32KiB(t *testing.T) {
	namespaceNamed(t, "crowded")
	e, controls := loaded(t)
	store := memory(t)
	for i := range 1000 {
		record(t, store, e.Current(), "crowded", fmt.Sprintf("vm-%04d", i), func(rule string) (engine.Value, string) {
			return engine.Fail, "a reason of a usual length that names an object, a field and a value for " + rule
		})
	}
	deps := reporting(cluster.Client, store, e, controls)
	deps.Assumptions = func(context.Context, string, []string) ([]string, error) {
		return slices.Repeat([]string{strings.Repeat("ü", 300)}, 30), nil
	}
	deps.Missing = func(string) []string { return slices.Repeat([]string{"the right to list secrets is missing"}, 300) }
	if err := NewReporter(deps).write(t.Context(), "crowded"); err != nil {
		t.Fatal(err)
	}
	report, _ := reportOf(t, "crowded")
	text, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes with managedFields", len(text))
	if len(text) >= 32<<10 {
		t.Errorf("%d bytes", len(text))
	}
}
