package engine

import (
	"maps"
	"slices"
)

// Set is one loaded bundle: its rules, its grants and their prepared queries. It never changes.
type Set struct {
	// Revision is a short SHA-256 over the live modules and data.
	Revision string

	modules     []*module
	compilation compilation
	rules       []*Rule // in the order of their ids
	byID        map[string]*Rule
	choices     map[selection]choice
	grants      map[string]*grant
	audit       queries
	admission   queries
	observer    Observer
}

// Rules returns all rules in the order of their ids.
func (s *Set) Rules() []*Rule { return slices.Clone(s.rules) }

// Rule returns the rule of an id.
func (s *Set) Rule(id string) (*Rule, bool) {
	r, found := s.byID[id]
	return r, found
}

// RulesFor returns the rules that judge a kind at some moment, in the order of their ids.
func (s *Set) RulesFor(kind string) []*Rule {
	return slices.DeleteFunc(s.Rules(), func(r *Rule) bool { return !slices.Contains(r.Subjects, kind) })
}

// Kinds returns the kinds that any rule judges, sorted.
func (s *Set) Kinds() []string {
	kinds := set{}
	for _, r := range s.rules {
		for _, kind := range r.Subjects {
			kinds[kind] = true
		}
	}
	return kinds.sorted()
}

// Grants returns all grants in the order of their names.
func (s *Set) Grants() []Grant {
	var grants []Grant
	for _, name := range slices.Sorted(maps.Keys(s.grants)) {
		grants = append(grants, s.grants[name].Grant)
	}
	return grants
}

// ChangedSince returns the rules that another Set does not have with the same fingerprint: after a swap, only
// these need to be judged again.
func (s *Set) ChangedSince(old *Set) []*Rule {
	return slices.DeleteFunc(s.Rules(), func(r *Rule) bool {
		before, found := old.byID[r.ID]
		return found && before.Fingerprint == r.Fingerprint
	})
}

// at returns the queries for a moment.
func (s *Set) at(moment string) queries {
	if moment == Admission {
		return s.admission
	}
	return s.audit
}
