package reference_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cato.dev/cato/compliance/metrics"
	"cato.dev/cato/controllers/decide"
	"cato.dev/cato/docs/reference"
	"cato.dev/cato/policy/engine"
)

func pages(t *testing.T) (rules, figures string, set *engine.Set) {
	t.Helper()
	e, _, controls, err := decide.Load(t.Context(), engine.Observer{})
	if err != nil {
		t.Fatal(err)
	}
	return reference.Rules(e.Current(), controls), reference.Metrics(), e.Current()
}

func TestThePagesAreWhatGenerateWrites(t *testing.T) {
	rules, figures, _ := pages(t)
	for path, want := range map[string]string{"../rules.md": rules, "../metrics.md": figures} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, string(text)); diff != "" {
			t.Errorf("%s is out of date, run make generate:\n%s", path, diff)
		}
	}
}

func TestTheReadmeCountsRight(t *testing.T) {
	_, _, set := pages(t)
	controls := map[string]bool{}
	for _, r := range set.Rules() {
		for _, c := range r.Controls {
			controls[c.ID] = true
		}
	}
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("%d rules and %d grants over %d controls", len(set.Rules()), len(set.Grants()), len(controls))
	if !strings.Contains(string(text), want) {
		t.Errorf("README.md does not say %q", want)
	}
}

func TestEveryRuleGrantAndMetricIsThere(t *testing.T) {
	rules, figures, set := pages(t)
	for _, r := range set.Rules() {
		if !strings.Contains(rules, "\n### "+r.ID+"\n\n**"+r.Title+"**\n") {
			t.Errorf("rules.md has no section of %s", r.ID)
		}
	}
	for _, g := range set.Grants() {
		if !strings.Contains(rules, "\n### "+g.Name+"\n\n**"+g.Title+"**\n") {
			t.Errorf("rules.md has no section of %s", g.Name)
		}
	}
	for _, d := range metrics.Descriptors() {
		if !strings.Contains(figures, "\n| `"+d.Name+"` | ") {
			t.Errorf("metrics.md has no line of %s", d.Name)
		}
	}
}
