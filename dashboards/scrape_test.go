package dashboards_test

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"

	"cato.dev/cato/compliance/catalog"
	"cato.dev/cato/compliance/metrics"
	"cato.dev/cato/compliance/posture"
	"cato.dev/cato/dashboards"
	"cato.dev/cato/policy/engine"
	"cato.dev/cato/test/e2e/promscrape"
)

var noon = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

const interval = 15 * time.Second

// operator is the real collector over a real posture, scraped as Prometheus scrapes it.
type operator struct {
	t        *testing.T
	posture  *posture.Store
	metrics  *metrics.Metrics
	registry *prometheus.Registry
	storage  *promscrape.Storage
	at       time.Time
}

func newOperator(t *testing.T) *operator {
	t.Helper()
	store, err := posture.Open("", noon)
	if err != nil {
		t.Fatal(err)
	}
	controls, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	o := &operator{t: t, posture: store, registry: prometheus.NewRegistry(), storage: promscrape.New(), at: noon}
	rule := &engine.Rule{ID: "NET-001", Subjects: []string{"UDSVirtualMachine"}, Judges: []string{engine.Live}, Controls: []engine.Control{
		{ID: "sc-7.5", Objectives: []string{"sc-7.5_obj-1", "sc-7.5_obj-2"}, Coverage: "full", Remarks: "by the parameter"},
	}}
	o.metrics = metrics.New(metrics.Sources{
		Posture: store, Catalog: controls,
		Rules:    func() []*engine.Rule { return []*engine.Rule{rule} },
		Revision: func() string { return "abc123" },
		Machines: func() []metrics.Machine {
			return []metrics.Machine{{Namespace: "mission-a", Name: "web", Phase: "Ready", StorageOverhead: 1.06}}
		},
		Now: func() time.Time { return o.at },
	})
	if err := o.registry.Register(o.metrics); err != nil {
		t.Fatal(err)
	}
	return o
}

// judge records the verdict on the one machine, with all that a verdict brings, and scrapes.
func (o *operator) judge(value engine.Value) {
	o.t.Helper()
	o.at = o.at.Add(interval)
	subject := posture.Subject{APIVersion: "uds.dev/v1alpha1", Kind: "UDSVirtualMachine", Namespace: "mission-a", Name: "web", UID: "1"}
	verdict := engine.Verdict{Rule: &engine.Rule{ID: "NET-001"}, Value: value}
	if _, err := o.posture.Record(subject, engine.Live, []engine.Verdict{verdict}, o.at); err != nil {
		o.t.Fatal(err)
	}
	o.posture.Confirm("networkpolicies", noon)
	o.metrics.ObserveEvaluation(engine.Live, 3*time.Millisecond)
	o.metrics.ObserveDrift(50 * time.Millisecond)
	o.metrics.Reconciled(metrics.Success)
	families, err := o.registry.Gather()
	if err != nil {
		o.t.Fatal(err)
	}
	var text bytes.Buffer
	for _, family := range families {
		if _, err := expfmt.MetricFamilyToText(&text, family); err != nil {
			o.t.Fatal(err)
		}
	}
	if err := o.storage.Scrape(text.Bytes(), o.at); err != nil {
		o.t.Fatal(err)
	}
}

func (o *operator) eval(expression string) []promscrape.Sample {
	o.t.Helper()
	samples, err := o.storage.Eval(o.t.Context(), expression, o.at)
	if err != nil {
		o.t.Fatal(err)
	}
	return samples
}

// panels are the answers of every query: "panel" -> "label=value …" -> value.
func (o *operator) panels() map[string]map[string]float64 {
	o.t.Helper()
	all := map[string]map[string]float64{}
	for _, q := range dashboards.Queries() {
		if all[q.Panel] == nil {
			all[q.Panel] = map[string]float64{}
		}
		for _, sample := range o.eval(q.Resolve(catalog.Framework, (4 * interval).String())) {
			var words []string
			for _, label := range []string{"namespace", "vm", "control", "rule", "verdict", "phase", "kind", "moment", "status", "revision"} {
				if value := sample.Labels[label]; value != "" {
					words = append(words, value)
				}
			}
			if len(words) > 0 || !math.IsNaN(sample.Value) {
				all[q.Panel][strings.Join(words, " ")] = math.Round(sample.Value*1000) / 1000
			}
		}
	}
	return all
}

