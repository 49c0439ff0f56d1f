package engine

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAReportThatIsInlinedSaysWhatTheCallSays(t *testing.T) {
	// The variables are named as the parameters of the functions, crosswise.
	body := `
judged := {"a", "b"}

report contains result.pass(message, {"evidence": target, "target": evidence}) if {
	message := "a"
	target := input.network.open
	evidence := ["e"]
}

report contains result.fail(evidence, $"{target} is {message}", {"message": message}) if {
	evidence := "b"
	target := "the network"
	message := input.network.open
}

report contains result.unknown(input.network.nics[7].name, "never said: its target is undefined") if input.network.nics

report contains result.not_applicable(reason) if some reason in input.network.policies
`
	s := load(t, rules(map[string]string{"NET-001": body}))
	got, _ := s.Judge(context.Background(), "VirtualMachine", Live, Input{Value: good(t, nil)})
	want := []Finding{
		{Target: "a", Verdict: Pass, Evidence: json.RawMessage(`{"evidence":false,"target":["e"]}`)},
		{Target: "b", Verdict: Fail, Message: "the network is false", Evidence: json.RawMessage(`{"message":false}`)},
		{Verdict: NotApplicable, Message: "deny"},
	}
	if diff := cmp.Diff(want, got[0].Findings, writtenEvidence()); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}
