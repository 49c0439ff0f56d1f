package engine

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAGapAmongARulesReadsIsUnknown(t *testing.T) {
	nics := "\njudged contains nic.name if some nic in input.network.nics\n\nreport contains result.pass(nic.name, {}) if {\n\tsome nic in input.network.nics\n\t_policed(nic)\n}\n\nreport contains result.not_applicable(\"no NIC\") if input.network.nics == []\n\n_policed(nic) if nic.binding == \"masquerade\"\n"
	asks := "\njudged contains \"x\"\n\nreport contains result.pass(\"x\", {}) if data.cato.grants.pod_network.given != set()\n"
	s := load(t, plus(rules(map[string]string{"NET-001": nics, "NET-002": asks}), map[string]string{"grants/pod_network/pod_network.rego": grantText}))
	for _, c := range []struct {
		name string
		gap  string
		want map[string]Value
	}{
		{"the fact itself", "network.nics", map[string]Value{"NET-001": Unknown, "NET-002": Pass}},
		{"a part of it", "network.nics[0].binding", map[string]Value{"NET-001": Unknown, "NET-002": Pass}},
		{"all that it is part of", "network", map[string]Value{"NET-001": Unknown, "NET-002": Pass}},
		{"a neighbour", "network.policies", map[string]Value{"NET-001": Pass, "NET-002": Pass}},
		{"what a grant reads", "guest", map[string]Value{"NET-001": Pass, "NET-002": Unknown}},
		{"what only a grant could read", "exceptions", map[string]Value{"NET-001": Pass, "NET-002": Unknown}},
		{"the whole document", "", map[string]Value{"NET-001": Unknown, "NET-002": Unknown}},
		{"a misspelt path", "network.nisc", map[string]Value{"NET-001": Unknown, "NET-002": Unknown}},
		{"a label, whose key is not in the schema", "labels.cato.dev/x", map[string]Value{"NET-001": Pass, "NET-002": Pass}},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := Input{Value: good(t, nil), Gaps: map[string]string{c.gap: "may not be read"}}
			got, _ := s.Judge(context.Background(), "VirtualMachine", Live, in)
			if diff := cmp.Diff(c.want, words(got)); diff != "" {
				t.Errorf("words (-want +got):\n%s", diff)
			}
			for _, v := range got {
				if v.Value == Unknown && !strings.Contains(v.Why, "may not be read") {
					t.Errorf("%s: why %q does not give the reason", v.Rule.ID, v.Why)
				}
			}
		})
	}
	t.Run("not applicable too", func(t *testing.T) {
		in := Input{Value: good(t, map[string]string{"network.nics": "[]"})}
		before, _ := s.Judge(context.Background(), "VirtualMachine", Live, in)
		in.Gaps = map[string]string{"network.nics": "no list"}
		after, _ := s.Judge(context.Background(), "VirtualMachine", Live, in)
		if before[0].Value != NotApplicable || after[0].Value != Unknown {
			t.Errorf("%s, with the gap %s", before[0].Value, after[0].Value)
		}
	})
}

func TestReadsAreFollowedThroughAliasesHelpersAndArguments(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		want []string
	}{
		"an alias":             {"report contains result.pass(\"x\", {}) if {\n\tn := input.network\n\tn.open == false\n}\n", []string{"network.open"}},
		"a helper":             {"report contains result.pass(\"x\", {}) if _h\n\n_h if input.guest.password\n", []string{"guest.password"}},
		"an argument":          {"report contains result.pass(\"x\", {}) if _h(input.guest)\n\n_h(g) if g.password\n", []string{"guest"}},
		"a comprehension":      {"report contains result.pass(\"x\", {}) if count({p | some p in input.network.policies}) == 0\n", []string{"network.policies"}},
		"every":                {"report contains result.pass(\"x\", {}) if {\n\tevery p in input.network.policies {\n\t\tp != input.moment\n\t}\n}\n", []string{"moment", "network.policies"}},
		"a negation":           {"report contains result.pass(\"x\", {}) if not input.guest.password\n", []string{"guest.password"}},
		"evidence":             {"report contains result.pass(\"x\", {\"l\": input.labels})\n", []string{"labels"}},
		"a message":            {"report contains result.fail(\"x\", $\"{input.moment}\", {})\n", []string{"moment"}},
		"object.get":           {"report contains result.pass(\"x\", {}) if object.get(input.labels, \"a\", \"\") == \"\"\n", []string{"labels"}},
		"a key that is a fact": {"report contains result.pass(\"x\", {}) if input.labels[input.moment] == \"\"\n", []string{"labels", "moment"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := load(t, rules(map[string]string{"NET-001": "\njudged contains \"x\"\n\n" + c.body}))
			if diff := cmp.Diff(c.want, s.Rules()[0].Reads); diff != "" {
				t.Errorf("reads (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWhatMayNotBeReadAtAllTakesTheCertaintyFromAFailToo(t *testing.T) {
	absent := "\njudged contains \"x\"\n\nreport contains result.fail(\"x\", \"no policy\", {}) if input.network.policies == []\n\nreport contains result.pass(\"x\", {}) if input.network.policies != []\n"
	other := "\njudged contains \"x\"\n\nreport contains result.fail(\"x\", \"open\", {\"open\": input.network.open}) if input.network.open == input.network.open\n"
	s := load(t, rules(map[string]string{"NET-001": absent, "NET-002": other}))
	in := Input{Value: good(t, map[string]string{"network.policies": "[]"}), Gaps: map[string]string{"network.policies": "no list"}}
	judged := func() map[string]Value {
		t.Helper()
		verdicts, _ := s.Judge(context.Background(), "VirtualMachine", Live, in)
		return words(verdicts)
	}
	if diff := cmp.Diff(map[string]Value{"NET-001": Fail, "NET-002": Fail}, judged()); diff != "" {
		t.Errorf("a gap (-want +got):\n%s", diff)
	}
	in.Unseen = map[string]string{"network.policies": "the right is missing"}
	if diff := cmp.Diff(map[string]Value{"NET-001": Unknown, "NET-002": Fail}, judged()); diff != "" {
		t.Errorf("unseen (-want +got):\n%s", diff)
	}
	partly := s.JudgeChanged(context.Background(), "VirtualMachine", Live, in, []string{"network.policies"})
	if len(partly) != 1 || partly[0].Value != Unknown || partly[0].Why != "network.policies: the right is missing" || len(partly[0].Findings) != 0 {
		t.Errorf("judged in part: %+v", partly)
	}
}
