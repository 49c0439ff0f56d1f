package check

import (
	"encoding/json"
	"slices"
	"strings"

	"cato.dev/cato/controllers/decide"
	"cato.dev/cato/policy/engine"
	"cato.dev/cato/policy/facts"
)

// APIVersion and Kind name the shape of Report. Fields are added to a version,
// none is taken away or given another meaning.
const (
	APIVersion = "cato.dev/check/v1"
	Kind       = "CheckReport"
)

// Report is all that a check found. Its JSON is the output of -o json; every
// list is present, if only as an empty one.
type Report struct {
	APIVersion  string         `json:"apiVersion"`
	Kind        string         `json:"kind"`
	Revision    string         `json:"revision"`    // of the policy bundle that judged
	Verdicts    []Verdict      `json:"verdicts"`    // sorted by subject, then rule
	Assumptions []string       `json:"assumptions"` // defaults that stood in for facts that the input does not hold
	Later       []Later        `json:"later"`       // rules that can judge the planned subjects only at other moments
	Skipped     map[string]int `json:"skipped"`     // documents of kinds that are not judged, by kind
	Errors      []string       `json:"errors"`      // what of the input could not be read; then the exit code is 2
}

// Verdict is what one rule says of one subject.
type Verdict struct {
	Rule        string       `json:"rule"`  // stable id, such as NET-001
	Topic       string       `json:"topic"` // what is judged, such as network-isolation
	Title       string       `json:"title"`
	Severity    string       `json:"severity"` // low, medium, high or critical
	Controls    []string     `json:"controls"` // OSCAL ids of NIST SP 800-53 Rev 5, such as sc-7
	Subject     Subject      `json:"subject"`
	Profile     string       `json:"profile"`               // the ComplianceProfile in force, or the built-in one: uds (built-in)
	Moment      string       `json:"moment"`                // plan or live
	Verdict     engine.Value `json:"verdict"`               // pass, fail, unknown or not-applicable
	Message     string       `json:"message"`               // why; empty for a pass
	Remediation string       `json:"remediation,omitempty"` // of a fail or unknown: what to do; where facts are missing, what they lack
	Evidence    []Evidence   `json:"evidence"`
}

// Subject names what is judged; the namespace of a cluster-scoped kind is empty.
type Subject struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace"`
	Name       string `json:"name"`
}

// Evidence is what a rule says of one part of the subject, with the facts that decided.
type Evidence struct {
	Target  string          `json:"target"`
	Verdict engine.Value    `json:"verdict"`
	Message string          `json:"message,omitempty"`
	Facts   json.RawMessage `json:"facts,omitempty"`
}

// Later is a rule that needs facts which a plan cannot have.
type Later struct {
	Rule    string   `json:"rule"`
	Topic   string   `json:"topic"`
	Title   string   `json:"title"`
	Moments []string `json:"moments"` // when it judges
}

// ExitCode is 0 when every verdict is pass or not-applicable, 1 when any is
// fail or unknown, 2 when a part of the input could not be read.
func (r *Report) ExitCode() int {
	if len(r.Errors) > 0 {
		return 2
	}
	for i := range r.Verdicts {
		if v := r.Verdicts[i].Verdict; v != engine.Pass && v != engine.NotApplicable {
			return 1
		}
	}
	return 0
}

// add takes over the judgement of one subject.
func (r *Report) add(j decide.Judgement) {
	subject := Subject{APIVersion: j.Subject.APIVersion, Kind: j.Subject.Kind, Namespace: j.Subject.Namespace, Name: j.Subject.Name}
	for _, v := range j.Verdicts {
		verdict := Verdict{
			Rule: v.Rule.ID, Topic: v.Rule.Topic, Title: v.Rule.Title, Severity: v.Rule.Severity, Controls: controlsOf(v.Rule),
			Subject: subject, Profile: j.Profile, Moment: string(j.Moment), Verdict: v.Value, Message: v.Why, Evidence: []Evidence{},
		}
		switch {
		case v.Gap != "": // the rule's own remedy would mend nothing
			verdict.Remediation = v.Gap
		case v.Value == engine.Fail || v.Value == engine.Unknown:
			verdict.Remediation = strings.TrimSpace(v.Rule.Remediation)
		}
		for _, f := range v.Findings {
			verdict.Evidence = append(verdict.Evidence, Evidence{Target: f.Target, Verdict: f.Verdict, Message: f.Message, Facts: f.EvidenceJSON()})
		}
		r.Verdicts = append(r.Verdicts, verdict)
	}
	r.Assumptions = append(r.Assumptions, j.Assumptions...)
	if j.Moment != facts.Plan {
		return // what is live was planned before
	}
	for _, rule := range j.Later {
		r.Later = append(r.Later, Later{Rule: rule.ID, Topic: rule.Topic, Title: rule.Title, Moments: rule.Judges})
	}
}

func controlsOf(rule *engine.Rule) []string {
	ids := make([]string, 0, len(rule.Controls))
	for _, control := range rule.Controls {
		ids = append(ids, control.ID)
	}
	return ids
}

// arrange sorts what was added and leaves out what was said before.
func (r *Report) arrange() {
	slices.SortStableFunc(r.Verdicts, func(a, b Verdict) int {
		for _, order := range []int{
			strings.Compare(a.Subject.Kind, b.Subject.Kind), strings.Compare(a.Subject.Namespace, b.Subject.Namespace),
			strings.Compare(a.Subject.Name, b.Subject.Name), strings.Compare(a.Rule, b.Rule),
		} {
			if order != 0 {
				return order
			}
		}
		return 0
	})
	slices.Sort(r.Assumptions)
	r.Assumptions = slices.Compact(r.Assumptions)
	slices.SortFunc(r.Later, func(a, b Later) int { return strings.Compare(a.Rule, b.Rule) })
	r.Later = slices.CompactFunc(r.Later, func(a, b Later) bool { return a.Rule == b.Rule })
}
