package oscal

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	o "github.com/defenseunicorns/go-oscal/src/types/oscal-1-2-2"

	"cato.dev/cato/compliance/posture"
	"cato.dev/cato/policy/engine"
)

// isComponent tells what serves many, a cluster-scoped object, from what is one asset.
func isComponent(s posture.Subject) bool { return s.Namespace == "" }

func (r *Results) subjectID(s posture.Subject) string {
	kind := "item"
	if isComponent(s) {
		kind = "component"
	}
	return identify(kind, r.system.Cluster, subjectName(s))
}

func assetID(s posture.Subject) string {
	if s.Namespace == "" {
		return s.Name
	}
	return s.Namespace + "/" + s.Name
}

func describeSubject(s posture.Subject) string { return s.Kind + " " + assetID(s) }

// components are the tools, the scope, and the named subjects that serve many.
func (r *Results) components() []o.SystemComponent {
	components := append(r.system.tools(), r.system.scopeComponent(r.input.Namespace))
	for _, s := range r.named(isComponent) {
		components = append(components, o.SystemComponent{
			UUID: r.subjectID(s), Type: "service", Title: describeSubject(s), Description: describeSubject(s) + ", which serves many.",
			Props:  list(o.Property{Name: "asset-id", Value: assetID(s)}, ours("uid", s.UID)),
			Status: o.SystemComponentStatus{State: "operational"},
		})
	}
	return components
}

// named are the subjects that the document lists, in order: all of a full one, those that are open or fail otherwise.
func (r *Results) named(want func(posture.Subject) bool) []posture.Subject {
	var subjects []posture.Subject
	if r.full {
		r.eachSubject(func(s posture.Subject) {
			if want(s) {
				subjects = append(subjects, s)
			}
		})
		return subjects
	}
	seen := map[posture.Subject]bool{}
	for _, rule := range r.seen.rules {
		for _, s := range slices.Concat(rule.failing, rule.open) {
			if want(s) && !seen[s] {
				seen[s] = true
				subjects = append(subjects, s)
			}
		}
	}
	slices.SortFunc(subjects, func(a, b posture.Subject) int {
		return strings.Compare(strings.Join([]string{a.Namespace, a.Kind, a.Name, a.APIVersion}, "\x00"),
			strings.Join([]string{b.Namespace, b.Kind, b.Name, b.APIVersion}, "\x00"))
	})
	return subjects
}

func (r *Results) eachSubject(f func(posture.Subject)) {
	var last posture.Subject
	r.input.Each(func(s posture.Subject, _ posture.Entry) bool {
		if s != last {
			f(s)
			last = s
		}
		return true
	})
}

func (r *Results) item(s posture.Subject) o.InventoryItem {
	props := []o.Property{{Name: "asset-id", Value: assetID(s)}, {Name: "asset-type", Value: s.Kind}}
	if strings.Contains(s.Kind, "VirtualMachine") || s.Kind == "Instance" {
		props = append(props, o.Property{Name: "virtual", Value: "yes"})
	}
	return o.InventoryItem{
		UUID: r.subjectID(s), Description: describeSubject(s), Props: list(append(props, ours("uid", s.UID))...),
		ImplementedComponents: list(o.ImplementedComponent{ComponentUuid: r.system.scopeID(r.input.Namespace)}),
	}
}

func (r *Results) reference(s posture.Subject, e posture.Entry) o.SubjectReference {
	kind := "inventory-item"
	if isComponent(s) {
		kind = "component"
	}
	collected, _ := r.confirmed(e)
	props := []o.Property{trestle(propSubject, assetID(s)), trestle(propTested, collected.Format(time.RFC3339Nano))}
	if word := trestleWord(e.Value); word != "" {
		props = append(props, trestle(propResult, word))
	}
	if e.Why != "" {
		props = append(props, trestle(propReason, e.Why))
	}
	return o.SubjectReference{SubjectUuid: r.subjectID(s), Type: kind, Title: assetID(s), Props: list(props...)}
}

// trestleWord is the verdict in the words that C2P knows. It has none for not-applicable.
func trestleWord(value engine.Value) string {
	switch value {
	case engine.Pass:
		return "pass"
	case engine.Fail:
		return "fail"
	case engine.NotApplicable:
		return ""
	case engine.Unknown:
		return "error"
	default:
		return "error"
	}
}

