package metrics

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
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

func TestGaugesFollowThePosture(t *testing.T) {
	web, db, foreign := vm("UDSVirtualMachine", "web"), vm("UDSVirtualMachine", "db"), vm("VirtualMachine", "foreign")
	twin := vm("VirtualMachine", "web") // the VirtualMachine that web's custom resource made
	type want struct {
		Satisfied, Verified map[string]float64
		SC75, SI7           string // the word that is 1
	}
	for name, test := range map[string]struct {
		arrange func(*fixture)
		want    want
	}{
		"all pass": {
			func(f *fixture) {
				f.judge(web, "NET-001=pass", "IMG-001=pass")
				f.judge(twin, "NET-001=pass")
			},
			want{map[string]float64{"sc-7.5": 1, "si-7": 0}, map[string]float64{"web SC-7(5)": 1, "web SI-7": 1}, "pass", "pass"},
		},
		"one of two VMs fails": {
			func(f *fixture) {
				f.judge(web, "NET-001=pass", "IMG-001=pass")
				f.judge(db, "NET-001=fail", "IMG-001=unknown")
			},
			want{map[string]float64{"sc-7.5": 0, "si-7": 0},
				map[string]float64{"web SC-7(5)": 1, "web SI-7": 1, "db SC-7(5)": 0, "db SI-7": 0}, "fail", "unknown"},
		},
		"its VirtualMachine fails": {
			func(f *fixture) {
				f.judge(web, "NET-001=pass", "IMG-001=pass")
				f.judge(twin, "NET-001=fail")
			},
			want{map[string]float64{"sc-7.5": 0, "si-7": 0}, map[string]float64{"web SC-7(5)": 0, "web SI-7": 1}, "fail", "pass"},
		},
		"not applicable says nothing against": {
			func(f *fixture) {
				f.judge(web, "NET-001=pass", "IMG-001=not-applicable")
				f.judge(foreign, "NET-001=not-applicable")
			},
			want{map[string]float64{"sc-7.5": 1}, map[string]float64{"web SC-7(5)": 1}, "pass", "not-applicable"},
		},
		"a rule was not evaluated": {
			func(f *fixture) { f.judge(web, "IMG-001=pass") },
			want{map[string]float64{"sc-7.5": 0, "si-7": 0}, map[string]float64{"web SC-7(5)": 0, "web SI-7": 1}, "unknown", "pass"},
		},
		"evidence expired": {
			func(f *fixture) {
				f.expired = true
				f.judge(web, "NET-001=pass", "IMG-001=pass")
			},
			want{map[string]float64{"sc-7.5": 0, "si-7": 0}, map[string]float64{"web SC-7(5)": 0, "web SI-7": 0}, "unknown", "unknown"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			test.arrange(f)
			got := want{Satisfied: map[string]float64{}, Verified: map[string]float64{}}
			for labels, v := range f.series(ControlSatisfied) {
				got.Satisfied[strings.TrimSuffix(labels, " nist-800-53r5")] = v
			}
			for labels, v := range f.series(VMVerified) { // control namespace vm
				parts := strings.Fields(labels)
				got.Verified[parts[2]+" "+parts[0]] = v
			}
			for labels, v := range f.series(ControlVerdict) { // control framework verdict
				parts := strings.Fields(labels)
				switch {
				case v == 1 && parts[0] == "sc-7.5":
					got.SC75 += parts[2]
				case v == 1 && parts[0] == "si-7":
					got.SI7 += parts[2]
				}
			}
			if d := cmp.Diff(test.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestTheOtherSeriesAreExact(t *testing.T) {
	f := newFixture(t)
	f.everything()
	f.machines = append(f.machines, Machine{Namespace: "mission-a", Name: "new"}, f.machines[0])
	f.metrics.Reconciled("surprise")
	f.metrics.ObserveEvaluation("check", time.Second)
	want := fmt.Sprintf(`# HELP %[1]s Age of the oldest evidence of a watched kind: the time since its watch last proved to be whole.
# TYPE %[1]s gauge
cato_oldest_evidence_seconds{kind="networkpolicies"} 60
# HELP %[2]s 1 for the revision of the policy bundle in force.
# TYPE %[2]s gauge
cato_policy_revision_info{revision="abc123"} 1
# HELP %[3]s Subjects by the present verdict of each rule.
# TYPE %[3]s gauge
cato_rule_verdicts{rule="IMG-001",verdict="fail"} 1
cato_rule_verdicts{rule="IMG-001",verdict="not-applicable"} 0
cato_rule_verdicts{rule="IMG-001",verdict="pass"} 0
cato_rule_verdicts{rule="IMG-001",verdict="unknown"} 0
cato_rule_verdicts{rule="IMG-002",verdict="fail"} 0
cato_rule_verdicts{rule="IMG-002",verdict="not-applicable"} 0
cato_rule_verdicts{rule="IMG-002",verdict="pass"} 0
cato_rule_verdicts{rule="IMG-002",verdict="unknown"} 0
cato_rule_verdicts{rule="NET-001",verdict="fail"} 0
cato_rule_verdicts{rule="NET-001",verdict="not-applicable"} 0
cato_rule_verdicts{rule="NET-001",verdict="pass"} 1
cato_rule_verdicts{rule="NET-001",verdict="unknown"} 0
# HELP %[4]s 1 for the present phase of the VM.
# TYPE %[4]s gauge
uds_vm_phase_status{namespace="mission-a",phase="Ready",vm="web"} 1
# HELP %[5]s Reconciliations of VMs by their outcome.
# TYPE %[5]s counter
uds_vm_reconcile_total{status="denied"} 0
uds_vm_reconcile_total{status="error"} 1
uds_vm_reconcile_total{status="success"} 1
uds_vm_reconcile_total{status="waiting"} 0
# HELP %[6]s Size of the VM's volume claim divided by the size of the disk in it.
# TYPE %[6]s gauge
uds_vm_storage_overhead_ratio{namespace="mission-a",vm="web"} 1.06
`, OldestEvidence, PolicyRevision, RuleVerdicts, VMPhase, VMReconciles, VMStorageOverhead)
	err := testutil.GatherAndCompare(f.registry, strings.NewReader(want),
		OldestEvidence, PolicyRevision, RuleVerdicts, VMPhase, VMReconciles, VMStorageOverhead)
	if err != nil {
		t.Error(err)
	}
	families := f.families()
	if got := len(families[EvaluationDuration].GetMetric()); got != 3 {
		t.Errorf("%d moments, want 3", got)
	}
	if got := families[DriftToVerdict].GetMetric()[0].GetHistogram().GetSampleSum(); got != 0.05 {
		t.Errorf("drift of 50 ms is shown as %v s", got)
	}
}

func TestAMetricThatCannotBeWrittenIsNamedNotAPanic(t *testing.T) {
	f := newFixture(t)
	f.machines = []Machine{{Namespace: "mission-a", Name: "\xff", Phase: "Ready"}}
	if _, err := f.registry.Gather(); err == nil || !strings.Contains(err.Error(), VMPhase) {
		t.Errorf("got %v, want an error that names %s", err, VMPhase)
	}
}
