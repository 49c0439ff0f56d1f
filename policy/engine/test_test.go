package engine

import (
	"context"
	"os"
	"strings"
	"testing"
	"testing/fstest"
)

func TestLibrariesPassTheirOwnTests(t *testing.T) {
	bundle := bundleWith(t, nil)
	for _, name := range []string{"lib/result_test.rego", "lib/verdict_test.rego"} {
		text, err := os.ReadFile("../bundle/" + name)
		if err != nil {
			t.Fatal(err)
		}
		bundle[name] = &fstest.MapFile{Data: text}
	}
	s, err := Load(context.Background(), source(t, bundle))
	if err != nil {
		t.Fatal(err)
	}
	result, err := s.Test(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if err := result.Err(); err != nil || result.Passed == 0 {
		t.Errorf("%d passed: %v", result.Passed, err)
	}
}

func TestTestShowsWhatTheTestsOfARuleLack(t *testing.T) {
	files := rules(map[string]string{"NET-001": closedBody})
	files["rules/test/net_001/net_001_test.rego"] = `package cato.rules.test.net_001_test

import data.cato.lib.verdict
import data.cato.rules.test.net_001 as rule

passing := {"network": {"open": false}}

test_pass if verdict.of(rule.judged, rule.report) == "pass" with input as passing

test_unknown if verdict.of(rule.judged, rule.report) == "pass" with input as {}

test_malformed if to_number(input.network) == 1 with input as {"network": "x"}

todo_test_later if true
`
	result, err := load(t, files).Test(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	said := result.Err().Error()
	for _, want := range []string{
		"net_001_test.test_unknown: failed", "net_001_test.test_malformed: error: ", "todo_test_later: skipped",
		"has no test_fail", "has no test_not_applicable", "net_001.rego: no test reaches lines 19",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("nothing says %q in:\n%s", want, said)
		}
	}
	if result.Passed != 1 || strings.Contains(said, "has no test_pass") {
		t.Errorf("%d passed:\n%s", result.Passed, said)
	}
}
