package oscal

import (
	"fmt"
	"maps"
	"slices"
	"time"

	o "github.com/defenseunicorns/go-oscal/src/types/oscal-1-2-2"

	"cato.dev/cato/compliance/catalog"
	"cato.dev/cato/policy/engine"
)

// ComponentDefinition describes Cato by its rules, in the convention of compliance-trestle: one group of
// properties a rule on the component, requirements and statements that name the rules, and a second component of
// type validation that says which check evaluates a rule. Modified is when the rule set was taken into use.
func ComponentDefinition(system System, modified time.Time) (*o.OscalModels, error) {
	s, err := system.normal()
	if err != nil {
		return nil, fmt.Errorf("component-definition: %w", err)
	}
	source := identify("resource", "catalog")
	var described, checked []o.Property
	for i, rule := range s.Rules {
		group := fmt.Sprintf("rule_set_%02d", i)
		described = append(described, grouped(group, s.ruleProps(rule)...)...)
		checked = append(checked, grouped(group,
			trestle("Rule_Id", rule.ID), trestle("Check_Id", rule.Package), trestle("Check_Description", rule.Title))...)
	}
	return &o.OscalModels{ComponentDefinition: &o.ComponentDefinition{
		UUID:     identify("component-definition", toolTitle),
		Metadata: s.metadata("Cato: rules for tenants and virtual machines", s.Revision, modified),
		Components: list(
			o.DefinedComponent{
				UUID: toolID(), Type: "software", Title: toolTitle, Description: toolText, Props: list(described...),
				ControlImplementations: list(o.ControlImplementationSet{
					UUID: identify("set", toolTitle, catalog.Framework), Source: "#" + source,
					Description:             "What Cato's rules test of NIST SP 800-53 Rev 5.",
					Props:                   list(trestle("Framework_Short_Name", catalog.Framework)),
					SetParameters:           list(s.setParameters()...),
					ImplementedRequirements: s.requirements(),
				}),
			},
			o.DefinedComponent{
				UUID: checkerID(), Type: "validation", Title: checkerTitle, Description: checkerText, Props: list(checked...),
			}),
		BackMatter: &o.BackMatter{Resources: list(o.Resource{
			UUID: source, Title: "NIST SP 800-53 Rev 5", Description: "The catalog that control, statement and parameter ids refer to.",
			Rlinks: list(o.ResourceLink{Href: CatalogHref, MediaType: "application/json"}),
		})},
	}}, nil
}

// grouped ties properties of one rule together: by remarks for trestle and the SDK, by group for other readers.
func grouped(group string, props ...o.Property) []o.Property {
	for i := range props {
		props[i].Group, props[i].Remarks = group, group
	}
	return props
}

func (s System) ruleProps(rule *engine.Rule) []o.Property {
	props := []o.Property{trestle("Rule_Id", rule.ID), trestle("Rule_Description", rule.Title+": "+rule.Description)}
	parameters := slices.Sorted(slices.Values(rule.Parameters))
	for i, name := range parameters {
		suffix := ""
		if len(parameters) > 1 {
			suffix = fmt.Sprintf("_%d", i+1)
		}
		props = append(props, trestle("Parameter_Id"+suffix, name),
			trestle("Parameter_Description"+suffix, "Parameter "+name+" of the ComplianceProfile in force."))
	}
	props = append(props, ours("topic", rule.Topic), ours(propSeverity, rule.Severity))
	for _, moment := range []string{engine.Admission, engine.Plan, engine.Live} {
		if rule.JudgesAt(moment) {
			props = append(props, ours(propMoment, moment))
		}
		if rule.EnforcesAt(moment) {
			props = append(props, ours("enforces", moment))
		}
	}
	return props
}

// setParameters carries the values in force. OSCAL has no empty list: it is written as none, with remarks.
func (s System) setParameters() []o.SetParameter {
	var set []o.SetParameter
	for _, name := range slices.Sorted(maps.Keys(s.Parameters)) {
		p := o.SetParameter{ParamId: name}
		for _, value := range s.Parameters[name] {
			p.Values = append(p.Values, oneLine(value))
		}
		if len(p.Values) == 0 {
			p.Values, p.Remarks = []string{"none"}, "The list is empty."
		}
		set = append(set, p)
	}
	return set
}

// requirements has one entry a control, in the order of the publication.
func (s System) requirements() []o.ImplementedRequirementControlImplementation {
	var requirements []o.ImplementedRequirementControlImplementation
	for _, control := range controlsOf(s.Rules) {
		requirement := o.ImplementedRequirementControlImplementation{
			UUID: identify("requirement", toolTitle, catalog.Framework, control), ControlId: control,
		}
		status, described := "partial", "Some of its objectives are tested"
		if s.whole(control) {
			status, described = "implemented", "All of its objectives are tested whole"
		}
		props := []o.Property{{Name: "implementation-status", Value: status}}
		statements := map[string][]o.Property{}
		for _, rule := range s.Rules {
			for _, part := range rule.Controls {
				if part.ID != control {
					continue
				}
				props = append(props, trestle("Rule_Id", rule.ID), ours(propCoverage, part.Coverage))
				for _, id := range part.Statements {
					statements[id] = append(statements[id], trestle("Rule_Id", rule.ID))
				}
			}
		}
		requirement.Props = list(distinct(props)...)
		requirement.Description = described + " by the rules named here, on live objects and before they are written."
		requirement.Statements = list(s.statements(statements)...)
		requirements = append(requirements, requirement)
	}
	return requirements
}

func (s System) statements(rules map[string][]o.Property) []o.ControlStatementImplementation {
	var statements []o.ControlStatementImplementation
	for _, id := range slices.SortedFunc(maps.Keys(rules), naturally) {
		statements = append(statements, o.ControlStatementImplementation{
			UUID:        identify("statement", toolTitle, catalog.Framework, controlOf(id), id),
			StatementId: id, Description: "The rules named here test a part of this statement.",
			Props: list(distinct(rules[id])...),
		})
	}
	return statements
}

// whole reports whether full rules cover all objectives of the control that nothing refines.
func (s System) whole(control string) bool {
	leaves := s.Catalog.Leaves(control)
	for _, leaf := range leaves {
		if !slices.ContainsFunc(s.Rules, func(r *engine.Rule) bool { full, _ := covers(r, leaf); return full }) {
			return false
		}
	}
	return len(leaves) > 0
}

// controlsOf are the controls that the rules name, each once, in the order of the publication.
func controlsOf(rules []*engine.Rule) []string {
	seen := map[string]bool{}
	for _, rule := range rules {
		for _, control := range rule.Controls {
			seen[control.ID] = true
		}
	}
	return slices.SortedFunc(maps.Keys(seen), naturally)
}

func distinct(props []o.Property) []o.Property {
	var kept []o.Property
	for _, p := range props {
		if !slices.Contains(kept, p) {
			kept = append(kept, p)
		}
	}
	return kept
}
