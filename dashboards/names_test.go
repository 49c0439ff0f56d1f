package dashboards_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/promql/parser"
	"sigs.k8s.io/yaml"

	"cato.dev/cato/compliance/catalog"
	"cato.dev/cato/compliance/metrics"
	"cato.dev/cato/dashboards"
)

// series are the series that a scrape has: name -> labels.
func series() map[string][]string {
	all := map[string][]string{}
	for _, d := range metrics.Descriptors() {
		if d.Type != metrics.Histogram {
			all[d.Name] = d.Labels
			continue
		}
		all[d.Name+"_bucket"] = append([]string{"le"}, d.Labels...)
		all[d.Name+"_sum"], all[d.Name+"_count"] = d.Labels, d.Labels
	}
	return all
}

// misnamed tells what an expression names that no scrape has. An aggregation may group by the labels of what is in it.
func misnamed(expression string) ([]string, error) {
	tree, err := parser.NewParser(parser.Options{}).ParseExpr(expression)
	if err != nil {
		return nil, err
	}
	var wrong []string
	names := 0
	parser.Inspect(tree, func(node parser.Node, _ []parser.Node) error {
		switch n := node.(type) {
		case *parser.VectorSelector:
			names++
			known, ok := series()[n.Name]
			if !ok {
				wrong = append(wrong, n.Name)
			}
			for _, m := range n.LabelMatchers {
				if m.Name != model.MetricNameLabel && !slices.Contains(known, m.Name) {
					wrong = append(wrong, n.Name+"{"+m.Name+"}")
				}
			}
		case *parser.AggregateExpr:
			wrong = append(wrong, ungrouped(n)...)
		}
		return nil
	})
	if names == 0 {
		return nil, fmt.Errorf("%s names no metric", expression)
	}
	return wrong, nil
}

func ungrouped(n *parser.AggregateExpr) []string {
	var wrong []string
	parser.Inspect(n.Expr, func(node parser.Node, _ []parser.Node) error {
		if selector, ok := node.(*parser.VectorSelector); ok {
			for _, label := range n.Grouping {
				if !slices.Contains(series()[selector.Name], label) {
					wrong = append(wrong, "by ("+label+") of "+selector.Name)
				}
			}
		}
		return nil
	})
	return wrong
}

func TestQueriesNameOnlyWhatAScrapeHas(t *testing.T) {
	shown := map[string]bool{}
	for _, q := range dashboards.Queries() {
		expression := q.Resolve(catalog.Framework, "1m")
		if strings.Contains(expression, "$") {
			t.Errorf("%s: a variable is left in %s", q.Panel, expression)
		}
		wrong, err := misnamed(expression)
		if err != nil {
			t.Errorf("%s: %v", q.Panel, err)
		}
		for _, name := range wrong {
			t.Errorf("%s: there is no %s: %s", q.Panel, name, expression)
		}
		for name := range series() {
			shown[name] = shown[name] || strings.Contains(expression, name)
		}
	}
	for _, d := range metrics.Descriptors() {
		if !shown[d.Name] && !shown[d.Name+"_bucket"] {
			t.Errorf("no panel shows %s", d.Name)
		}
	}
}

func TestAWrongNameWouldBeFound(t *testing.T) {
	for expression, want := range map[string]string{
		`sum(cato_control_verdicts)`:                         "cato_control_verdicts",
		`cato_control_verdict{namespace="a"}`:                "cato_control_verdict{namespace}",
		`sum by (tenant) (cato_rule_verdicts)`:               "by (tenant) of cato_rule_verdicts",
		`rate(cato_drift_to_verdict_seconds[1m])`:            "cato_drift_to_verdict_seconds",
		`sum by (le) (rate(uds_vm_reconcile_total[1m])) > 0`: "by (le) of uds_vm_reconcile_total",
	} {
		wrong, err := misnamed(expression)
		if err != nil || !slices.Contains(wrong, want) {
			t.Errorf("%s: found %v (%v), want %s", expression, wrong, err, want)
		}
	}
	for _, expression := range []string{"sum(", "1 + 1"} {
		if _, err := misnamed(expression); err == nil {
			t.Errorf("%s: no error", expression)
		}
	}
}

// alert is one of a PrometheusRule.
type alert struct {
	Alert, Expr, For    string
	Labels, Annotations map[string]string
}

func alerts(t *testing.T) []alert {
	t.Helper()
	data, err := os.ReadFile("../config/prometheus/rules.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Spec struct {
			Groups []struct {
				Name  string
				Rules []alert
			}
		}
	}
	if err := yaml.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	var all []alert
	for _, g := range file.Spec.Groups {
		all = append(all, g.Rules...)
	}
	if len(all) == 0 {
		t.Fatal("config/prometheus/rules.yaml has no rules")
	}
	return all
}

func TestAlertsNameOnlyWhatAScrapeHas(t *testing.T) {
	for _, a := range alerts(t) {
		wrong, err := misnamed(a.Expr)
		if err != nil || len(wrong) > 0 {
			t.Errorf("%s: %v (%v)", a.Alert, wrong, err)
		}
		if a.Alert == "" || a.For == "" || a.Labels["severity"] == "" || a.Annotations["summary"] == "" || a.Annotations["description"] == "" {
			t.Errorf("%s is not complete: %+v", a.Alert, a)
		}
	}
}
