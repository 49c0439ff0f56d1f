package engine

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

const ruleFile = "rules/test/net_001/net_001.rego"

// replaced is the good rule with one part of its text exchanged.
func replaced(t *testing.T, old, new string) map[string]string {
	t.Helper()
	text := rules(map[string]string{"NET-001": closedBody})[ruleFile]
	if !strings.Contains(text, old) {
		t.Fatalf("the rule has no %q", old)
	}
	return map[string]string{ruleFile: strings.Replace(text, old, new, 1)}
}

func TestLoadRefusesWhatWouldBeSilentOrForged(t *testing.T) {
	added := func(body string) map[string]string {
		return rules(map[string]string{"NET-001": closedBody + body})
	}
	good := rules(map[string]string{"NET-001": closedBody})
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"a misspelt report", replaced(t, "report contains result.fail", "reports contains result.fail"), `"reports" is neither`},
		{"a rule without report", rules(map[string]string{"NET-001": "judged contains \"x\"\n\n_r := result.pass(\"x\", {})\n"}), `declares no "report"`},
		{"a helper without underscore", added("\nhelper := 1\n"), `"helper" is neither`},
		{"an entry of report not made by result", added("\nreport contains {\"verdict\": \"pass\"} if input.network.open\n"), "must be a call of data.cato.lib.result"},
		{"a report that is one value", rules(map[string]string{"NET-001": "judged := {\"x\"}\n\nreport := {result.pass(\"x\", {})}\n"}), "must be a partial set"},
		{"judged as a function", rules(map[string]string{"NET-001": "judged(_) := 1\n\nreport contains result.pass(\"x\", {})\n"}), "neither a function"},
		{"a misspelt fact", replaced(t, "input.network.open == false", "input.network.opn == false"), "undefined ref: input.network.opn"},
		{"a grant that does not exist", added("\n_g if data.cato.grants.absent.given != set()\n"), "refers to data.cato.grants.absent.given"},
		{"a library that does not exist", added("\n_g if data.cato.lib.absent.x\n"), "refers to data.cato.lib.absent.x"},
		{"a builtin that asks for memory without bound", added("\n_g := bits.lsh(1, 2)\n"), "undefined function bits.lsh"},
		{"a builtin that reads the clock", added("\n_g := time.now_ns()\n"), "undefined function time.now_ns"},
		{"a builtin that reaches the network", added("\n_g := http.send({})\n"), "undefined function http.send"},
		{"a forged input", added("\n_g if input.network.open with input as {}\n"), "`with` is for tests only"},
		{"a rule that reads exceptions", added("\n_g if \"NET-001\" in input.exceptions\n"), "reads neither exceptions"},
		{"a rule that reads the whole input", added("\n_g if count(input) > 0\n"), "nor the input as a whole"},
		{"an unknown metadata key", replaced(t, "topic:", "topics: x\n#   topic:"), `unknown field "topics"`},
		{"metadata of a wrong type", replaced(t, "[VirtualMachine]", "VirtualMachine"), "cannot unmarshal string"},
		{"no metadata", replaced(t, "# METADATA", "# metadata"), "no METADATA above the package"},
		{"no description", replaced(t, "# description: For tests.\n", ""), "title and description are required"},
		{"a malformed id", replaced(t, "id: NET-001", "id: net-1"), `custom.id "net-1"`},
		{"an unknown control", replaced(t, "id: sc-7", "id: sc-999"), "sc-999: not in the catalog"},
		{"no control", replaced(t, "[{id: sc-7}]", "[]"), "custom.controls: missing"},
		{"full coverage without a reason", replaced(t, "{id: sc-7}", "{id: sc-7, coverage: full}"), "needs remarks"},
		{"an unknown severity", replaced(t, "severity: high", "severity: urgent"), "must be one of low, medium, high, critical"},
		{"an unknown moment", replaced(t, "topic:", "judges: [later]\n#   topic:"), `custom.judges "later"`},
		{"enforced where it does not judge", replaced(t, "topic:", "judges: [live]\n#   enforces: [plan]\n#   topic:"), "does not judge at that moment"},
		{"no remediation", replaced(t, "#   remediation: Mend it.\n", ""), "custom.remediation: missing"},
		{"no subject", replaced(t, "[VirtualMachine]", "[]"), "custom.subjects: missing"},
		{"an undocumented parameter", added("\n_g if input.params.maximum > 1\n"), "reads input.params.maximum; list the parameter"},
		{"a parameter that is not read", replaced(t, "topic:", "parameters: [maximum]\n#   topic:"), "does not read input.params.maximum"},
		{"an id used twice", plus(good, map[string]string{"rules/test/b/b.rego": ruleText("test.b", "NET-001", closedBody)}), "NET-001 is used by both"},
		{"a second module in a package", plus(good, map[string]string{"rules/test/net_001/more.rego": "package cato.rules.test.net_001\n\njudged := set()\n"}), "a package is one module"},
		{"the engine's own package", plus(good, map[string]string{"engine.rego": "package cato.engine\n\nr0 := 1\n"}), "must be cato.rules"},
		{"a package outside of cato", plus(good, map[string]string{"x.rego": "package other\n\nx := 1\n"}), "not below cato"},
		{"a file in another rule's folder", map[string]string{"rules/test/b/b.rego": good[ruleFile]}, "must lie in folder rules/test/net_001"},
		{"a test of nothing", plus(good, map[string]string{"rules/test/b/b_test.rego": "package cato.rules.test.b_test\n\ntest_pass := true\n"}), "which is not declared"},
		{"a test outside of a test file", plus(good, map[string]string{"rules/test/net_001/x.rego": "package cato.rules.test.net_001_test\n\ntest_pass := true\n"}), "are in files *_test.rego"},
		{"data that poses as a grant", plus(good, map[string]string{"data.json": `{"cato": {"grants": {"absent": {"given": [1]}}}}`}), "below cato.data and nothing beside it"},
		{"a rule that does not parse", map[string]string{ruleFile: "package cato.rules.test.net_001\n\nreport contains"}, ruleFile},
		{"an unused local", added("\n_g if x := 1\n"), "assigned var x unused"},
		{"a grant with a default", map[string]string{"grants/pod_network/pod_network.rego": grantText + "\ndefault given := {1}\n"}, "must be a partial set"},
		{"a grant with a boolean", map[string]string{"grants/pod_network/pod_network.rego": strings.Split(grantText, "given contains")[0] + "given := true\n"}, "must be a partial set"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Load(context.Background(), source(t, bundleWith(t, c.files)))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got error %v, want one with %q", err, c.want)
			}
		})
	}
}

