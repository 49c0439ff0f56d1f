package posture

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
	"unique"

	"cato.dev/cato/policy/engine"
)

// Store is the posture of one cluster. All methods serve many goroutines.
//
// Changes go one after another: they are made in memory first, then written. A file that cannot be written does
// not keep the memory from telling the truth; what was not written is kept and tried again with the next change.
type Store struct {
	change sync.Mutex // held by whoever changes anything, over the writing of the file
	file   *file      // nil when the posture lives in memory only
	todo   pending
	hooks  []func(namespaces []string)

	mu         sync.RWMutex // guards what is read: held only to swap what has changed
	continuity Continuity
	failure    error // of the last writing
	sequence   int64 // last number given
	lastID     int64
	subjects   map[key]*held
	scopes     map[string][]*held // by Subject.Scope, sorted by key
	tallies    map[string]*tally  // by namespace; "" is the whole cluster
	changes    map[string]mark    // by namespace; "" is the whole cluster
	sweep      mark
	history    history
	evidence   evidence
}

// mark is a number of the sequence and its time, in nanoseconds since 1970.
type mark struct{ sequence, at int64 }

func newStore() *Store {
	return &Store{
		todo: newPending(), subjects: map[key]*held{}, scopes: map[string][]*held{}, changes: map[string]mark{},
		tallies: map[string]*tally{"": newTally()}, evidence: evidence{},
	}
}

// Record takes all verdicts on the subject at a moment (admission, plan or live), on evidence of that time, and
// returns those that differ from before. Verdicts of the same moment that are not among them are gone. What was
// judged at plan or admission never takes the place of a live verdict. The verdict's time of origin is that of
// the evidence; it and the sequence number stay for as long as the verdict does. An object that has another UID
// than before is another subject.
//
// A *StateError says that the file could not be written: the posture in memory is right all
// the same, and the transitions are returned with it. Any other error means that nothing was changed.
func (s *Store) Record(subject Subject, moment string, verdicts []engine.Verdict, evidence time.Time) ([]Transition, error) {
	return s.take(subject, moment, verdicts, evidence, true)
}

// RecordPartial is Record for the rules that were judged again: verdicts of other rules stay as they are.
func (s *Store) RecordPartial(subject Subject, moment string, verdicts []engine.Verdict, evidence time.Time) ([]Transition, error) {
	return s.take(subject, moment, verdicts, evidence, false)
}

func (s *Store) take(subject Subject, moment string, verdicts []engine.Verdict, at time.Time, whole bool) ([]Transition, error) {
	fresh, err := recordsOf(subject, moment, verdicts, at)
	if err != nil {
		return nil, err
	}
	return s.apply(at, func(c *changes) {
		old := s.subjects[subject.key()]
		if old != nil && old.subject.UID != subject.UID {
			c.replace(old, nil, allGone(old))
			old = nil
		}
		m := merge(subject, old, fresh, moment, whole)
		if old == nil || old.subject != subject || len(m.changed) > 0 {
			c.replace(old, &held{subject: subject, records: m.records}, m)
		}
	})
}

// Forget drops the subject with all its verdicts; unknown subjects are ignored. Only namespace, kind, name and
// apiVersion of the argument are looked at.
func (s *Store) Forget(subject Subject, at time.Time) ([]Transition, error) {
	return s.apply(at, func(c *changes) {
		if old := s.subjects[subject.key()]; old != nil {
			c.replace(old, nil, allGone(old))
		}
	})
}

// RetainSubjects drops the subjects that keep does not want: those that went while nobody watched. It walks all.
func (s *Store) RetainSubjects(keep func(Subject) bool, at time.Time) ([]Transition, error) {
	return s.apply(at, func(c *changes) {
		for _, old := range s.sorted() {
			if !keep(old.subject) {
				c.replace(old, nil, allGone(old))
			}
		}
	})
}

// RetainRules drops the verdicts of all rules but these: after a bundle was replaced. It walks all.
func (s *Store) RetainRules(ids []string, at time.Time) ([]Transition, error) {
	wanted := map[unique.Handle[string]]bool{}
	for _, id := range ids {
		wanted[unique.Make(id)] = true
	}
	return s.apply(at, func(c *changes) {
		for _, old := range s.sorted() {
			var kept []record
			gone := &held{subject: old.subject}
			for _, r := range old.records {
				if wanted[r.rule] {
					kept = append(kept, r)
				} else {
					gone.records = append(gone.records, r)
				}
			}
			if len(gone.records) > 0 {
				c.replace(old, &held{subject: old.subject, records: kept}, allGone(gone))
			}
		}
	})
}

func allGone(old *held) merged {
	var m merged
	for _, r := range old.records {
		m.changed = append(m.changed, r.rule)
		m.transitions = append(m.transitions, Transition{
			Subject: old.subject, Rule: r.rule.Value(), From: r.value,
			Moment: r.moment.Value(), Revision: r.revision.Value(),
		})
	}
	return m
}

// FinishSweep says that a sweep has confirmed all verdicts. The end of a sweep is a change of content, since
// the evidence is newer, and it is when the times of evidence are written.
func (s *Store) FinishSweep(at time.Time) error {
	_, err := s.apply(at, func(c *changes) { c.swept = true })
	return err
}

// Confirm says that the watch of a kind proved to be whole at that time. It costs no writing.
func (s *Store) Confirm(kind string, at time.Time) { s.ConfirmIn(kind, "", at) }

// ConfirmIn is Confirm for a kind that is watched namespace by namespace.
func (s *Store) ConfirmIn(kind, namespace string, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.evidence.confirm(watch{kind, namespace}, at)
}

// Unwatch forgets the watch of a kind, "" for the whole cluster: no verdict rests on it any more.
func (s *Store) Unwatch(kind, namespace string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.evidence, watch{kind, namespace})
}

// OnChange has f called after each change with the namespaces whose content it touched, sorted; "" stands for
// the cluster's own subjects, and a sweep touches all. f is called without a lock, possibly by several
// goroutines at once.
func (s *Store) OnChange(f func(namespaces []string)) {
	s.change.Lock()
	defer s.change.Unlock()
	s.hooks = append(s.hooks, f)
}

// Err returns why the file could not be written the last time, or nil.
func (s *Store) Err() error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.failure
}

// Close writes what is left to write and closes the file.
func (s *Store) Close() error {
	s.change.Lock()
	defer s.change.Unlock()
	if s.file == nil {
		return nil
	}
	s.todo.evidence = true
	if err := s.write(); err != nil {
		return fmt.Errorf("%w (closing: %w)", err, s.file.close())
	}
	return s.file.close()
}

// sorted returns all subjects in the order of View. The caller holds change.
func (s *Store) sorted() []*held {
	all := make([]*held, 0, len(s.subjects))
	for _, scope := range s.scopeNames() {
		all = append(all, s.scopes[scope]...)
	}
	return all
}

func (s *Store) scopeNames() []string { return slices.Sorted(maps.Keys(s.scopes)) }

func (s *Store) position(namespace string) Position {
	p := Position{Epoch: s.continuity.Epoch, Changed: s.continuity.Started}
	for _, m := range []mark{s.changes[namespace], s.sweep} {
		if m.sequence > p.Sequence {
			p.Sequence, p.Changed = m.sequence, time.Unix(0, m.at).UTC()
		}
	}
	if s.sweep.sequence > 0 {
		p.Swept = time.Unix(0, s.sweep.at).UTC()
	}
	return p
}
