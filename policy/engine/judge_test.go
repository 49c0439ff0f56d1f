package engine

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/open-policy-agent/opa/v1/ast"
)

const slowBody = `
judged contains "x"

report contains result.pass("x", {"n": n}) if {
	n := count([1 | some a in numbers.range(1, 100000); some b in numbers.range(1, 100000); a + b == 0])
	n == 0
	input.moment != ""
}
`

// impatient loads rules with the deadline that is in force when none is given.
func impatient(t *testing.T, bodies map[string]string) *Set {
	t.Helper()
	from := source(t, bundleWith(t, rules(bodies)))
	from.Deadline = 0
	s, err := Load(context.Background(), from)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestJudgeSaysOneWordForEachRule(t *testing.T) {
	s := load(t, rules(map[string]string{"NET-001": closedBody}))
	for _, c := range []struct {
		name  string
		edits map[string]string
		want  Value
	}{
		{"closed passes", nil, Pass},
		{"open fails", map[string]string{"network.open": "true"}, Fail},
		{"a missing fact is unknown", map[string]string{"network.open": ""}, Unknown},
		{"a fact of another type is unknown", map[string]string{"network.open": `"no"`}, Unknown},
		{"no network at all is unknown", map[string]string{"network": ""}, Unknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, later := s.Judge(context.Background(), "VirtualMachine", Live, Input{Value: good(t, c.edits)})
			if diff := cmp.Diff(map[string]Value{"NET-001": c.want}, words(got)); diff != "" || len(later) > 0 {
				t.Errorf("later %v, words (-want +got):\n%s", later, diff)
			}
		})
	}
}

// wrong are rules whose evaluation goes wrong; beside a good one each is unknown and the good one passes.
func TestARuleThatGoesWrongIsUnknownAndAlone(t *testing.T) {
	for _, c := range []struct{ name, body, why string }{
		{"builtin error", "\njudged contains \"x\"\n\nreport contains result.pass(\"x\", {}) if not to_number(input.network.nics[0].name) > 10\n", "to_number"},
		{"conflict", "\njudged contains \"x\"\n\n_v := 1 if input.network.open == false\n\n_v := 2 if input.moment == \"live\"\n\nreport contains result.pass(\"x\", {\"v\": _v})\n", "conflict"},
		{"silence", "\njudged contains \"x\" if input.network.open\n\nreport contains result.pass(\"x\", {}) if input.network.open\n", "judged nothing"},
		{"undefined evidence", "\njudged contains \"x\"\n\nreport contains result.fail(\"x\", \"bad\", {\"v\": input.labels.absent}) if input.network.open == false\n", `said nothing of "x"`},
		{"a target unproven", "\njudged := {\"x\", \"y\"}\n\nreport contains result.pass(\"x\", {}) if input.network.open == false\n", `said nothing of "y"`},
		{"a target that is no name", "\njudged := {1}\n\nreport contains result.pass(1, {}) if input.network.open == false\n", "malformed"},
		{"deadline", slowBody, "stopped after"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := impatient(t, map[string]string{"NET-001": closedBody, "NET-002": c.body})
			got, _ := s.Judge(context.Background(), "VirtualMachine", Live, Input{Value: good(t, nil)})
			if diff := cmp.Diff(map[string]Value{"NET-001": Pass, "NET-002": Unknown}, words(got)); diff != "" {
				t.Fatalf("words (-want +got):\n%s", diff)
			}
			if !strings.Contains(got[1].Why, c.why) {
				t.Errorf("why %q, want it to hold %q", got[1].Why, c.why)
			}
		})
	}
}

func TestADeadlineBoundsTheWholeCall(t *testing.T) {
	s := impatient(t, map[string]string{"NET-001": closedBody, "NET-002": slowBody})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // the rule itself would take hours
	defer cancel()
	s.Judge(ctx, "VirtualMachine", Live, Input{Value: good(t, nil)})
	if ctx.Err() != nil {
		t.Errorf("not ended by its deadline of %s", defaultDeadline)
	}
}

func TestACancelledCallIsUnknownThroughout(t *testing.T) {
	s := load(t, rules(map[string]string{"NET-001": closedBody, "NET-002": closedBody}))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	got, _ := s.Judge(ctx, "VirtualMachine", Live, Input{Value: good(t, nil)})
	if diff := cmp.Diff(map[string]Value{"NET-001": Unknown, "NET-002": Unknown}, words(got)); diff != "" {
		t.Errorf("words (-want +got):\n%s", diff)
	}
}