func TestLoadRefusesABundleThatDoesNotBindTheSchema(t *testing.T) {
	bundle := bundleWith(t, rules(map[string]string{"NET-001": closedBody}))
	delete(bundle, "cato.rego")
	if _, err := Load(context.Background(), source(t, bundle)); err == nil || !strings.Contains(err.Error(), "schema.input") {
		t.Errorf("got error %v", err)
	}
}

func TestLoadRefusesWhatAUserMayNotDeclare(t *testing.T) {
	rule := strings.ReplaceAll(ruleText("mine.closed", "ACME-001", closedBody), "package cato.", "package custom.cato.")
	for _, c := range []struct{ name, text, want string }{
		{"a rule of the operator", ruleText("test.net_001", "NET-002", closedBody), "not below custom.cato"},
		{"a grant", "package custom.cato.grants.all\n\ngiven contains {} if true\n", "must be custom.cato.rules"},
		{"the schema's binding", "package custom.cato\n", "not below custom.cato"},
		{"a misspelt fact", strings.Replace(rule, "network.open", "network.opn", 1), "undefined ref: input.network.opn"},
	} {
		t.Run(c.name, func(t *testing.T) {
			from := source(t, bundleWith(t, rules(map[string]string{"NET-001": closedBody})))
			from.Custom = fstest.MapFS{"user.rego": {Data: []byte(c.text)}}
			if _, err := Load(context.Background(), from); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got error %v, want one with %q", err, c.want)
			}
		})
	}
}

