package check

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"cato.dev/cato/policy/engine"
)

const unreadable = `
apiVersion: uds.dev/v1alpha1
kind: UDSVirtualMachine
metadata: {name: web, namespace: mission-a}
spec: {memory: 1e1.5, sourceType: blank, diskSize: 10Gi}
`

// One field that cannot be read leaves no children to judge: the verdicts that
// need them say which field it is, and no remedy of theirs is offered.
func TestWhereAFieldCannotBeReadThatFieldIsTheRemedy(t *testing.T) {
	checker, err := New(t.Context(), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	report, err := checker.Check(t.Context(), Source{Name: "web.yaml", Reader: strings.NewReader(unreadable)})
	if err != nil {
		t.Fatal(err)
	}
	unknown := 0
	for _, v := range report.Verdicts {
		if v.Verdict != engine.Unknown {
			continue
		}
		unknown++
		if !strings.Contains(v.Remediation, `spec.memory: "1e1.5"`) || !strings.Contains(v.Message, `spec.memory: "1e1.5"`) {
			t.Errorf("%s: message %q, remedy %q", v.Rule, v.Message, v.Remediation)
		}
	}
	if unknown < 5 {
		t.Errorf("%d unknown verdicts: the case shows nothing", unknown)
	}
	var table bytes.Buffer
	if err := report.WriteTable(&table); err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(table.String(), "What to do:\n")
	remedies, _, _ := strings.Cut(after, "\n\n")
	if lines := strings.Split(remedies, "\n"); len(lines) != 2 || !strings.Contains(remedies, "CRB-001: ") {
		t.Errorf("%d remedies, want that of CRB-001 and one of all that is unknown:\n%s", len(lines), remedies)
	}
}

func TestAProfileThatCannotBeReadIsBadInput(t *testing.T) {
	const profile = "apiVersion: cato.dev/v1alpha1\nkind: ComplianceProfile\nmetadata: {name: p}\nspec: {base: uds, parameters: {allowedSourceHosts: ['a b'], rules: [{id: NET-999, mode: warn}]}}\n"
	checker, err := New(t.Context(), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	report, err := checker.Check(t.Context(), Source{Name: "p.yaml", Reader: strings.NewReader(profile)})
	if err != nil {
		t.Fatal(err)
	}
	if text := strings.Join(report.Errors, "\n"); report.ExitCode() != 2 || len(report.Errors) != 2 || !strings.Contains(text, `ComplianceProfile p: spec.parameters.allowedSourceHosts[0] "a b"`) || !strings.Contains(text, "NET-999") {
		t.Errorf("exit code %d, errors:\n%s", report.ExitCode(), text)
	}
}
