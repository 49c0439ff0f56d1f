package oscal

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	o "github.com/defenseunicorns/go-oscal/src/types/oscal-1-2-2"

	"cato.dev/cato/policy/engine"
)

// AssessmentPlan says what is assessed in a namespace, or with "" in the cluster, how and how often: one activity
// a rule, one task that repeats them all. Modified is when the rule set was taken into use.
func AssessmentPlan(system System, namespace string, modified time.Time) (*o.OscalModels, error) {
	s, err := system.normal()
	if err != nil {
		return nil, fmt.Errorf("assessment-plan: %w", err)
	}
	activities := make([]o.Activity, 0, len(s.Rules))
	associated := make([]o.AssociatedActivity, 0, len(s.Rules))
	for _, rule := range s.Rules {
		activity := s.activity(rule)
		activities = append(activities, activity)
		associated = append(associated, o.AssociatedActivity{
			ActivityUuid: activity.UUID,
			Subjects: []o.AssessmentSubject{{
				Type: "inventory-item", IncludeAll: &o.IncludeAll{},
				Description: "Every " + strings.Join(rule.Subjects, ", ") + " in scope, as it comes and goes.",
			}},
		})
	}
	plan := &o.AssessmentPlan{
		UUID:             identify("plan", s.Cluster, namespace),
		Metadata:         s.metadata("Assessment plan: "+scopeTitle(namespace), s.Revision, modified),
		ReviewedControls: reviewed(s.Rules, objectivesOf(s.Rules), "What the rules in force evaluate."),
		LocalDefinitions: &o.LocalDefinitions{
			Components: list(s.scopeComponent(namespace)), Activities: list(activities...),
		},
		AssessmentSubjects: list(o.AssessmentSubject{
			Type: "component", Description: "The scope, and within it every object that a rule judges.",
			IncludeSubjects: list(o.SelectSubjectById{Type: "component", SubjectUuid: s.scopeID(namespace)}),
		}),
		AssessmentAssets: &o.AssessmentAssets{
			Components: list(s.tools()...),
			AssessmentPlatforms: []o.AssessmentPlatform{{
				UUID: identify("platform", s.Cluster), Title: "Cato in the assessed cluster",
				UsesComponents: list(o.UsesComponent{ComponentUuid: toolID()}, o.UsesComponent{ComponentUuid: checkerID()}),
			}},
		},
		Tasks: list(o.Task{
			UUID: identify("task", s.Cluster, namespace), Type: "action", Title: "Continuous assessment",
			Description: "Each change is judged as it is seen. Besides, everything is listed and judged anew at this frequency.",
			Timing:      &o.EventTiming{AtFrequency: frequency(s.Interval)}, AssociatedActivities: list(associated...),
		}),
		TermsAndConditions: &o.AssessmentPlanTermsAndConditions{Parts: list(s.terms()...)},
	}
	plan.ImportSsp.Href = s.SSPHref
	if s.SSPHref == "" {
		none := identify("resource", s.Cluster, "ssp")
		plan.ImportSsp.Href = "#" + none
		plan.BackMatter = &o.BackMatter{Resources: list(noSSP(none))}
	}
	return &o.OscalModels{AssessmentPlan: plan}, nil
}

// noSSP is the resource that says that the plan was made without a machine-readable SSP.
func noSSP(id string) o.Resource {
	return o.Resource{
		UUID: id, Title: "System security plan",
		Description: "The owner of the system holds it; no OSCAL form of it was named to Cato.",
		Props:       list(o.Property{Name: "type", Value: "no-oscal-ssp", Ns: FedrampNs}),
	}
}