func TestARuleOfAUserStandsBesideTheOperators(t *testing.T) {
	from := source(t, bundleWith(t, rules(map[string]string{"NET-001": closedBody})))
	rule := ruleText("mine.few", "ACME-001", "\njudged contains \"x\"\n\nreport contains result.pass(\"x\", {}) if input.params.maximum == data.custom.cato.data.most\n")
	rule = strings.NewReplacer("package cato.", "package custom.cato.", "topic:", "parameters: [maximum]\n#   topic:").Replace(rule)
	from.Custom = fstest.MapFS{"user.rego": {Data: []byte(rule)}, "data.json": {Data: []byte(`{"custom": {"cato": {"data": {"most": 3}}}}`)}}
	s, err := Load(context.Background(), from)
	if err != nil {
		t.Fatal(err)
	}
	got, _ := s.Judge(context.Background(), "VirtualMachine", Plan, Input{Value: good(t, nil)})
	if diff := cmp.Diff(map[string]Value{"ACME-001": Pass, "NET-001": Pass}, words(got)); diff != "" {
		t.Errorf("words (-want +got):\n%s", diff)
	}
}

func TestFingerprintsChangeOnlyWithWhatARuleReaches(t *testing.T) {
	asks := "\njudged contains \"x\"\n\nreport contains result.pass(\"x\", {}) if data.cato.grants.pod_network.given != set()\n"
	files := plus(rules(map[string]string{"NET-001": closedBody, "NET-002": asks}), map[string]string{"grants/pod_network/pod_network.rego": grantText})
	before := load(t, files)
	files["grants/pod_network/pod_network.rego"] += "\n# a change\n"
	after := load(t, files)
	var changed []string
	for _, r := range after.ChangedSince(before) {
		changed = append(changed, r.ID)
	}
	if diff := cmp.Diff([]string{"NET-002"}, changed); diff != "" || before.Revision == after.Revision {
		t.Errorf("revisions %s and %s, changed (-want +got):\n%s", before.Revision, after.Revision, diff)
	}
}

func TestMetadataIsReadOnce(t *testing.T) {
	text := replaced(t, "topic:", "judges: [plan, live]\n#   enforces: [plan]\n#   on_unknown: report\n#   method: EXAMINE\n#   always_applies: true\n#   topic:")
	s := load(t, text)
	got, found := s.Rule("NET-001")
	if !found {
		t.Fatal("no rule NET-001")
	}
	want := &Rule{
		ID: "NET-001", Package: "cato.rules.test.net_001", File: ruleFile, Title: "A rule", Description: "For tests.",
		Topic: "network-isolation", Severity: "high", Subjects: []string{"VirtualMachine"},
		Controls: []Control{{ID: "sc-7", Coverage: "partial"}}, Judges: []string{Plan, Live}, Enforces: []string{Plan},
		OnUnknown: "report", Method: "EXAMINE", Remediation: "Mend it.", AlwaysApplies: true, Reads: []string{"network.open"},
		Fingerprint: got.Fingerprint, judgedIsSet: true,
	}
	if !got.EnforcesAt(Plan) || got.EnforcesAt(Admission) || got.JudgesAt(Admission) {
		t.Errorf("enforces %v, judges %v", got.Enforces, got.Judges)
	}
	if kinds := s.Kinds(); !slices.Equal(kinds, []string{"VirtualMachine"}) || len(s.RulesFor("VirtualMachine")) != 1 || len(s.RulesFor("Tenant")) != 0 {
		t.Errorf("kinds %v", kinds)
	}
	if diff := cmp.Diff(*want, *got, cmp.AllowUnexported(Rule{})); diff != "" || got.Fingerprint == "" {
		t.Errorf("rule (-want +got):\n%s", diff)
	}
}