// observation is one verdict.
func (r *Results) observation(rule *engine.Rule, s posture.Subject, e posture.Entry) o.Observation {
	collected, expires := r.confirmed(e)
	description := fmt.Sprintf("%s: %s", describeSubject(s), e.Value)
	if e.Why != "" {
		description += ". " + e.Why
	}
	paths, versions := fieldPaths(e.Findings)
	evidence := o.RelevantEvidence{Description: "The decision, with the facts that decided it.", Href: "#" + r.evidenceID()}
	var props []o.Property
	for _, path := range paths {
		props = append(props, ours(propPath, path))
	}
	for _, version := range versions {
		props = append(props, ours(propVersion, version))
	}
	evidence.Props = list(props...)
	return o.Observation{
		UUID: r.observationID(s, e), Title: rule.ID, Description: description,
		Methods: []string{rule.Method}, Types: list("control-objective"),
		Collected: collected, Expires: &expires, Origins: byTool(),
		Props: list(
			trestle(propRule, rule.ID), trestle(propCheck, rule.Package),
			ours(propResult, string(e.Value)), ours(propMoment, e.Moment), ours(propSeverity, rule.Severity),
			ours(propRevision, e.Revision), ours(propSince, e.Since.UTC().Format(time.RFC3339Nano))),
		Subjects: list(r.reference(s, e)), RelevantEvidence: list(evidence),
	}
}

func (r *Results) ruleObservationID(rule string) string {
	return identify("observation", r.system.Cluster, "scope", r.input.Namespace, rule)
}

// ruleObservation is all verdicts of one rule: the scope as the subject that is counted, and by name what fails or is open.
func (r *Results) ruleObservation(rule *engine.Rule, seen *surveyed) o.Observation {
	worst := seen.counts.Verdict()
	if worst != engine.Fail && seen.worth().Unknown > 0 {
		worst = engine.Unknown
	}
	c := seen.counts
	named := len(seen.failing) + len(seen.open)
	description := fmt.Sprintf("%s. %d subjects: %d pass, %d fail, %d unknown, %d not applicable.", rule.Title, c.Total(), c.Pass, c.Fail, c.Unknown, c.NotApplicable)
	if left := c.Fail + seen.worth().Unknown - named; left > 0 {
		description += fmt.Sprintf(" The list is cut: %d more fail or are open; all are in the list of verdicts.", left)
	}
	subjects := []o.SubjectReference{{
		SubjectUuid: r.system.scopeID(r.input.Namespace), Type: "component", Title: scopeTitle(r.input.Namespace),
		Props: list(trestle(propSubject, scopeTitle(r.input.Namespace)), trestle(propTested, seen.oldest.Format(time.RFC3339Nano)),
			trestle(propResult, orText(trestleWord(worst), "pass"))),
	}}
	if worst == engine.NotApplicable {
		props := all(subjects[0].Props)
		subjects[0].Props = list(props[:2]...)
	}
	for _, s := range slices.Concat(seen.failing, seen.open) {
		subjects = append(subjects, r.reference(s, seen.entries[s]))
	}
	number := func(name string, n int) o.Property { return ours(name, strconv.Itoa(n)) }
	return o.Observation{
		UUID: r.ruleObservationID(rule.ID), Title: rule.ID, Description: description,
		Methods: []string{rule.Method}, Types: list("control-objective"),
		Collected: seen.oldest, Expires: ptr(seen.oldest.Add(r.system.Interval)), Origins: byTool(),
		Props: list(
			trestle(propRule, rule.ID), trestle(propCheck, rule.Package),
			ours(propResult, string(worst)), ours(propMoment, seen.moment), ours(propSeverity, rule.Severity),
			number(propPassCount, c.Pass), number(propFailCount, c.Fail), number(propUnknownCount, c.Unknown),
			number(propNotApplicableCount, c.NotApplicable), number(propExpiredCount, seen.expired), number(propPlannedCount, seen.planned)),
		Subjects: &subjects, RelevantEvidence: list(o.RelevantEvidence{Description: "All verdicts of the scope.", Href: "#" + r.evidenceID()}),
	}
}
