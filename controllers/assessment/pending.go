package assessment

import (
	"slices"
	"sync"
	"time"
)

// everything is the group of facts that stands for the whole document.
const everything = ""

// touched is what was asked for since the last judgement.
type touched struct {
	groups []string  // dotted paths of the input document, sorted; everything among them is all
	since  time.Time // of the first event; zero when none asked but a sweep or a start
	sweep  int       // the last sweep that asked, zero without one
}

func (t touched) whole() bool { return len(t.groups) == 0 || slices.Contains(t.groups, everything) }

func (t touched) and(other touched) touched {
	if t.since.IsZero() || !other.since.IsZero() && other.since.Before(t.since) {
		t.since = other.since
	}
	t.groups = slices.Compact(slices.Sorted(slices.Values(slices.Concat(t.groups, other.groups))))
	t.sweep = max(t.sweep, other.sweep)
	return t
}

// pending collects what changed for each subject until a worker takes it. The
// work queue holds a subject once, however many events touch it.
type pending struct {
	mu    sync.Mutex
	all   map[Subject]touched
	sweep int              // number of the present sweep
	left  map[Subject]bool // subjects of the sweep that are not judged yet
	swept chan struct{}    // closed when none is left
}

func newPending() *pending {
	return &pending{all: map[Subject]touched{}, left: map[Subject]bool{}}
}

// add notes an event on a subject; a zero time is not an event.
func (p *pending) add(subject Subject, at time.Time, groups ...string) {
	p.put(subject, touched{groups: groups, since: at})
}

// put notes what is to be judged, beside what waits already.
func (p *pending) put(subject Subject, t touched) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all[subject] = p.all[subject].and(t)
}

func (p *pending) take(subject Subject) touched {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.all[subject]
	delete(p.all, subject)
	return t
}

// judged notes that what was taken is done.
func (p *pending) judged(subject Subject, t touched) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if t.sweep == 0 || t.sweep != p.sweep || !p.left[subject] {
		return // a judgement that began before the sweep confirms nothing for it
	}
	delete(p.left, subject)
	if len(p.left) == 0 {
		close(p.swept)
	}
}

// begin starts a sweep over the subjects, in place of one that has not ended.
// The channel is closed once each has been judged whole from then on.
func (p *pending) begin(subjects []Subject) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sweep++
	p.left, p.swept = map[Subject]bool{}, make(chan struct{})
	for _, subject := range subjects {
		p.left[subject] = true
		p.all[subject] = p.all[subject].and(touched{groups: []string{everything}, sweep: p.sweep})
	}
	if len(p.left) == 0 {
		close(p.swept)
	}
	return p.swept
}

// unswept is how many subjects the present sweep still waits for.
func (p *pending) unswept() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.left)
}
