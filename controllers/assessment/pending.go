package assessment

import (
	"context"
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
	mu   sync.Mutex
	all  map[Subject]touched
	busy map[Subject]bool // taken and not yet done
}

func newPending() *pending {
	return &pending{all: map[Subject]touched{}, busy: map[Subject]bool{}}
}

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
	p.busy[subject] = true
	return t
}

func (p *pending) done(subject Subject) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.busy, subject)
}

// settled waits until none of the subjects is waiting or being judged; false
// when the context ended before.
func (p *pending) settled(ctx context.Context, subjects []Subject) bool {
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for !p.idle(subjects) {
		select {
		case <-ctx.Done():
			return false
		case <-ticker.C:
		}
	}
	return true
}

func (p *pending) idle(subjects []Subject) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, subject := range subjects {
		if _, waiting := p.all[subject]; waiting || p.busy[subject] {
			return false
		}
	}
	return true
}
