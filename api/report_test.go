package api_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	catov1 "cato.dev/cato/api/cato/v1alpha1"
)

// The report's shape holds its bound: as many failures as it may list, with names and messages as long as they
// may be, and a generous number of rules and controls, in a namespace of 1,000 VMs.
func TestAFullReportStaysBelowItsCeiling(t *testing.T) {
	counts := catov1.VerdictCounts{Pass: 1000, Fail: 1000, Unknown: 1000, NotApplicable: 1000}
	satisfied := false
	report := catov1.ComplianceReport{
		TypeMeta:   metav1.TypeMeta{APIVersion: "cato.dev/v1alpha1", Kind: "ComplianceReport"},
		ObjectMeta: metav1.ObjectMeta{Name: catov1.ReportName, Namespace: strings.Repeat("n", 63)},
		Status: catov1.ComplianceReportStatus{
			PolicyRevision: strings.Repeat("f", 64), Subjects: 1000, Summary: counts, OmittedFailures: 1 << 20,
			Assumptions: []string{strings.Repeat("a", 256), strings.Repeat("b", 256)},
		},
	}
	for i := range catov1.MaxFailing {
		report.Status.Failing = append(report.Status.Failing, catov1.Failure{
			Rule: fmt.Sprintf("NET-%03d", i), Kind: "UDSVirtualMachine", Name: strings.Repeat("v", 63), Verdict: catov1.VerdictUnknown,
			Message: strings.Repeat("m", catov1.MaxFailureMessage), Since: metav1.NewTime(time.Unix(1e9, 0)),
		})
	}
	for i := range 40 {
		report.Status.Rules = append(report.Status.Rules, catov1.RuleSummary{ID: fmt.Sprintf("NET-%03d", i), Topic: "network-isolation", Severity: "critical", VerdictCounts: counts})
		report.Status.Controls = append(report.Status.Controls, catov1.ControlSummary{
			Framework: "nist-800-53r5", Control: fmt.Sprintf("sc-7.%d", i), Verdict: catov1.VerdictFail, Satisfied: &satisfied, VerdictCounts: counts,
		})
	}
	data, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes", len(data))
	if len(data) > catov1.MaxReportBytes {
		t.Errorf("a full report has %d bytes, more than %d", len(data), catov1.MaxReportBytes)
	}
	stored := map[string]any{}
	if err := json.Unmarshal(data, &stored); err != nil {
		t.Fatal(err)
	}
	if _, errs := admit(t, reports, stored, nil); len(errs) > 0 {
		t.Errorf("a full report is refused: %v", errs)
	}
}
