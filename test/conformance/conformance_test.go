// Package conformance holds cases of inputs with the verdict that an expert
// would give, and runs them through the code of `catoctl check`.
package conformance

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"cato.dev/cato/cmd/catoctl/check"
	"cato.dev/cato/controllers/decide"
	"cato.dev/cato/policy/engine"
)

// sharedCases lie beside the repository on some machines.
const sharedCases = "../../../shared/cases"

func clock() time.Time { return time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC) }

func newChecker(t *testing.T) *check.Checker {
	t.Helper()
	checker, err := check.New(t.Context(), clock)
	if err != nil {
		t.Fatal(err)
	}
	return checker
}

func folders(t *testing.T, root string) []string {
	t.Helper()
	inputs, err := filepath.Glob(filepath.Join(root, "*", "input.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range inputs {
		inputs[i] = filepath.Dir(inputs[i])
	}
	return inputs
}

func TestEveryCaseGetsTheVerdictOfAnExpert(t *testing.T) {
	cases := folders(t, "cases")
	if len(cases) == 0 {
		t.Fatal("there is no case in cases")
	}
	run(t, cases, func(expectation) bool { return true })
}

// Cases of kinds and topics that no rule knows yet are left out and counted.
func TestSharedCasesGetTheVerdictOfAnExpert(t *testing.T) {
	if _, err := os.Stat(sharedCases); err != nil {
		t.Logf("the shared cases are not on this machine (%s): only the repository's own were judged", sharedCases)
		return
	}
	e, _, _, err := decide.Load(t.Context(), engine.Observer{})
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, rule := range e.Current().Rules() {
		for _, kind := range rule.Subjects {
			known[kind+" "+rule.Topic] = true
		}
	}
	cases := folders(t, sharedCases)
	if len(cases) == 0 {
		t.Fatalf("%s is there and holds no case", sharedCases)
	}
	run(t, cases, func(e expectation) bool { return known[e.Subject.Kind+" "+e.Topic] })
}

func run(t *testing.T, cases []string, inScope func(expectation) bool) {
	t.Helper()
	checker := newChecker(t)
	counts := map[outcome]int{}
	judged, left := 0, 0
	for _, folder := range cases {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			c := readCase(t, folder)
			report := judge(t, checker, folder)
			if (len(report.Errors) > 0) != c.BadInput {
				t.Errorf("badInput is %t, and the input has the errors %q", c.BadInput, report.Errors)
			}
			children := owned(t, folder)
			for _, e := range c.Expect {
				if !inScope(e) {
					left++
					continue
				}
				judged++
				subjects := []subject{e.Subject}
				if child, found := children[e.Subject]; found {
					subjects = append(subjects, child)
				}
				got, why := fold(report, e.Topic, subjects...)
				result := compare(e, got)
				counts[result]++
				if result != right {
					t.Errorf("%s: %s %s: got %s, want %s or one of %v\n  %s\n  %q", result, e.Subject, e.Topic, got, e.Verdict, e.Accept, c.Why, why)
				}
			}
		})
	}
	t.Logf("%d cases, %d verdicts judged, %d of kinds and topics without a rule; FALSE SATISFIED %d, FALSE ALARM %d, inexact %d",
		len(cases), judged, left, counts[falseSatisfied], counts[falseAlarm], counts[inexact])
}

// A rule that no case fails, or passes, is not shown to tell them apart.
func TestEveryRuleIsShownByThreeCases(t *testing.T) {
	e, _, _, err := decide.Load(t.Context(), engine.Observer{})
	if err != nil {
		t.Fatal(err)
	}
	checker := newChecker(t)
	seen := map[string]map[engine.Value]int{}
	for _, folder := range folders(t, "cases") {
		topics := []string{}
		for _, expected := range readCase(t, folder).Expect {
			topics = append(topics, expected.Topic)
		}
		report := judge(t, checker, folder)
		for i := range report.Verdicts {
			v := &report.Verdicts[i]
			if !slices.Contains(topics, v.Topic) {
				continue
			}
			if seen[v.Rule] == nil {
				seen[v.Rule] = map[engine.Value]int{}
			}
			seen[v.Rule][v.Verdict]++
		}
	}
	for _, rule := range e.Current().Rules() {
		counts := seen[rule.ID]
		total := counts[engine.Pass] + counts[engine.Fail] + counts[engine.Unknown]
		if total < 3 || counts[engine.Pass] == 0 || counts[engine.Fail]+counts[engine.Unknown] == 0 {
			t.Errorf("%s (%s) needs at least three cases, a pass and a fail or unknown among them; it has %v", rule.ID, rule.Topic, counts)
		}
	}
}
