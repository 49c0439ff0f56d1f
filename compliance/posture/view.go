package posture

import (
	"maps"
	"slices"
	"time"
	"unique"

	"cato.dev/cato/policy/engine"
)

// View is the posture of one scope at one instant. It never changes and holds no lock: a document may be
// streamed from it for as long as its reader takes, and its counts agree with its entries.
type View struct {
	tally    Tally
	position Position
	held     []*held // sorted by key
}

// held is a subject with its verdicts. It is replaced, never changed, so that views can share it.
type held struct {
	id      int64 // of its row in the file
	subject Subject
	records []record // sorted by rule id
}

// View returns the posture of a namespace, or with "" of the whole cluster. The cost is one pointer a subject.
func (s *Store) View(namespace string) View {
	s.mu.RLock()
	defer s.mu.RUnlock()
	v := View{tally: s.tallies[namespace].export(), position: s.position(namespace)}
	if namespace != "" {
		v.held = slices.Clone(s.scopes[namespace])
		return v
	}
	v.held = make([]*held, 0, len(s.subjects))
	for _, scope := range s.scopeNames() {
		v.held = append(v.held, s.scopes[scope]...)
	}
	return v
}

// Each calls f for each subject and rule, sorted by scope, namespace, kind, name and rule id, until f returns false.
func (v View) Each(f func(Subject, Entry) bool) {
	for _, h := range v.held {
		for i := range h.records {
			if !f(h.subject, h.records[i].entry()) {
				return
			}
		}
	}
}

// EachValues calls f with each subject and a look-up of its verdicts by rule id (empty: none), in the order of Each,
// until f returns false. It leaves out the texts, which cost more to read than all else.
func (v View) EachValues(f func(subject Subject, value func(rule string) engine.Value) bool) {
	for _, h := range v.held {
		value := func(rule string) engine.Value {
			if r := h.find(unique.Make(rule)); r != nil {
				return r.value
			}
			return ""
		}
		if !f(h.subject, value) {
			return
		}
	}
}

// EachRevision calls f with the revision of the rules behind each verdict.
func (v View) EachRevision(f func(revision string)) {
	for _, h := range v.held {
		for i := range h.records {
			f(h.records[i].revision.Value())
		}
	}
}

// EachSubject calls f with each subject and all its entries, in the order of Each, until f returns false.
func (v View) EachSubject(f func(Subject, []Entry) bool) {
	for _, h := range v.held {
		if !f(h.subject, h.entries()) {
			return
		}
	}
}

// Subjects returns the subjects in the order of Each.
func (v View) Subjects() []Subject {
	subjects := make([]Subject, len(v.held))
	for i, h := range v.held {
		subjects[i] = h.subject
	}
	return subjects
}

// Kinds returns the kinds of the subjects, sorted.
func (v View) Kinds() []string {
	kinds := map[string]bool{}
	for _, subject := range v.Subjects() {
		kinds[subject.Kind] = true
	}
	return slices.Sorted(maps.Keys(kinds))
}

// Tally returns the counts of this view; the maps are not to be written to.
func (v View) Tally() Tally { return v.tally }

// Position tells how far the content of this view has come.
func (v View) Position() Position { return v.position }

// Subjects returns the subjects of a namespace, or with "" of the whole cluster, sorted.
func (s *Store) Subjects(namespace string) []Subject { return s.View(namespace).Subjects() }

// Each calls f for each subject and rule of View(namespace).
func (s *Store) Each(namespace string, f func(Subject, Entry) bool) { s.View(namespace).Each(f) }

// Verdicts returns the entries of the subject sorted by rule id, and the subject as it is known; false when it
// is not known. Only namespace, kind, name and apiVersion of the argument are looked at.
func (s *Store) Verdicts(subject Subject) ([]Entry, bool) {
	s.mu.RLock()
	h := s.subjects[subject.key()]
	s.mu.RUnlock()
	if h == nil {
		return nil, false
	}
	return h.entries(), true
}

// Subject returns the subject of the argument's namespace, kind, name and apiVersion as it is known, with its UID;
// false when it is not known.
func (s *Store) Subject(subject Subject) (Subject, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	h := s.subjects[subject.key()]
	if h == nil {
		return Subject{}, false
	}
	return h.subject, true
}

// Tally returns the counts of a namespace, or with "" of the whole cluster, without walking the subjects.
func (s *Store) Tally(namespace string) Tally {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.tallies[namespace].export()
}

// Namespaces returns the namespaces that have subjects, sorted.
func (s *Store) Namespaces() []string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.DeleteFunc(s.scopeNames(), func(name string) bool { return name == "" })
}

// Position tells how far the content of a namespace, or with "" of the whole cluster, has come.
func (s *Store) Position(namespace string) Position {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.position(namespace)
}

// Continuity says since when the record is unbroken.
func (s *Store) Continuity() Continuity {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.continuity
}

// Transitions returns those with a sequence number above after, oldest first, at most limit (0 for all that are
// kept). Only the last HistoryLimit transitions are kept.
func (s *Store) Transitions(after int64, limit int) []Transition {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.history.after(after, limit)
}

// OldestEvidence returns for each watched kind when the watch behind its verdicts last proved to be whole: the
// oldest of its namespaces' watches.
func (s *Store) OldestEvidence() map[string]time.Time {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.evidence.oldest()
}