func TestARuleOfAnotherMomentIsLater(t *testing.T) {
	live := strings.Replace(ruleText("test.verified", "IMG-001", closedBody), "topic:", "judges: [live]\n#   topic:", 1)
	s := load(t, plus(rules(map[string]string{"NET-001": closedBody}), map[string]string{"rules/test/verified/verified.rego": live}))
	got, later := s.Judge(context.Background(), "VirtualMachine", Plan, Input{Value: good(t, nil)})
	if diff := cmp.Diff(map[string]Value{"NET-001": Pass}, words(got)); diff != "" {
		t.Errorf("words (-want +got):\n%s", diff)
	}
	if len(later) != 1 || later[0].ID != "IMG-001" {
		t.Errorf("later %v, want IMG-001", later)
	}
	if none, _ := s.Judge(context.Background(), "Namespace", Plan, Input{Value: good(t, nil)}); len(none) > 0 {
		t.Errorf("a kind without rules got %v", none)
	}
}

func TestNothingIsJudgedAsIfAllWereWell(t *testing.T) {
	s := load(t, rules(map[string]string{"NET-001": closedBody}))
	for name, c := range map[string]struct {
		moment string
		in     Input
	}{
		"no input":           {Live, Input{}},
		"an empty input":     {Live, Input{Value: ast.NewObject()}},
		"a list for input":   {Live, Input{Value: ast.NewArray()}},
		"a misspelt moment":  {"Live", Input{Value: good(t, nil)}},
		"no moment":          {"", Input{Value: good(t, nil)}},
		"a gap without path": {Live, Input{Value: good(t, nil), Gaps: map[string]string{"": ""}}},
	} {
		t.Run(name, func(t *testing.T) {
			got, _ := s.Judge(context.Background(), "VirtualMachine", c.moment, c.in)
			if len(got) != 1 || got[0].Value != Unknown || got[0].Why == "" {
				t.Errorf("verdicts %+v", got)
			}
			changed := s.JudgeChanged(context.Background(), "VirtualMachine", c.moment, c.in, []string{"network"})
			if diff := cmp.Diff(words(got), words(changed)); diff != "" {
				t.Errorf("by changed facts (-all +changed):\n%s", diff)
			}
		})
	}
}

func TestOnlyRulesThatReadTheChangedFactsAreAsked(t *testing.T) {
	guest := "\njudged contains \"guest\"\n\nreport contains result.pass(\"guest\", {}) if input.guest.password == false\n"
	s := load(t, rules(map[string]string{"NET-001": closedBody, "GST-001": guest}))
	for _, c := range []struct {
		groups []string
		want   map[string]Value
	}{
		{[]string{"guest"}, map[string]Value{"GST-001": Pass}},
		{[]string{"network.open.x", "labels"}, map[string]Value{"NET-001": Pass}},
		{[]string{""}, map[string]Value{"GST-001": Pass, "NET-001": Pass}},
		{[]string{"network.nics", "net"}, map[string]Value{}},
	} {
		got := s.JudgeChanged(context.Background(), "VirtualMachine", Live, Input{Value: good(t, nil)}, c.groups)
		if diff := cmp.Diff(c.want, words(got)); diff != "" {
			t.Errorf("groups %q: words (-want +got):\n%s", c.groups, diff)
		}
	}
}

func TestFindingsCarryEvidenceAsTheyWereReported(t *testing.T) {
	body := "\njudged contains nic.name if some nic in input.network.nics\n\nreport contains result.fail(nic.name, $\"NIC {nic.name}\", {\"nic\": nic}) if some nic in input.network.nics\n"
	s := load(t, rules(map[string]string{"NET-001": body}))
	got, _ := s.Judge(context.Background(), "VirtualMachine", Live, Input{Value: good(t, map[string]string{"network.nics": `[{"name": "a\"\n", "binding": "é", "network": "x"}]`})})
	want := []Finding{{Target: "a\"\n", Verdict: Fail, Message: "NIC a\"\n",
		Evidence: json.RawMessage(`{"nic":{"binding":"é","name":"a\"\u000a","network":"x"}}`)}}
	if diff := cmp.Diff(want, got[0].Findings, writtenEvidence()); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
	if got[0].Revision != s.Revision || got[0].Why != "NIC a\"\n" {
		t.Errorf("verdict %+v", got[0])
	}
}
