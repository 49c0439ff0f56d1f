package engine

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/open-policy-agent/opa/v1/ast"
)

func TestAGrantIsGivenOnlyWithoutDoubt(t *testing.T) {
	s := load(t, map[string]string{"grants/pod_network/pod_network.rego": grantText})
	for _, c := range []struct {
		name  string
		grant string
		in    Input
		given bool
		err   string
	}{
		{"given by its facts", "pod_network", Input{Value: good(t, nil)}, true, ""},
		{"given by an exception", "pod_network", Input{Value: good(t, map[string]string{"guest.password": "true", "exceptions": `["pod_network"]`})}, true, ""},
		{"refused by its facts", "pod_network", Input{Value: good(t, map[string]string{"guest.password": "true"})}, false, ""},
		{"a missing fact", "pod_network", Input{Value: good(t, map[string]string{"guest": ""})}, false, ""},
		{"no facts at all", "pod_network", Input{Value: ast.NewObject()}, false, ""},
		{"a gap", "pod_network", Input{Value: good(t, nil), Gaps: map[string]string{"guest.password": "no right"}}, false, "guest.password: no right"},
		{"a gap elsewhere", "pod_network", Input{Value: good(t, nil), Gaps: map[string]string{"network": "no right"}}, true, ""},
		{"a grant that does not exist", "root", Input{Value: good(t, nil)}, false, "none of that name"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := s.Grant(context.Background(), c.grant, c.in)
			if got.Given != c.given || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("given %t, error %v", got.Given, err)
			}
			if got.Given != (len(got.Because) > 0) || len(got.Because) != len(got.Evidence) {
				t.Errorf("given %t because %q by %d pieces of evidence", got.Given, got.Because, len(got.Evidence))
			}
		})
	}
}

func TestAGrantThatGoesWrongIsNotGiven(t *testing.T) {
	head := strings.Split(grantText, "given contains")[0]
	for name, body := range map[string]string{
		"no reason":        "given contains {\"evidence\": {}} if input.guest.password == false\n",
		"an empty reason":  "given contains {\"because\": \" \", \"evidence\": {}} if input.guest.password == false\n",
		"not an object":    "given contains true if input.guest.password == false\n",
		"a builtin error":  "given contains {\"because\": \"b\", \"evidence\": {}} if not to_number(input.moment) > 1\n",
		"one of two wrong": "given contains {\"because\": \"b\", \"evidence\": {}}\n\ngiven contains 1 if input.guest.password == false\n",
	} {
		t.Run(name, func(t *testing.T) {
			s := load(t, map[string]string{"grants/pod_network/pod_network.rego": head + body})
			if got, err := s.Grant(context.Background(), "pod_network", Input{Value: good(t, nil)}); got.Given || err == nil {
				t.Errorf("given %t, error %v", got.Given, err)
			}
		})
	}
}

func TestARuleDoesNotSeeExceptionsThroughAGrant(t *testing.T) {
	asks := "\njudged contains \"x\"\n\nreport contains result.fail(\"x\", \"not granted\", {}) if data.cato.grants.pod_network.given == set()\n"
	s := load(t, plus(rules(map[string]string{"NET-001": asks}), map[string]string{"grants/pod_network/pod_network.rego": grantText}))
	in := Input{Value: good(t, map[string]string{"guest.password": "true", "exceptions": `["pod_network"]`})}
	got, _ := s.Judge(context.Background(), "VirtualMachine", Live, in)
	granted, err := s.Grant(context.Background(), "pod_network", in)
	if got[0].Value != Fail || !granted.Given || err != nil {
		t.Errorf("rule %s, grant %t, error %v", got[0].Value, granted.Given, err)
	}
}

func TestGrantsAreDescribed(t *testing.T) {
	s := load(t, map[string]string{"grants/pod_network/pod_network.rego": grantText})
	got := s.Grants()
	want := []Grant{{Name: "pod_network", Package: "cato.grants.pod_network", File: "grants/pod_network/pod_network.rego", Title: "Pod network",
		Description: "For tests.", Source: "a label", OnRefusal: "refuse", Subjects: []string{"VirtualMachine"},
		Reads: []string{"exceptions", "guest"}, Fingerprint: s.grants["pod_network"].Fingerprint}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("grants (-want +got):\n%s", diff)
	}
}
