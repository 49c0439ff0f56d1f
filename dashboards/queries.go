// Package dashboards makes the Grafana dashboard of Cato from Go, so that a
// panel cannot name a metric or a label that does not exist.
package dashboards

import (
	"fmt"
	"strings"

	"cato.dev/cato/compliance/metrics"
	"cato.dev/cato/policy/engine"
)

// Variables of the dashboard that queries use; Grafana puts values in their place.
const (
	frameworkVariable = "framework"
	rateInterval      = "$__rate_interval" // at least four scrapes
)

// Query is one PromQL expression of the dashboard.
type Query struct {
	Panel  string // title of its panel
	Expr   string // with Grafana's variables
	Legend string // Grafana's template of a series' name
	// Sparse expressions give no series while there is nothing to show: nothing
	// fails, or nothing happened. Any other gives none only if Cato is not scraped.
	Sparse bool
}

// Resolve returns the expression with values in place of Grafana's variables:
// the framework's name, and a PromQL duration of at least four scrape intervals.
func (q Query) Resolve(framework, interval string) string {
	return strings.NewReplacer("$"+frameworkVariable, framework, rateInterval, interval).Replace(q.Expr)
}

// Queries returns every query of the dashboard, in the order of its panels.
func Queries() []Query {
	var all []Query
	for _, r := range rows() {
		for _, p := range r.panels {
			for _, q := range p.queries {
				q.Panel = p.title
				all = append(all, q)
			}
		}
	}
	return all
}

// No expression ends in `or vector(0)`: without Cato a panel is empty, and never a zero that reads as good news.

func controlVerdicts(verdict engine.Value) string {
	return fmt.Sprintf(`%s{%s="$%s",%s="%s"}`,
		metrics.ControlVerdict, metrics.LabelFramework, frameworkVariable, metrics.LabelVerdict, verdict)
}

func controlsWith(verdict engine.Value) Query {
	return Query{Expr: "sum(" + controlVerdicts(verdict) + ")", Legend: string(verdict)}
}

func satisfied() string {
	return fmt.Sprintf(`%s{%s="$%s"}`, metrics.ControlSatisfied, metrics.LabelFramework, frameworkVariable)
}

func controlsSatisfied() Query {
	return Query{Expr: "sum(" + satisfied() + ")", Legend: "satisfied"}
}

func oldestEvidence() Query {
	return Query{Expr: "max(" + metrics.OldestEvidence + ")", Legend: "oldest"}
}

func revision() Query {
	return Query{Expr: fmt.Sprintf("max by (%s) (%s)", metrics.LabelRevision, metrics.PolicyRevision), Legend: "{{" + metrics.LabelRevision + "}}"}
}

func verdictByControl() Query {
	return Query{Expr: fmt.Sprintf(`max by (%s, %s) (%s{%s="$%s"}) == 1`,
		metrics.LabelControl, metrics.LabelVerdict, metrics.ControlVerdict, metrics.LabelFramework, frameworkVariable)}
}

// satisfiedByControl takes the least where two processes are scraped: a false "satisfied" is the worst error.
func satisfiedByControl() Query {
	return Query{Expr: fmt.Sprintf("min by (%s) (%s)", metrics.LabelControl, satisfied())}
}

// verdictCodes are the numbers of the state timeline, the worst the highest.
func verdictCodes() []engine.Value {
	return []engine.Value{engine.NotApplicable, engine.Pass, engine.Unknown, engine.Fail}
}

func verdictOverTime() Query {
	terms := make([]string, 0, len(verdictCodes()))
	for code, verdict := range verdictCodes() {
		terms = append(terms, fmt.Sprintf("%d * max by (%s) (%s)", code, metrics.LabelControl, controlVerdicts(verdict)))
	}
	return Query{Expr: strings.Join(terms, " + "), Legend: "{{" + metrics.LabelControl + "}}"}
}

func verdictsOverTime() Query {
	return Query{Expr: fmt.Sprintf("sum by (%s) (%s)", metrics.LabelVerdict, metrics.RuleVerdicts), Legend: "{{" + metrics.LabelVerdict + "}}"}
}

// rulesWith is sparse.
func rulesWith(verdict engine.Value) Query {
	return Query{Expr: fmt.Sprintf(`sort_desc(max by (%s) (%s{%s="%s"}) > 0)`,
		metrics.LabelRule, metrics.RuleVerdicts, metrics.LabelVerdict, verdict), Sparse: true}
}

func machinesNotVerified() Query {
	return Query{Expr: fmt.Sprintf("min by (%s, %s, %s) (%s) == 0",
		metrics.LabelNamespace, metrics.LabelVM, metrics.LabelControl, metrics.VMVerified), Sparse: true}
}

// machinesVerified counts a machine only if all of its controls are verified.
func machinesVerified() Query {
	return Query{Expr: fmt.Sprintf("avg by (%[1]s) (min by (%[1]s, %[2]s) (%[3]s))",
		metrics.LabelNamespace, metrics.LabelVM, metrics.VMVerified), Legend: "{{" + metrics.LabelNamespace + "}}"}
}

func machinePhases() Query {
	return Query{Expr: fmt.Sprintf("sum by (%s, %s) (%s)", metrics.LabelNamespace, metrics.LabelPhase, metrics.VMPhase),
		Legend: "{{" + metrics.LabelNamespace + "}} {{" + metrics.LabelPhase + "}}"}
}

func storageOverhead() Query {
	return Query{Expr: fmt.Sprintf("max by (%s) (%s)", metrics.LabelNamespace, metrics.VMStorageOverhead),
		Legend: "{{" + metrics.LabelNamespace + "}}", Sparse: true}
}

func evidenceAges() Query {
	return Query{Expr: fmt.Sprintf("max by (%s) (%s)", metrics.LabelKind, metrics.OldestEvidence), Legend: "{{" + metrics.LabelKind + "}}"}
}

// quantile is of a histogram's observations in the last interval, by labels of the metric.
func quantile(q float64, histogram string, labels ...string) Query {
	legend := fmt.Sprintf("p%g", q*100)
	for _, l := range labels {
		legend = "{{" + l + "}} " + legend
	}
	return Query{Expr: fmt.Sprintf("histogram_quantile(%g, sum by (%s) (rate(%s_bucket[%s])))",
		q, strings.Join(append([]string{"le"}, labels...), ", "), histogram, rateInterval), Legend: legend, Sparse: true}
}

func reconciles() Query {
	return Query{Expr: fmt.Sprintf("sum by (%s) (rate(%s[%s]))", metrics.LabelStatus, metrics.VMReconciles, rateInterval),
		Legend: "{{" + metrics.LabelStatus + "}}", Sparse: true}
}
