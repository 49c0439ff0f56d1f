package engine

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/open-policy-agent/opa/v1/ast"
)

const guardedBody = `
judged := {"nics"}

report contains result.pass("nics", {"open": false}) if _proven

report contains result.fail("nics", $"NIC {nic.name} by {nic.binding}", {"nic": nic}) if {
	not _proven
	some nic in input.network.nics
	nic.binding != "masquerade"
}

report contains result.unknown("nics", "open to all") if {
	not _proven
	input.network.open == true
}

report contains result.fail("nics", "alone behind its own", {"open": true}) if {
	not _closed
	input.network.open == true
}

report contains result.unknown("nics", "nothing follows") if not _proven

_proven if {
	_closed
	every nic in input.network.nics {
		nic.binding == "masquerade"
	}
}

_closed if input.network.open == false
`

func TestEntriesBehindOneGuardAreSaidAsBefore(t *testing.T) {
	s := load(t, rules(map[string]string{"NET-001": guardedBody}))
	bridge := `[{"name": "a", "binding": "bridge", "network": "pod"}, {"name": "b", "binding": "bridge", "network": "pod"}]`
	noted := Finding{Target: "nics", Verdict: Unknown, Message: "nothing follows"}
	open := []Finding{
		{Target: "nics", Verdict: Fail, Message: "alone behind its own", Evidence: json.RawMessage(`{"open":true}`)},
		noted, {Target: "nics", Verdict: Unknown, Message: "open to all"},
	}
	for name, c := range map[string]struct {
		edits map[string]string
		want  []Finding
	}{
		"proven": {nil, []Finding{{Target: "nics", Verdict: Pass, Evidence: json.RawMessage(`{"open":false}`)}}},
		"open":   {map[string]string{"network.open": "true"}, open},
		"bridge": {map[string]string{"network.nics": bridge}, []Finding{
			{Target: "nics", Verdict: Fail, Message: "NIC a by bridge", Evidence: json.RawMessage(`{"nic":{"binding":"bridge","name":"a","network":"pod"}}`)},
			{Target: "nics", Verdict: Fail, Message: "NIC b by bridge", Evidence: json.RawMessage(`{"nic":{"binding":"bridge","name":"b","network":"pod"}}`)},
			noted,
		}},
		"nothing there": {map[string]string{"network": ""}, []Finding{noted}},
	} {
		got, _ := s.Judge(context.Background(), "VirtualMachine", Live, Input{Value: good(t, c.edits)})
		if diff := cmp.Diff(c.want, got[0].Findings, writtenEvidence()); diff != "" {
			t.Errorf("%s: findings (-want +got):\n%s", name, diff)
		}
	}
}

func TestOnlyEntriesThatShareAGuardAreMoved(t *testing.T) {
	m, err := ast.ParseModuleWithOpts("x.rego", "package x\n"+guardedBody, ast.ParserOptions{RegoVersion: ast.RegoV1})
	if err != nil {
		t.Fatal(err)
	}
	before := m.String()
	got, err := underOneGuard(m)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, rule := range got.Rules {
		names = append(names, documentName(rule))
	}
	slices.Sort(names)
	want := []string{"_behind_0", "_behind_0", "_closed", "_proven", "judged", "report", "report", "report", "report"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("rules (-want +got):\n%s", diff)
	}
	if m.String() != before {
		t.Error("the module as it was written has changed")
	}
}