func TestEveryPanelShowsDataAndFollowsABreak(t *testing.T) {
	o := newOperator(t)
	o.judge(engine.Pass)
	o.judge(engine.Pass)
	before := o.panels()
	for _, q := range dashboards.Queries() {
		if len(before[q.Panel]) == 0 && !q.Sparse {
			t.Errorf("%s shows nothing", q.Panel)
		}
	}
	o.judge(engine.Fail)
	after := o.panels()
	for panel, answers := range after {
		if len(answers) == 0 && panel != "Rules not determined" {
			t.Errorf("%s shows nothing after the break", panel)
		}
	}
	type answers map[string]map[string]float64
	pick := func(from answers, panels ...string) answers {
		picked := answers{}
		for _, p := range panels {
			picked[p] = from[p]
		}
		return picked
	}
	moving := []string{
		"Controls that fail", "Controls satisfied", "Verdict by control", "Satisfied by control", "Rules that fail",
		"Machines that are not verified", "Machines verified", "Verdict of each control over time", "Verdicts over time",
	}
	wantBefore := answers{
		"Controls that fail": {"": 0}, "Controls satisfied": {"": 1},
		"Verdict by control": {"sc-7.5 pass": 1}, "Satisfied by control": {"sc-7.5": 1},
		"Rules that fail": {}, "Machines that are not verified": {}, "Machines verified": {"mission-a": 1},
		"Verdict of each control over time": {"sc-7.5": 1},
		"Verdicts over time":                {"pass": 1, "fail": 0, "unknown": 0, "not-applicable": 0},
	}
	wantAfter := answers{
		"Controls that fail": {"": 1}, "Controls satisfied": {"": 0},
		"Verdict by control": {"sc-7.5 fail": 1}, "Satisfied by control": {"sc-7.5": 0},
		"Rules that fail": {"NET-001": 1}, "Machines that are not verified": {"mission-a web SC-7(5)": 0}, "Machines verified": {"mission-a": 0},
		"Verdict of each control over time": {"sc-7.5": 3},
		"Verdicts over time":                {"pass": 0, "fail": 1, "unknown": 0, "not-applicable": 0},
	}
	if d := cmp.Diff(wantBefore, pick(before, moving...)); d != "" {
		t.Errorf("before: %s", d)
	}
	if d := cmp.Diff(wantAfter, pick(after, moving...)); d != "" {
		t.Errorf("after: %s", d)
	}
}

func TestWithoutCatoNoPanelShowsGoodNews(t *testing.T) {
	o := newOperator(t)
	for panel, answers := range o.panels() {
		if len(answers) > 0 {
			t.Errorf("%s shows %v", panel, answers)
		}
	}
}

func TestAlertsFireForWhatTheyName(t *testing.T) {
	firing := func(o *operator) []string {
		var names []string
		for _, a := range alerts(t) {
			if len(o.eval(a.Expr)) > 0 {
				names = append(names, a.Alert)
			}
		}
		return names
	}
	for name, test := range map[string]struct {
		arrange func(*operator)
		want    []string
	}{
		"all well":          {func(o *operator) { o.judge(engine.Pass) }, nil},
		"a rule fails":      {func(o *operator) { o.judge(engine.Fail) }, []string{"CatoControlFails"}},
		"nobody knows":      {func(o *operator) { o.judge(engine.Unknown) }, []string{"CatoControlNotDetermined"}},
		"a watch is broken": {func(o *operator) { o.at = o.at.Add(10 * time.Minute); o.judge(engine.Pass) }, []string{"CatoEvidenceStale"}},
		"nothing runs":      {func(*operator) {}, []string{"CatoAbsent"}},
	} {
		t.Run(name, func(t *testing.T) {
			o := newOperator(t)
			test.arrange(o)
			if d := cmp.Diff(test.want, firing(o)); d != "" {
				t.Error(d)
			}
		})
	}
}
