package metrics

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"

	"cato.dev/cato/compliance/catalog"
	"cato.dev/cato/compliance/posture"
	"cato.dev/cato/policy/engine"
)

var noon = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

// rules: one that covers SC-7(5) whole, one that covers a part of SI-7, one that no live VM has facts for.
func rules() []*engine.Rule {
	all := []string{engine.Admission, engine.Plan, engine.Live}
	return []*engine.Rule{
		{ID: "NET-001", Subjects: []string{"UDSVirtualMachine", "VirtualMachine"}, Judges: all, Controls: []engine.Control{
			{ID: "sc-7.5", Objectives: []string{"sc-7.5_obj-1", "sc-7.5_obj-2"}, Coverage: "full", Remarks: "by the parameter"},
		}},
		{ID: "IMG-001", Subjects: []string{"UDSVirtualMachine"}, Judges: all, Controls: []engine.Control{
			{ID: "si-7", Statements: []string{"si-7_smt.a"}, Coverage: "partial"},
		}},
		{ID: "IMG-002", Subjects: []string{"UDSVirtualMachine"}, Judges: []string{engine.Plan}, Controls: []engine.Control{
			{ID: "si-7", Statements: []string{"si-7_smt.a"}, Coverage: "partial"},
		}},
	}
}

type fixture struct {
	t        *testing.T
	store    *posture.Store
	metrics  *Metrics
	registry *prometheus.Registry
	machines []Machine
	expired  bool
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	store, err := posture.Open("", noon)
	if err != nil {
		t.Fatal(err)
	}
	c, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{t: t, store: store, registry: prometheus.NewPedanticRegistry()}
	f.metrics = New(Sources{
		Posture: store, Catalog: c, Rules: rules, Revision: func() string { return "abc123" },
		Expired: func(*engine.Rule) bool { return f.expired }, Machines: func() []Machine { return f.machines },
		Now: func() time.Time { return noon.Add(time.Minute) },
	})
	if err := f.registry.Register(f.metrics); err != nil {
		t.Fatal(err)
	}
	return f
}

func vm(kind, name string) posture.Subject {
	return posture.Subject{APIVersion: "uds.dev/v1alpha1", Kind: kind, Namespace: "mission-a", Name: name, UID: name + kind}
}

// judge records verdicts written as rule=word.
func (f *fixture) judge(subject posture.Subject, verdicts ...string) {
	f.t.Helper()
	var list []engine.Verdict
	for _, text := range verdicts {
		rule, word, _ := strings.Cut(text, "=")
		list = append(list, engine.Verdict{Rule: &engine.Rule{ID: rule}, Value: engine.Value(word)})
	}
	if _, err := f.store.Record(subject, engine.Live, list, noon); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) families() map[string]*dto.MetricFamily {
	f.t.Helper()
	gathered, err := f.registry.Gather()
	if err != nil {
		f.t.Fatal(err)
	}
	families := map[string]*dto.MetricFamily{}
	for _, family := range gathered {
		families[family.GetName()] = family
	}
	return families
}

// series returns the gauge's series as "label values joined by space -> value", zeros of the words left out.
func (f *fixture) series(name string) map[string]float64 {
	f.t.Helper()
	series := map[string]float64{}
	for _, m := range f.families()[name].GetMetric() {
		var values []string
		for _, l := range m.GetLabel() {
			values = append(values, l.GetValue())
		}
		series[strings.Join(values, " ")] = m.GetGauge().GetValue()
	}
	return series
}

func (f *fixture) everything() {
	f.machines = []Machine{{Namespace: "mission-a", Name: "web", Phase: "Ready", StorageOverhead: 1.06}}
	f.judge(vm("UDSVirtualMachine", "web"), "NET-001=pass", "IMG-001=fail")
	f.store.Confirm("networkpolicies", noon)
	f.metrics.ObserveEvaluation(engine.Live, 3*time.Millisecond)
	f.metrics.ObserveDrift(50 * time.Millisecond)
	f.metrics.Reconciled(Success)
}

func TestWhatIsGatheredIsWhatIsDescribed(t *testing.T) {
	f := newFixture(t)
	f.everything()
	families := f.families()
	type seen struct {
		Type   Type
		Labels []string
		Help   string
	}
	got, want := map[string]seen{}, map[string]seen{}
	for name, family := range families {
		var labels []string
		for _, l := range family.GetMetric()[0].GetLabel() {
			labels = append(labels, l.GetName())
		}
		got[name] = seen{Type(strings.ToLower(family.GetType().String())), labels, family.GetHelp()}
	}
	for _, d := range Descriptors() {
		labels := slices.Clone(d.Labels)
		slices.Sort(labels)
		want[d.Name] = seen{d.Type, labels, d.Help}
		if d.Unit != "" && !strings.HasSuffix(d.Name, "_"+d.Unit) {
			t.Errorf("%s does not end with its unit %s", d.Name, d.Unit)
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestPrometheusOwnLintFindsNothing(t *testing.T) {
	f := newFixture(t)
	f.everything()
	var families []*dto.MetricFamily
	for _, family := range f.families() {
		families = append(families, family)
	}
	problems, err := promlint.NewWithMetricFamilies(families).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

func TestADeletedSubjectLeavesNoSeries(t *testing.T) {
	f := newFixture(t)
	f.everything()
	f.machines = nil
	if _, err := f.store.Forget(vm("UDSVirtualMachine", "web"), noon); err != nil {
		t.Fatal(err)
	}
	for name, family := range f.families() {
		for _, m := range family.GetMetric() {
			for _, l := range m.GetLabel() {
				if l.GetValue() == "web" || l.GetValue() == "mission-a" {
					t.Errorf("%s still has %v", name, m)
				}
			}
		}
		switch name {
		case ControlSatisfied, ControlVerdict:
			t.Errorf("%s speaks of controls that nothing is judged by: %v", name, family)
		}
	}
}
