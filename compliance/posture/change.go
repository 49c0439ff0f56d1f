package posture

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// changes collects what one call alters, so that readers see all of it or nothing.
type changes struct {
	swaps []swap
	swept bool
}

type swap struct {
	old, next *held // nil: not there
	merged    merged
}

func (c *changes) replace(old, next *held, m merged) {
	c.swaps = append(c.swaps, swap{old, next, m})
}

// apply makes the changes that plan asks for, writes them and tells the hooks. plan reads the store's maps; they
// stand still meanwhile.
func (s *Store) apply(at time.Time, plan func(*changes)) ([]Transition, error) {
	if at.Year() < 1970 || at.Year() > 2261 {
		return nil, fmt.Errorf("posture: time %s: must lie between 1970 and 2261", at.Format(time.RFC3339))
	}
	s.change.Lock()
	var c changes
	plan(&c)
	if len(c.swaps) == 0 && !c.swept {
		defer s.change.Unlock()
		return nil, nil
	}
	transitions, touched := s.swap(&c, at)
	err := s.write()
	hooks := slices.Clone(s.hooks)
	s.change.Unlock()
	for _, hook := range hooks {
		hook(touched)
	}
	return transitions, err
}

// swap puts the new state in place and returns the transitions and the namespaces touched.
func (s *Store) swap(c *changes, at time.Time) ([]Transition, []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var transitions []Transition
	touched := map[string]bool{}
	for _, w := range c.swaps {
		for _, t := range w.merged.transitions {
			s.sequence++
			t.Sequence = s.sequence
			if t.To == "" {
				t.Time = at.UTC()
			}
			transitions = append(transitions, t)
		}
		number(w, transitions)
		s.index(w)
		for _, h := range []*held{w.old, w.next} {
			if h != nil {
				touched[h.subject.Scope()] = true
			}
		}
	}
	s.history.add(transitions)
	s.todo.transitions = append(s.todo.transitions, transitions...)
	s.marks(c, touched, at)
	return transitions, slices.Sorted(maps.Keys(touched))
}

// number gives the new records the sequence numbers of the transitions that made them.
func number(w swap, transitions []Transition) {
	if w.next == nil {
		return
	}
	own := transitions[len(transitions)-len(w.merged.transitions):]
	byRule := make(map[string]int64, len(own))
	for _, t := range own {
		if t.To != "" {
			byRule[t.Rule] = t.Sequence
		}
	}
	for i := range w.next.records {
		if n, ok := byRule[w.next.records[i].rule.Value()]; ok {
			w.next.records[i].sequence = n
		}
	}
}

// marks notes the position of each scope that was touched. A change without a transition (new evidence for the
// same verdict) takes a number of its own.
func (s *Store) marks(c *changes, touched map[string]bool, at time.Time) {
	s.sequence++
	now := mark{s.sequence, at.UnixNano()}
	if c.swept {
		s.sweep = now
		s.todo.evidence = true
		for name := range s.scopes {
			touched[name] = true
		}
	}
	for name := range touched {
		if name == "" || s.tallies[name] == nil {
			continue
		}
		if !c.swept {
			s.changes[name] = now
			s.todo.scopes[name] = true
		}
	}
	if !c.swept {
		s.changes[""] = now
		s.todo.scopes[""] = true
	}
}

// index moves a subject's place in the maps and its share of the counts from old to next.
func (s *Store) index(w swap) {
	if w.old != nil {
		s.tallies[""].add(w.old, -1)
		s.scopeAdd(w.old, -1)
		s.drop(w.old)
	}
	switch {
	case w.next == nil:
		s.todo.gone[w.old.id] = true
		return
	case w.old == nil:
		s.lastID++
		w.next.id = s.lastID
	default:
		w.next.id = w.old.id
	}
	s.tallies[""].add(w.next, 1)
	s.scopeAdd(w.next, 1)
	s.insert(w.next)
	if w.old == nil || w.old.subject != w.next.subject {
		s.todo.subjects[w.next.id] = w.next.subject.key()
	}
	for _, rule := range w.merged.changed {
		s.todo.rows[row{w.next.id, rule}] = w.next.subject.key()
	}
}

func (s *Store) scopeAdd(h *held, sign int) {
	name := h.subject.Scope()
	if name == "" {
		return
	}
	t := s.tallies[name]
	if t == nil {
		t = newTally()
		s.tallies[name] = t
	}
	t.add(h, sign)
}

func (s *Store) insert(h *held) {
	s.subjects[h.subject.key()] = h
	name := h.subject.Scope()
	i, _ := slices.BinarySearchFunc(s.scopes[name], h.subject.key(), compareHeld)
	s.scopes[name] = slices.Insert(s.scopes[name], i, h)
}

func (s *Store) drop(h *held) {
	delete(s.subjects, h.subject.key())
	name := h.subject.Scope()
	if i, ok := slices.BinarySearchFunc(s.scopes[name], h.subject.key(), compareHeld); ok {
		s.scopes[name] = slices.Delete(s.scopes[name], i, i+1)
	}
	if len(s.scopes[name]) > 0 {
		return
	}
	delete(s.scopes, name)
	if name != "" { // a namespace without subjects has no figures, and leaves none behind
		delete(s.tallies, name)
		delete(s.changes, name)
		s.todo.scopes[name] = true
	}
}

func compareHeld(h *held, k key) int { return compareKeys(h.subject.key(), k) }