func (s System) activity(rule *engine.Rule) o.Activity {
	steps := []o.Step{}
	moment := engine.Live
	if !rule.JudgesAt(moment) {
		moment = engine.Plan
	}
	steps = append(steps, o.Step{
		UUID: identify("step", rule.ID, moment), Title: rule.Package,
		Description: "Evaluate the rule over the facts of each subject, at moment " + moment + ". What cannot be determined is unknown and never a pass.",
	})
	return o.Activity{
		UUID: identify("activity", rule.ID), Title: rule.ID, Description: rule.Title + ". " + oneLine(rule.Description),
		Props: list(
			o.Property{Name: "method", Value: rule.Method},
			trestle(propRule, rule.ID), trestle(propCheck, rule.Package), ours(propSeverity, rule.Severity), ours(propMoment, moment)),
		RelatedControls: ptr(reviewed([]*engine.Rule{rule}, objectivesOf([]*engine.Rule{rule}), "")),
		Steps:           list(steps...),
	}
}

func ptr[T any](v T) *T { return &v }

// terms are the parts that OSCAL names: how it is done, what is taken for granted, what was not real.
func (s System) terms() []o.AssessmentPart {
	parts := []o.AssessmentPart{{
		Name: "methodology", UUID: identify("term", s.Cluster, "methodology"), Title: "Methodology",
		Prose: "One rule set judges what users ask for, what is about to be written and what is there. TEST judges live objects, EXAMINE what was declared. An objective is satisfied only where rules cover it whole and every subject passes.",
	}}
	for name, sentences := range map[string][]string{"assumptions": s.Assumptions, "disclosures": s.StandIns} {
		if len(sentences) > 0 {
			parts = append(parts, o.AssessmentPart{
				Name: name, UUID: identify("term", s.Cluster, name), Title: strings.ToUpper(name[:1]) + name[1:],
				Prose: strings.Join(sentences, "\n\n"),
			})
		}
	}
	slices.SortFunc(parts, func(a, b o.AssessmentPart) int { return strings.Compare(a.Name, b.Name) })
	return parts
}

// frequency is the interval in the largest unit that divides it; OSCAL knows seconds to days here.
func frequency(interval time.Duration) *o.FrequencyCondition {
	for _, unit := range []struct {
		name string
		size time.Duration
	}{{"days", 24 * time.Hour}, {"hours", time.Hour}, {"minutes", time.Minute}} {
		if interval%unit.size == 0 {
			return &o.FrequencyCondition{Period: int(interval / unit.size), Unit: unit.name}
		}
	}
	return &o.FrequencyCondition{Period: int(interval / time.Second), Unit: "seconds"}
}

// reviewed lists the controls of the rules with the statements that they test, and these objectives.
func reviewed(rules []*engine.Rule, objectives []string, description string) o.ReviewedControls {
	statements := map[string]map[string]bool{}
	for _, rule := range rules {
		for _, control := range rule.Controls {
			if statements[control.ID] == nil {
				statements[control.ID] = map[string]bool{}
			}
			for _, id := range control.Statements {
				statements[control.ID][id] = true
			}
		}
	}
	var controls []o.AssessedControlsSelectControlById
	for _, control := range controlsOf(rules) {
		controls = append(controls, o.AssessedControlsSelectControlById{
			ControlId: control, StatementIds: list(slices.SortedFunc(maps.Keys(statements[control]), naturally)...),
		})
	}
	r := o.ReviewedControls{
		Description:       description,
		ControlSelections: []o.AssessedControls{{IncludeControls: list(controls...)}},
	}
	var selected []o.SelectObjectiveById
	for _, id := range objectives {
		selected = append(selected, o.SelectObjectiveById{ObjectiveId: id})
	}
	if len(selected) > 0 {
		r.ControlObjectiveSelections = list(o.ReferencedControlObjectives{IncludeObjectives: &selected})
	}
	return r
}

func objectivesOf(rules []*engine.Rule) []string {
	seen := map[string]bool{}
	for _, rule := range rules {
		for _, control := range rule.Controls {
			for _, id := range control.Objectives {
				seen[id] = true
			}
		}
	}
	return slices.SortedFunc(maps.Keys(seen), naturally)
}
