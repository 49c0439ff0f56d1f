package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"cato.dev/cato/compliance/catalog"
	"cato.dev/cato/compliance/posture"
	"cato.dev/cato/policy/engine"
)

// Sources are what the metrics are read from at each scrape. All are required but Expired.
type Sources struct {
	Posture  *posture.Store
	Catalog  *catalog.Catalog
	Rules    func() []*engine.Rule // those in force
	Revision func() string         // of the bundle in force
	Expired  posture.Expired       // nil: no evidence expires
	Machines func() []Machine      // from a cache: it is called at each scrape
	Now      func() time.Time
}

// Machine is what a scrape shows of a VM beside its verdicts.
type Machine struct {
	Namespace, Name string
	Phase           string  // as in its status; no series while it is empty
	StorageOverhead float64 // claim size / disk size; no series while it is not above 0
}

// Outcome is how a reconciliation ended.
type Outcome string

// The outcomes.
const (
	Success Outcome = "success" // converged
	Waiting Outcome = "waiting" // on something that is not there yet
	Denied  Outcome = "denied"  // by policy
	Failed  Outcome = "error"
)

func outcomes() []Outcome { return []Outcome{Success, Waiting, Denied, Failed} }

// Metrics is the collector; register it once.
type Metrics struct {
	from       Sources
	descs      map[string]*prometheus.Desc
	evaluation *prometheus.HistogramVec
	drift      prometheus.Histogram
	reconciles *prometheus.CounterVec
}

// New returns the collector over the sources.
func New(from Sources) *Metrics {
	m := &Metrics{
		from:  from,
		descs: describe(),
		evaluation: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: EvaluationDuration, Help: help(EvaluationDuration), Buckets: prometheus.ExponentialBuckets(0.00025, 2, 14),
		}, []string{LabelMoment}),
		drift: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: DriftToVerdict, Help: help(DriftToVerdict), Buckets: prometheus.ExponentialBuckets(0.001, 2, 16),
		}),
		reconciles: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: VMReconciles, Help: help(VMReconciles),
		}, []string{LabelStatus}),
	}
	// A series that begins at 0 lets rate() see the first event.
	for _, moment := range []string{engine.Admission, engine.Plan, engine.Live} {
		m.evaluation.WithLabelValues(moment)
	}
	for _, o := range outcomes() {
		m.reconciles.WithLabelValues(string(o))
	}
	return m
}

// ObserveEvaluation notes how long it took to judge one subject at a moment: admission, plan or live. Another
// word is ignored, so that the label stays bounded.
func (m *Metrics) ObserveEvaluation(moment string, took time.Duration) {
	switch moment {
	case engine.Admission, engine.Plan, engine.Live:
		m.evaluation.WithLabelValues(moment).Observe(took.Seconds())
	}
}

// ObserveDrift notes the time from the change of a live object to the verdict on it.
func (m *Metrics) ObserveDrift(took time.Duration) { m.drift.Observe(took.Seconds()) }

// Reconciled counts a reconciliation of a VM. A word that is none of the outcomes counts as error.
func (m *Metrics) Reconciled(outcome Outcome) {
	switch outcome {
	case Success, Waiting, Denied, Failed:
	default:
		outcome = Failed
	}
	m.reconciles.WithLabelValues(string(outcome)).Inc()
}

// Describe implements prometheus.Collector.
func (m *Metrics) Describe(out chan<- *prometheus.Desc) {
	for _, d := range Descriptors() {
		switch d.Name {
		case EvaluationDuration, DriftToVerdict, VMReconciles:
		default:
			out <- m.descs[d.Name]
		}
	}
	m.evaluation.Describe(out)
	m.drift.Describe(out)
	m.reconciles.Describe(out)
}

// Collect implements prometheus.Collector.
func (m *Metrics) Collect(out chan<- prometheus.Metric) {
	s := scrape{
		out: out, descs: m.descs, from: m.from,
		view: m.from.Posture.View(""), rules: m.from.Rules(),
	}
	s.controls()
	s.ruleVerdicts()
	s.policy()
	s.freshness()
	s.verified()
	s.machines()
	m.evaluation.Collect(out)
	m.drift.Collect(out)
	m.reconciles.Collect(out)
}
