package engine

import "slices"

// Moments at which a subject is judged.
const (
	Admission = "admission"
	Plan      = "plan"
	Live      = "live"
)

// Rule is all that the rest of Cato knows of a rule; it comes from the metadata of the rule's package and
// from the compiler. A Rule is shared between goroutines and never changed.
type Rule struct {
	ID          string // unique and stable, such as NET-001
	Package     string // such as cato.rules.network.default_deny
	File        string
	Title       string
	Description string
	Topic       string // what is judged, in words of the field, such as network-isolation
	Severity    string // low, medium, high or critical
	Subjects    []string
	Controls    []Control
	Judges      []string // the moments at which its facts can exist
	Enforces    []string // the moments at which a fail stops the write: admission, plan or both
	Warns       []string // kinds for which a fail is warned of and stops nothing, unless the profile enforces the rule
	OnUnknown   string   // wait or report: whether an unknown holds back a plan
	Method      string   // TEST or EXAMINE, as NIST SP 800-53A has it
	Remediation string
	Parameters  []string // names below input.params that the rule reads
	// AlwaysApplies says that the rule has no not-applicable verdict.
	AlwaysApplies bool
	// Reads are the dotted paths of the input that the rule can read, through helpers, libraries and grants.
	// The empty path is the whole input.
	Reads []string
	// Fingerprint changes when the rule's module, or any module or data that it reaches, changes.
	Fingerprint string

	index       int
	judgedIsSet bool // judged needs no comprehension to be a set
}

// Control says which part of a NIST SP 800-53 control a rule tests.
type Control struct {
	ID         string   `json:"id"`         // such as sc-7
	Statements []string `json:"statements"` // such as sc-7_smt.a
	Objectives []string `json:"objectives"` // such as sc-7_obj.a-1
	Coverage   string   `json:"coverage"`   // partial (the default) or full: the named objectives are covered whole
	Remarks    string   `json:"remarks"`    // why the coverage is full
}

// Grant describes a privilege that only a grant package can give.
type Grant struct {
	Name        string // the last part of its package
	Package     string
	File        string
	Title       string
	Description string
	Source      string // where the grant comes from, such as an Offering's label
	OnRefusal   string // omit (built without the privilege) or refuse (nothing is written)
	Subjects    []string
	Reads       []string
	Fingerprint string
}

// JudgesAt reports whether the rule's facts can exist at the moment.
func (r *Rule) JudgesAt(moment string) bool { return slices.Contains(r.Judges, moment) }

// EnforcesAt reports whether a fail of the rule stops the write at the moment.
func (r *Rule) EnforcesAt(moment string) bool { return slices.Contains(r.Enforces, moment) }

// WarnsOf reports whether a fail on a subject of the kind is warned of where no profile says otherwise.
func (r *Rule) WarnsOf(kind string) bool { return slices.Contains(r.Warns, kind) }

// NeedsFacts reports whether the rule reads any of the groups, which are dotted paths of the input.
func (r *Rule) NeedsFacts(groups []string) bool {
	for _, group := range groups {
		if readsOverlap(r.Reads, group) {
			return true
		}
	}
	return false
}
