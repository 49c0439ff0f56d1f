package dashboards

import (
	"github.com/grafana/grafana-foundation-sdk/go/units"

	"cato.dev/cato/compliance/metrics"
	"cato.dev/cato/policy/engine"
)

type kind int

const (
	number   kind = iota // one figure
	name                 // the name of the one series
	list                 // a table with a row for each series
	timeline             // states of each series over time
	lines                // figures over time
	bars                 // one bar for each series
)

// panel is what a panel says; layout.go says how it looks.
type panel struct {
	title, description, unit string
	kind                     kind
	queries                  []Query
	width                    uint32 // of 24
	values                   map[string]state
	limits                   []limit
}

// state is how a value reads.
type state struct{ text, color string }

// limit is the value from which on a color holds.
type limit struct {
	from  float64
	color string
}

type row struct {
	title  string
	panels []panel
}

const (
	good    = "green"
	bad     = "red"
	unclear = "orange"
	neutral = "gray"
)

func verdictStates() map[string]state {
	colors := map[engine.Value]string{engine.Pass: good, engine.Fail: bad, engine.Unknown: unclear, engine.NotApplicable: neutral}
	states := map[string]state{}
	for code, verdict := range verdictCodes() {
		s := state{string(verdict), colors[verdict]}
		states[string(rune('0'+code))] = s // the timeline's number
		states[string(verdict)] = s        // the table's word
	}
	return states
}

func satisfiedStates() map[string]state {
	return map[string]state{"1": {"satisfied", good}, "0": {"not satisfied", bad}}
}

func rows() []row {
	return []row{
		{"Now", now()},
		{"Posture by control", byControl()},
		{"What fails now", failures()},
		{"By namespace of tenants and machines", byNamespace()},
		{"Over time", overTime()},
		{"Freshness and speed", speed()},
	}
}

func now() []panel {
	none := []limit{{0, good}, {1, bad}}
	return []panel{
		{title: "Controls that fail", kind: number, width: 5, unit: units.Short, limits: none, queries: []Query{controlsWith(engine.Fail)},
			description: "Controls with a rule that fails on at least one subject. Which rule it is stands under \"What fails now\"."},
		{title: "Controls not determined", kind: number, width: 5, unit: units.Short, limits: []limit{{0, good}, {1, unclear}}, queries: []Query{controlsWith(engine.Unknown)},
			description: "Controls of which nothing fails and something could not be determined: a fact is missing, or its evidence has expired. Unknown is never counted as passed."},
		{title: "Controls satisfied", kind: number, width: 5, unit: units.Short, limits: []limit{{0, neutral}, {1, good}}, queries: []Query{controlsSatisfied()},
			description: "Controls with every assessment objective satisfied, as the OSCAL findings say. Only controls that rules cover whole have a finding, so this is fewer than those that pass."},
		{title: "Oldest evidence", kind: number, width: 4, unit: units.Seconds, limits: freshness(), queries: []Query{oldestEvidence()},
			description: "Time since the least recently proved watch was proved whole. It grows when a right to watch is withdrawn or the API server is away."},
		{title: "Policy revision", kind: name, width: 5, unit: units.NoUnit, queries: []Query{revision()},
			description: "Revision of the policy bundle in force. Every verdict carries the revision that gave it."},
	}
}

func freshness() []limit { return []limit{{0, good}, {60, unclear}, {300, bad}} }

func byControl() []panel {
	return []panel{
		{title: "Verdict by control", kind: list, width: 12, unit: units.NoUnit, values: verdictStates(), queries: []Query{verdictByControl()},
			description: "Of the part of each control that rules test: fail if any rule fails, else unknown if any is, else pass."},
		{title: "Satisfied by control", kind: list, width: 12, unit: units.NoUnit, values: satisfiedStates(), queries: []Query{satisfiedByControl()},
			description: "The OSCAL finding. A control is listed only if rules cover one of its objectives whole, and is satisfied only if all of its objectives are."},
	}
}

func failures() []panel {
	some := []limit{{0, bad}}
	return []panel{
		{title: "Rules that fail", kind: list, width: 6, unit: units.Short, limits: some, queries: []Query{rulesWith(engine.Fail)},
			description: "Rules that fail now, with the number of subjects. The ComplianceReport of a namespace says on which, and why."},
		{title: "Rules not determined", kind: list, width: 6, unit: units.Short, limits: []limit{{0, unclear}}, queries: []Query{rulesWith(engine.Unknown)},
			description: "Rules that could not be decided now, with the number of subjects. Freshness below shows whether a watch is broken."},
		{title: "Machines that are not verified", kind: list, width: 12, unit: units.NoUnit, values: map[string]state{"0": {"not verified", bad}}, queries: []Query{machinesNotVerified()},
			description: "Machines and the controls of which some rule does not pass on them."},
	}
}

func byNamespace() []panel {
	return []panel{
		{title: "Machines verified", kind: bars, width: 8, unit: units.PercentUnit, limits: []limit{{0, bad}, {0.5, unclear}, {1, good}}, queries: []Query{machinesVerified()},
			description: "Share of the machines of each namespace on which every rule of every control passes. The tenants themselves are judged by rule, under \"What fails now\"."},
		{title: "Machines by phase", kind: lines, width: 8, unit: units.Short, queries: []Query{machinePhases()},
			description: "Machines of each namespace by the phase in their status."},
		{title: "Storage overhead", kind: lines, width: 8, unit: units.Short, queries: []Query{storageOverhead()},
			description: "Largest ratio of a machine's volume claim to the disk in it, by namespace: what the file system takes."},
	}
}

func overTime() []panel {
	return []panel{
		{title: "Verdict of each control over time", kind: timeline, width: 24, unit: units.NoUnit, values: verdictStates(), queries: []Query{verdictOverTime()},
			description: "The verdict of each control at each moment: when it moved, and for how long."},
		{title: "Verdicts over time", kind: lines, width: 24, unit: units.Short, queries: []Query{verdictsOverTime()},
			description: "All present verdicts, one for each rule and subject, by their word."},
	}
}

func speed() []panel {
	return []panel{
		{title: "Age of the evidence", kind: lines, width: 12, unit: units.Seconds, limits: freshness(), queries: []Query{evidenceAges()},
			description: "Time since the watch of each kind was last proved whole. A line that climbs is a watch that no longer sees: its verdicts become unknown."},
		{title: "From drift to verdict", kind: lines, width: 12, unit: units.Seconds, limits: []limit{{0, good}, {1, bad}},
			queries:     []Query{quantile(0.5, metrics.DriftToVerdict), quantile(0.99, metrics.DriftToVerdict)},
			description: "Time from the change of a live object to the verdict on it. The goal is 1 s at p99."},
		{title: "Duration of an evaluation", kind: lines, width: 12, unit: units.Seconds,
			queries:     []Query{quantile(0.5, metrics.EvaluationDuration, metrics.LabelMoment), quantile(0.99, metrics.EvaluationDuration, metrics.LabelMoment)},
			description: "Time to judge one subject by all rules of its kind, at admission, before a write (plan) and live."},
		{title: "Reconciliations", kind: lines, width: 12, unit: units.OpsPerSecond, queries: []Query{reconciles()},
			description: "Reconciliations of machines by outcome. Denied are those that policy refused."},
	}
}
