package posture

import (
	"slices"
	"time"
	"unique"
)

// tally is kept up to date by differences, never by a walk.
type tally struct {
	rules map[unique.Handle[string]]*Counts
	kinds map[string]int
}

func newTally() *tally {
	return &tally{rules: map[unique.Handle[string]]*Counts{}, kinds: map[string]int{}}
}

// add counts the subject (sign 1) or takes it away (sign -1); what comes to nothing leaves no trace.
func (t *tally) add(h *held, sign int) {
	t.kinds[h.subject.Kind] += sign
	if t.kinds[h.subject.Kind] == 0 {
		delete(t.kinds, h.subject.Kind)
	}
	for i := range h.records {
		r := &h.records[i]
		c := t.rules[r.rule]
		if c == nil {
			c = &Counts{}
			t.rules[r.rule] = c
		}
		c.add(r.value, sign)
		if c.Total() == 0 {
			delete(t.rules, r.rule)
		}
	}
}

// export copies the counts; it serves a nil receiver, a namespace without subjects.
func (t *tally) export() Tally {
	out := Tally{Rules: map[string]Counts{}, Kinds: map[string]int{}}
	if t == nil {
		return out
	}
	for rule, c := range t.rules {
		out.Rules[rule.Value()] = *c
	}
	for kind, n := range t.kinds {
		out.Kinds[kind] = n
	}
	return out
}

// HistoryLimit is the number of transitions that are kept, in memory and in the file. The journal keeps all.
const HistoryLimit = 5000

// history is sorted by sequence number.
type history []Transition

func (h *history) add(transitions []Transition) {
	*h = append(*h, transitions...)
	if len(*h) >= 2*HistoryLimit { // copied once in HistoryLimit transitions, so that old ones can be freed
		*h = slices.Clone((*h)[len(*h)-HistoryLimit:])
	}
}

// kept is the part within the limit.
func (h history) kept() history { return h[max(0, len(h)-HistoryLimit):] }

func (h history) after(sequence int64, limit int) []Transition {
	kept := h.kept()
	i, _ := slices.BinarySearchFunc(kept, sequence+1, func(t Transition, n int64) int { return int(t.Sequence - n) })
	kept = kept[i:]
	if limit > 0 && limit < len(kept) {
		kept = kept[:limit]
	}
	return slices.Clone(kept)
}

// watch is a kind, of one namespace or "" of the whole cluster.
type watch struct{ kind, namespace string }

type evidence map[watch]time.Time

// confirm moves the time forward only: a late confirmation does not make newer evidence older.
func (e evidence) confirm(w watch, at time.Time) {
	if at.After(e[w]) {
		e[w] = at.UTC()
	}
}

func (e evidence) oldest() map[string]time.Time {
	oldest := map[string]time.Time{}
	for w, at := range e {
		if known, ok := oldest[w.kind]; !ok || at.Before(known) {
			oldest[w.kind] = at
		}
	}
	return oldest
}
