package oscal

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	o "github.com/defenseunicorns/go-oscal/src/types/oscal-1-2-2"

	"cato.dev/cato/compliance/catalog"
	"cato.dev/cato/policy/engine"
)

// CatalogHref is NIST's own OSCAL catalog of SP 800-53 Rev 5, the source that control ids refer to.
const CatalogHref = "https://raw.githubusercontent.com/usnistgov/oscal-content/main/nist.gov/SP800-53/rev5/json/NIST_SP-800-53_rev5_catalog.json"

// System is what every document of one installation has in common.
type System struct {
	Cluster      string // identity that outlives everything in it: the UID of namespace kube-system
	Version      string // of Cato
	OscalVersion string // one of Versions; empty is DefaultVersion
	// SSPHref leads to the system security plan, which its owner holds; empty says in the document that there is none.
	SSPHref string
	// Interval is the longest time between two confirmations of a verdict. After it a verdict is expired.
	Interval time.Duration
	// Catalog holds the controls that rules name.
	Catalog *catalog.Catalog
	// Rules in force, and the revision of the bundle that holds them.
	Rules    []*engine.Rule
	Revision string
	// Parameters in force: what rules read, and the organization-defined parameters that set the scope.
	Parameters map[string][]string
	// Assumptions that no API can confirm, one sentence each, such as that the network enforces NetworkPolicy.
	Assumptions []string
	// StandIns name what was not real when the evidence was taken, one sentence each. Empty in production.
	StandIns []string
}

// normal fills defaults, sorts the rules and refuses a System that cannot be written.
func (s System) normal() (System, error) {
	if s.OscalVersion == "" {
		s.OscalVersion = DefaultVersion
	}
	errs := []error{CheckVersion(s.OscalVersion)}
	if s.Cluster == "" {
		errs = append(errs, errors.New("cluster identity: empty; give the UID of namespace kube-system"))
	}
	if s.Catalog == nil {
		errs = append(errs, errors.New("catalog: missing"))
	}
	if len(s.Rules) == 0 {
		errs = append(errs, errors.New("rules: none in force; a document without rules says nothing"))
	}
	if s.Interval < time.Second || s.Interval%time.Second != 0 {
		errs = append(errs, fmt.Errorf("confirmation interval %s: must be whole seconds, at least one", s.Interval))
	}
	if _, err := url.Parse(s.SSPHref); err != nil {
		errs = append(errs, fmt.Errorf("href of the SSP: %w", err))
	}
	s.Version = orText(s.Version, "unversioned")
	s.Revision = orText(s.Revision, "unknown")
	s.Rules = slices.Clone(s.Rules)
	slices.SortFunc(s.Rules, func(a, b *engine.Rule) int { return strings.Compare(a.ID, b.ID) })
	return s, errors.Join(errs...)
}

func (s System) metadata(title, version string, modified time.Time, remarks ...string) o.Metadata {
	return o.Metadata{
		Title: title, Version: version, OscalVersion: s.OscalVersion, LastModified: modified.UTC(),
		Props:   list(ours(propRevision, s.Revision)),
		Remarks: strings.Join(slices.Concat(s.caveats(), remarks), "\n\n"),
	}
}

// caveats are printed in every document that rests on them.
func (s System) caveats() []string {
	var paragraphs []string
	for _, a := range s.Assumptions {
		paragraphs = append(paragraphs, "Assumption: "+a)
	}
	for _, a := range s.StandIns {
		paragraphs = append(paragraphs, "Stand-in: "+a)
	}
	return paragraphs
}

const (
	toolTitle    = "Cato"
	toolText     = "Kubernetes operator for tenants and virtual machines. It writes isolation and hardening, and judges what is there."
	checkerTitle = "Cato rules"
	checkerText  = "Rules in Rego, evaluated by an embedded Open Policy Agent on admission, before writing and on live objects."
)

func toolID() string    { return identify("component", toolTitle) }
func checkerID() string { return identify("component", checkerTitle) }

func (s System) tools() []o.SystemComponent {
	component := func(id, kind, title, description string) o.SystemComponent {
		return o.SystemComponent{
			UUID: id, Type: kind, Title: title, Description: description,
			Props:  list(o.Property{Name: "software-version", Value: oneLine(s.Version)}),
			Status: o.SystemComponentStatus{State: "operational"},
		}
	}
	return []o.SystemComponent{
		component(toolID(), "software", toolTitle, toolText),
		component(checkerID(), "validation", checkerTitle, checkerText),
	}
}

// byTool is the origin of everything that was observed.
func byTool() *[]o.Origin {
	return list(o.Origin{Actors: []o.OriginActor{{Type: "tool", ActorUuid: toolID()}}})
}

// scopeID is the component that stands for a namespace or the whole cluster.
func (s System) scopeID(namespace string) string {
	return identify("component", s.Cluster, "scope", namespace)
}

func scopeTitle(namespace string) string {
	if namespace == "" {
		return "Cluster"
	}
	return "Namespace " + namespace
}

func (s System) scopeComponent(namespace string) o.SystemComponent {
	return o.SystemComponent{
		UUID: s.scopeID(namespace), Type: "system", Title: scopeTitle(namespace),
		Description: scopeTitle(namespace) + " of the cluster with identity " + oneLine(s.Cluster) + ".",
		Status:      o.SystemComponentStatus{State: "operational"},
	}
}

func ours(name, value string) o.Property {
	return o.Property{Name: name, Value: oneLine(value), Ns: Ns}
}

func trestle(name, value string) o.Property {
	return o.Property{Name: name, Value: oneLine(value), Ns: TrestleNs}
}

// oneLine makes a value of a property: no line break, no space at its ends, not empty.
func oneLine(s string) string { return orText(strings.Join(strings.Fields(s), " "), "none") }

func orText(s, fallback string) string {
	if strings.TrimSpace(s) == "" {
		return fallback
	}
	return s
}
