package assessment

import (
	"slices"
	"sync"
	"time"
)

// everything is the group of facts that stands for the whole document.
const everything = ""

// touched is what the events since the last judgement changed.
type touched struct {
	groups []string  // dotted paths of the input document, sorted; everything among them is all
	since  time.Time // of the first event
}

func (t touched) whole() bool { return len(t.groups) == 0 || slices.Contains(t.groups, everything) }

// pending collects what changed for each subject until a worker takes it. The
// work queue holds a subject once, however many events touch it.
type pending struct {
	mu  sync.Mutex
	all map[Subject]touched
}

func newPending() *pending { return &pending{all: map[Subject]touched{}} }

func (p *pending) add(subject Subject, at time.Time, groups ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t, known := p.all[subject]
	if !known || at.Before(t.since) {
		t.since = at
	}
	t.groups = slices.Compact(slices.Sorted(slices.Values(append(t.groups, groups...))))
	p.all[subject] = t
}

func (p *pending) take(subject Subject) touched {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.all[subject]
	delete(p.all, subject)
	return t
}
