package assessment

import (
	"cmp"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	"cato.dev/cato/compliance/catalog"
	"cato.dev/cato/compliance/posture"
	"cato.dev/cato/policy/engine"
)

// longestName bounds the names in a report, which has to stay below 32 KiB.
const longestName = 63

// ReportStatus summarises the posture of one namespace. It is a function of its
// arguments alone, so an unchanged posture gives an unchanged report.
func ReportStatus(view posture.View, set *engine.Set, controls *catalog.Catalog) catov1alpha1.ComplianceReportStatus {
	tally, rules := view.Tally(), set.Rules()
	status := catov1alpha1.ComplianceReportStatus{
		PolicyRevision: set.Revision,
		Subjects:       int32(min(len(view.Subjects()), 1<<31-1)),
	}
	// No verdict rests on evidence older than the last sweep that judged all.
	if swept := view.Position().Swept; !swept.IsZero() {
		at := metav1.NewTime(swept.Truncate(time.Second))
		status.EvidenceTime = &at
	}
	for _, rule := range rules {
		counts, judged := tally.Rules[rule.ID]
		if !judged {
			continue
		}
		status.Rules = append(status.Rules, catov1alpha1.RuleSummary{
			ID: rule.ID, Topic: rule.Topic, Severity: rule.Severity, VerdictCounts: countsOf(counts),
		})
		status.Summary = countsOf(posture.Counts{
			Pass: int(status.Summary.Pass) + counts.Pass, Fail: int(status.Summary.Fail) + counts.Fail,
			Unknown: int(status.Summary.Unknown) + counts.Unknown, NotApplicable: int(status.Summary.NotApplicable) + counts.NotApplicable,
		})
	}
	status.Controls = controlSummaries(tally, rules, controls)
	status.Failing, status.OmittedFailures = failing(view, set)
	return status
}

func countsOf(c posture.Counts) catov1alpha1.VerdictCounts {
	bounded := func(n int) int32 { return int32(min(n, 1<<31-1)) }
	return catov1alpha1.VerdictCounts{
		Pass: bounded(c.Pass), Fail: bounded(c.Fail), Unknown: bounded(c.Unknown), NotApplicable: bounded(c.NotApplicable),
	}
}

func controlSummaries(tally posture.Tally, rules []*engine.Rule, controls *catalog.Catalog) []catov1alpha1.ControlSummary {
	never := func(*engine.Rule) bool { return false }
	objectives := posture.ObjectiveStates(tally, rules, never)
	var all []catov1alpha1.ControlSummary
	for _, state := range posture.ControlStates(tally, rules, never) {
		summary := catov1alpha1.ControlSummary{
			Framework: catalog.Framework, Control: state.Control,
			Verdict: catov1alpha1.Verdict(state.Verdict), VerdictCounts: countsOf(state.Counts),
		}
		if satisfied, found := posture.ControlSatisfied(controls, state.Control, objectives); found {
			summary.Satisfied = &satisfied
		}
		all = append(all, summary)
	}
	return all
}

// failing lists what fails, the gravest first, then what is unknown; beyond the
// bound only their number is told.
func failing(view posture.View, set *engine.Set) ([]catov1alpha1.Failure, int32) {
	var all []catov1alpha1.Failure
	view.Each(func(subject posture.Subject, entry posture.Entry) bool {
		if entry.Value == engine.Fail || entry.Value == engine.Unknown {
			all = append(all, catov1alpha1.Failure{
				Rule: entry.Rule, Kind: subject.Kind, Name: cut(subject.Name, longestName),
				Verdict: catov1alpha1.Verdict(entry.Value), Message: cut(entry.Why, catov1alpha1.MaxFailureMessage),
				Since: metav1.NewTime(entry.Since.Truncate(time.Second)),
			})
		}
		return true
	})
	slices.SortStableFunc(all, func(a, b catov1alpha1.Failure) int {
		return cmp.Or(gravity(set, a)-gravity(set, b), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
	})
	if len(all) <= catov1alpha1.MaxFailing {
		return all, 0
	}
	return all[:catov1alpha1.MaxFailing], int32(min(len(all)-catov1alpha1.MaxFailing, 1<<31-1))
}

// gravity orders failures: a lower number is shown first.
func gravity(set *engine.Set, f catov1alpha1.Failure) int {
	severities := []string{"critical", "high", "medium", "low"}
	order := len(severities)
	if rule, found := set.Rule(f.Rule); found {
		order = slices.Index(severities, rule.Severity)
	}
	if f.Verdict == catov1alpha1.VerdictUnknown {
		order += 2 * len(severities)
	}
	return order
}

// cut shortens a text to n bytes without breaking a character.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	const mark = "…"
	end := n - len(mark)
	for end > 0 && text[end]&0xC0 == 0x80 {
		end--
	}
	return text[:end] + mark
}
