package engine

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"pgregory.net/rapid"
)

func TestFoldTakesTheFirstThatHolds(t *testing.T) {
	pass := func(target string) Finding { return Finding{Target: target, Verdict: Pass} }
	fail := Finding{Target: "a", Verdict: Fail, Message: "bad"}
	unknown := Finding{Target: "a", Verdict: Unknown, Message: "late"}
	absent := Finding{Verdict: NotApplicable, Message: "none"}
	type pair struct {
		Value Value
		Why   string
	}
	for _, c := range []struct {
		name string
		s    statement
		gap  string
		want pair
	}{
		{"a fail before all", statement{judged: []string{"a"}, findings: []Finding{unknown, fail}, malformed: []string{"m"}}, "guest: gone", pair{Fail, "bad"}},
		{"a gap before a malformed entry", statement{malformed: []string{"m"}}, "guest: gone", pair{Unknown, "guest: gone"}},
		{"a gap takes a pass away", statement{judged: []string{"a"}, findings: []Finding{pass("a")}}, "guest: gone", pair{Unknown, "guest: gone"}},
		{"a gap takes not applicable away", statement{findings: []Finding{absent}}, "guest: gone", pair{Unknown, "guest: gone"}},
		{"malformed", statement{judged: []string{"a"}, findings: []Finding{pass("a")}, malformed: []string{"m"}}, "", pair{Unknown, "malformed answer: m"}},
		{"a pass for no target", statement{judged: []string{"a"}, findings: []Finding{pass("a"), pass("b")}}, "", pair{Unknown, `passes "b", which it does not judge`}},
		{"unknown", statement{judged: []string{"a"}, findings: []Finding{pass("a"), unknown}}, "", pair{Unknown, "late"}},
		{"not applicable", statement{findings: []Finding{absent}}, "", pair{NotApplicable, "none"}},
		{"not applicable beside a target", statement{judged: []string{"a"}, findings: []Finding{absent}}, "", pair{Unknown, "says not applicable beside other words"}},
		{"not applicable beside a pass", statement{judged: []string{"a"}, findings: []Finding{absent, pass("a")}}, "", pair{Unknown, "says not applicable beside other words"}},
		{"nothing judged", statement{}, "", pair{Unknown, "the rule judged nothing and gave no reason"}},
		{"a target without pass", statement{judged: []string{"a", "b"}, findings: []Finding{pass("a")}}, "", pair{Unknown, `the rule said nothing of "b"`}},
		{"each target proven", statement{judged: []string{"a", "b"}, findings: []Finding{pass("a"), pass("b")}}, "", pair{Pass, ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			value, why := fold(c.s, c.gap)
			if diff := cmp.Diff(c.want, pair{value, why}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// reference is the fold written the other way round, over plain values: it starts from the definition of a pass.
func reference(judged, report []any) Value {
	var passed []any
	absent, others := 0, 0
	for _, e := range report {
		entry, _ := e.(map[string]any)
		target, named := entry["target"].(string)
		_, told := entry["message"].(string)
		_, shown := entry["evidence"]
		switch {
		case entry["verdict"] == "fail":
			return Fail
		case entry["verdict"] == "pass" && len(entry) == 3 && named && shown:
			passed = append(passed, target)
		case entry["verdict"] == "not-applicable" && len(entry) == 2 && told:
			absent++
		default:
			others++
		}
	}
	same := len(judged) > 0
	for _, target := range judged {
		_, named := target.(string)
		same = same && named && slices.Contains(passed, target)
	}
	for _, target := range passed {
		same = same && slices.Contains(judged, target)
	}
	switch {
	case same && others == 0 && absent == 0:
		return Pass
	case len(judged) == 0 && absent > 0 && others == 0 && len(passed) == 0:
		return NotApplicable
	default:
		return Unknown
	}
}

func drawTargets(t *rapid.T) []any {
	targets := rapid.SliceOfN(rapid.SampledFrom([]any{"a", "b", "c"}), 0, 3).Draw(t, "targets")
	if rapid.IntRange(0, 9).Draw(t, "odd target") == 0 {
		targets = append(targets, rapid.SampledFrom([]any{1, nil, true}).Draw(t, "target"))
	}
	return targets
}

func drawEntry(t *rapid.T) any {
	if rapid.IntRange(0, 19).Draw(t, "not an object") == 0 {
		return rapid.SampledFrom([]any{nil, "pass", 1, []any{"pass"}}).Draw(t, "entry")
	}
	entry := map[string]any{"verdict": rapid.SampledFrom([]any{"pass", "pass", "pass", "unknown", "not-applicable", "fail", "Pass", 1}).Draw(t, "verdict")}
	keys := map[any][]string{"pass": {"target", "evidence"}, "unknown": {"target", "message"}, "not-applicable": {"message"}, "fail": {"target", "message", "evidence"}}
	for _, key := range keys[entry["verdict"]] {
		entry[key] = rapid.SampledFrom([]any{"a", "b", "c"}).Draw(t, key)
	}
	if rapid.IntRange(0, 9).Draw(t, "spoilt") == 0 {
		key := rapid.SampledFrom([]string{"target", "message", "evidence", "more", "verdict"}).Draw(t, "key")
		if value := rapid.SampledFrom([]any{"absent", 1, nil, "a"}).Draw(t, "value"); value == "absent" {
			delete(entry, key)
		} else {
			entry[key] = value
		}
	}
	return entry
}

// drawAnswer starts from a whole answer as often as from chance, since chance rarely makes one.
func drawAnswer(t *rapid.T) (judged, report []any) {
	judged = drawTargets(t)
	switch rapid.IntRange(0, 2).Draw(t, "mood") {
	case 0:
		for _, target := range judged {
			report = append(report, map[string]any{"verdict": "pass", "target": target, "evidence": "e"})
		}
	case 1:
		judged, report = nil, []any{map[string]any{"verdict": "not-applicable", "message": "none"}}
	}
	if report == nil || rapid.Bool().Draw(t, "more") {
		report = append(report, rapid.SliceOfN(rapid.Custom(drawEntry), 0, 3).Draw(t, "report")...)
	}
	return judged, report
}

func setOf(t *rapid.T, values []any) *ast.Term {
	terms := make([]*ast.Term, len(values))
	for i, v := range values {
		value, err := ast.InterfaceToValue(v)
		if err != nil {
			t.Fatal(err)
		}
		terms[i] = ast.NewTerm(value)
	}
	return ast.SetTerm(terms...)
}

func TestFoldAgreesWithItsReferenceAndItsTwinInRego(t *testing.T) {
	ctx := context.Background()
	s := load(t, nil)
	live, err := s.liveModules()
	if err != nil {
		t.Fatal(err)
	}
	compiler, _, err := s.compilation.compile(ctx, live)
	if err != nil {
		t.Fatal(err)
	}
	twin, err := rego.New(rego.Query("data.cato.lib.verdict.of(input[0], input[1])"), rego.Compiler(compiler)).PrepareForEval(ctx)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[Value]int{}
	rapid.Check(t, func(t *rapid.T) {
		judged, report := drawAnswer(t)
		pair := ast.ArrayTerm(setOf(t, judged), setOf(t, report))
		got, _ := fold(decode(pair), "")
		seen[got]++
		if want := reference(judged, report); got != want {
			t.Fatalf("fold says %s, reference %s of %s", got, want, pair)
		}
		answers, err := twin.Eval(ctx, rego.EvalParsedInput(pair.Value))
		if err != nil {
			t.Fatal(err)
		}
		if said := answers[0].Expressions[0].Value; said != string(got) {
			t.Fatalf("fold says %s, its twin %v of %s", got, said, pair)
		}
		if withGap, _ := fold(decode(pair), "gone"); withGap != Fail && withGap != Unknown {
			t.Fatalf("a gap leaves %s of %s", withGap, pair)
		}
	})
	for _, v := range []Value{Pass, Fail, Unknown, NotApplicable} {
		if seen[v] == 0 {
			t.Errorf("the generator never made a %s: %v", v, seen)
		}
	}
}
