// Package metrics shows the posture to Prometheus. The gauges hold nothing: they are read from the posture at each
// scrape, so that a deleted subject leaves no series and no second copy has to be kept in step.
package metrics

import "github.com/prometheus/client_golang/prometheus"

// Names of the metrics.
const (
	ControlSatisfied   = "cato_control_satisfied"
	ControlVerdict     = "cato_control_verdict"
	RuleVerdicts       = "cato_rule_verdicts"
	EvaluationDuration = "cato_evaluation_duration_seconds"
	PolicyRevision     = "cato_policy_revision_info"
	OldestEvidence     = "cato_oldest_evidence_seconds"
	DriftToVerdict     = "cato_drift_to_verdict_seconds"
	VMVerified         = "uds_vm_compliance_verified"
	VMStorageOverhead  = "uds_vm_storage_overhead_ratio"
	VMPhase            = "uds_vm_phase_status"
	VMReconciles       = "uds_vm_reconcile_total"
)

// Names of the labels.
const (
	LabelFramework = "framework" // nist-800-53r5
	LabelControl   = "control"   // cato_*: OSCAL id, such as sc-7.5; uds_*: as its users know it, such as SC-7(5)
	LabelRule      = "rule"      // id, such as NET-001
	LabelVerdict   = "verdict"   // pass, fail, unknown, not-applicable
	LabelMoment    = "moment"    // admission, plan, live
	LabelRevision  = "revision"  // of the bundle in force
	LabelKind      = "kind"      // what is watched
	LabelNamespace = "namespace"
	LabelVM        = "vm"
	LabelPhase     = "phase"
	LabelStatus    = "status"
)

// Type of a metric, in the words of the exposition format.
type Type string

// The types in use.
const (
	Gauge     Type = "gauge"
	Counter   Type = "counter"
	Histogram Type = "histogram"
)

// Descriptor is all that a dashboard needs to know of a metric.
type Descriptor struct {
	Name   string
	Type   Type
	Labels []string // in the order of the values that the collector gives
	Unit   string   // seconds, ratio, or empty for a number or a state
	Help   string
}

// Descriptors returns every metric of this package: dashboards are generated from it, so that a panel cannot name
// a metric that does not exist.
func Descriptors() []Descriptor {
	return []Descriptor{
		{ControlSatisfied, Gauge, []string{LabelFramework, LabelControl}, "",
			"1 if every assessment objective of the control is satisfied, else 0. Absent where there is no finding."},
		{ControlVerdict, Gauge, []string{LabelFramework, LabelControl, LabelVerdict}, "",
			"1 for the present verdict on the part of the control that rules test, 0 for the other verdicts."},
		{RuleVerdicts, Gauge, []string{LabelRule, LabelVerdict}, "",
			"Subjects by the present verdict of each rule."},
		{EvaluationDuration, Histogram, []string{LabelMoment}, "seconds",
			"Time to judge one subject by all rules of its kind."},
		{PolicyRevision, Gauge, []string{LabelRevision}, "",
			"1 for the revision of the policy bundle in force."},
		{OldestEvidence, Gauge, []string{LabelKind}, "seconds",
			"Age of the oldest evidence of a watched kind: the time since its watch last proved to be whole."},
		{DriftToVerdict, Histogram, nil, "seconds",
			"Time from the change of a live object to the verdict on it."},
		{VMVerified, Gauge, []string{LabelNamespace, LabelVM, LabelControl}, "",
			"1 if every rule of the control that applies to the VM passes, else 0."},
		{VMStorageOverhead, Gauge, []string{LabelNamespace, LabelVM}, "ratio",
			"Size of the VM's volume claim divided by the size of the disk in it."},
		{VMPhase, Gauge, []string{LabelNamespace, LabelVM, LabelPhase}, "",
			"1 for the present phase of the VM."},
		{VMReconciles, Counter, []string{LabelStatus}, "",
			"Reconciliations of VMs by their outcome."},
	}
}

// describe makes Prometheus' own descriptors out of ours, by name.
func describe() map[string]*prometheus.Desc {
	descs := map[string]*prometheus.Desc{}
	for _, d := range Descriptors() {
		descs[d.Name] = prometheus.NewDesc(d.Name, d.Help, d.Labels, nil)
	}
	return descs
}

func help(name string) string {
	for _, d := range Descriptors() {
		if d.Name == name {
			return d.Help
		}
	}
	return ""
}
