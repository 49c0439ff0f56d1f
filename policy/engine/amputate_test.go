package engine

import (
	"context"
	"strings"
	"testing"
)

const nicsBody = `
judged contains nic.name if some nic in input.network.nics

report contains result.pass(nic.name, {"nic": nic}) if {
	some nic in input.network.nics
	_policed(nic)
}

report contains result.fail(nic.name, "bypass", {"nic": nic}) if {
	some nic in input.network.nics
	not _policed(nic)
}

report contains result.not_applicable("no NIC") if input.network.nics == []

_policed(nic) if {
	nic.binding == "masquerade"
	nic.network == "pod"
}
`

// withPassing adds a test module that exports the documents from which facts are taken away.
func withPassing(body string, documents ...string) map[string]string {
	files := rules(map[string]string{"NET-001": body})
	test := "package cato.rules.test.net_001_test\n\npassing := {" + strings.Join(documents, ", ") + "}\n"
	files["rules/test/net_001/net_001_test.rego"] = test
	return files
}

func TestAmputateRefusesARuleThatPassesWithoutItsFacts(t *testing.T) {
	silent := func(condition string) string {
		return "\njudged contains \"x\"\n\nreport contains result.pass(\"x\", {}) if {\n\tinput.moment != \"\"\n\t" + condition + "\n}\n"
	}
	for _, c := range []struct{ name, body, want string }{
		{"a sound rule", nicsBody, ""},
		{"another sound rule", closedBody, ""},
		{"a negated fact", silent("not input.network.open"), `network.open decides, yet without it the word is "pass"`},
		{"a negated comparison", silent("not input.guest.password == true"), `guest.password decides, yet without it the word is "pass"`},
		{"a count of nothing", silent("count({p | some p in input.network.policies; p == \"another\"}) == 0"), `network.policies decides, yet without it the word is "pass"`},
		{"a default", silent("object.get(input, [\"guest\", \"password\"], false) == false"), "the whole"},
		{"a missing list takes the targets away", "\njudged contains \"x\"\n\njudged contains p if {\n\tsome p in input.network.policies\n}\n\nreport contains result.pass(\"x\", {}) if input.moment == \"live\"\n\nreport contains result.pass(p, {}) if {\n\tsome p in input.network.policies\n\tp == \"deny\"\n}\n", `network.policies decides, yet without it the word is "pass"`},
		{"null taken for empty", silent("not input.network.policies[0] == \"x\"\n\tnot is_string(input.network.policies)\n\tinput.network.policies != []"), `network.policies decides, yet with null in its place the word is "pass"`},
		{"a map's key that must not be there", silent("not input.labels.another"), `labels decides, yet without it the word is "pass"`},
		{"a scalar that may be null", "\njudged contains \"x\"\n\nreport contains result.pass(\"x\", {}) if input.guest.size == null\n", ""},
		{"a scalar that may be null, negated", silent("not input.guest.size == \"another\""), `guest.size decides, yet without it the word is "pass"`},
		{"a rule that says pass to all", "\njudged contains \"x\"\n\nreport contains result.pass(\"x\", {})\n", "no fact of it decides anything"},
		{"facts that do not pass", "\njudged contains \"x\"\n\nreport contains result.pass(\"x\", {}) if input.network.open\n", `passing document 1 gives "unknown", not "pass"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := Load(context.Background(), source(t, bundleWith(t, withPassing(c.body, goodText))))
			if c.want == "the whole" {
				if err == nil || !strings.Contains(err.Error(), "input as a whole") {
					t.Errorf("got error %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			err = s.Amputate(context.Background())
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got error %v, want %q", err, c.want)
			}
			if c.want != "" && err != nil && !strings.Contains(err.Error(), "NET-001") {
				t.Errorf("the error does not name the rule: %v", err)
			}
		})
	}
}

func TestAmputateTriesEachWayToPass(t *testing.T) {
	body := "\njudged contains \"x\"\n\nreport contains result.pass(\"x\", {}) if input.network.open == false\n\nreport contains result.pass(\"x\", {}) if not input.guest.password\n"
	open := strings.Replace(goodText, `"open": false`, `"open": true`, 1)
	s := load(t, withPassing(body, strings.Replace(goodText, `"password": false`, `"password": true`, 1), open))
	err := s.Amputate(context.Background())
	if err == nil || !strings.Contains(err.Error(), "guest.password decides") {
		t.Errorf("got error %v", err)
	}
}

func TestAmputateWantsPassingFacts(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"no test":  rules(map[string]string{"NET-001": closedBody}),
		"no facts": withPassing(closedBody),
	} {
		t.Run(name, func(t *testing.T) {
			err := load(t, files).Amputate(context.Background())
			if err == nil || !strings.Contains(err.Error(), "rule NET-001") {
				t.Errorf("got error %v", err)
			}
		})
	}
}

func TestAmputateHoldsGrantsToTheSame(t *testing.T) {
	head := strings.Split(grantText, "given contains")[0]
	test := "package cato.grants.pod_network_test\n\npassing := " + goodText + "\n"
	for _, c := range []struct{ name, body, want string }{
		{"sound", "given contains {\"because\": \"b\", \"evidence\": {}} if input.guest.password == false\n", ""},
		{"negated", "given contains {\"because\": \"b\", \"evidence\": {}} if not input.guest.password\n", `guest.password decides, yet without it the word is "given"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := load(t, map[string]string{"grants/pod_network/pod_network.rego": head + c.body, "grants/pod_network/pod_network_test.rego": test})
			err := s.Amputate(context.Background())
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got error %v, want %q", err, c.want)
			}
		})
	}
}

func TestAmputateWantsWholeFacts(t *testing.T) {
	s := load(t, withPassing(closedBody, `{"network": {"open": false, "nics": [], "policies": []}}`))
	if err := s.Amputate(context.Background()); err == nil || !strings.Contains(err.Error(), "not a whole input: exceptions is missing") {
		t.Errorf("got error %v", err)
	}
}

func TestAmputateNoticesReadsThatAreWrong(t *testing.T) {
	s := load(t, withPassing(closedBody, goodText))
	s.rules[0].Reads = []string{"guest"}
	if err := s.Amputate(context.Background()); err == nil || !strings.Contains(err.Error(), "its reads are wrong") {
		t.Errorf("got error %v", err)
	}
}
