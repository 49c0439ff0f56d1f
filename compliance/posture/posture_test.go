package posture

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"cato.dev/cato/policy/engine"
)

// start is when the tests' clock begins; at adds seconds to it.
func at(seconds int) time.Time {
	return time.Date(2026, 12, 1, 12, 0, 0, 7, time.UTC).Add(time.Duration(seconds) * time.Second)
}

func machine(namespace, name string) Subject {
	return Subject{
		APIVersion: "uds.dev/v1alpha1", Kind: "UDSVirtualMachine", Namespace: namespace, Name: name,
		UID: "uid-" + namespace + "-" + name,
	}
}

func tenant(name string) Subject {
	return Subject{APIVersion: "virtfoundry.io/v1alpha1", Kind: "Tenant", Name: name, UID: "uid-" + name, Owns: "virtfoundry-tenant-" + name}
}

func verdict(rule string, value engine.Value, why string) engine.Verdict {
	f := engine.Finding{Target: "nic", Verdict: value, Message: why, Evidence: json.RawMessage(fmt.Sprintf(`{"nic":{"because":%q}}`, why))}
	return engine.Verdict{Rule: &engine.Rule{ID: rule}, Value: value, Why: why, Findings: []engine.Finding{f}, Revision: "r1"}
}

func pass(rule string) engine.Verdict { return verdict(rule, engine.Pass, "") }
func fail(rule string) engine.Verdict { return verdict(rule, engine.Fail, "broken") }

func openIn(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Open(dir, at(0))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeStore(t, s) })
	return s
}

func closeStore(t *testing.T, s *Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// recorder fails the test on an error that the test does not expect.
type recorder struct {
	t *testing.T
	s *Store
}

func (r recorder) live(subject Subject, seconds int, verdicts ...engine.Verdict) []Transition {
	r.t.Helper()
	transitions, err := r.s.Record(subject, engine.Live, verdicts, at(seconds))
	if err != nil {
		r.t.Fatal(err)
	}
	return transitions
}

// content is all that readers can see of a store.
type content struct {
	Continuity  Continuity
	Subjects    []Subject
	Entries     []Entry
	Tallies     map[string]Tally
	Positions   map[string]Position
	Transitions []Transition
	Evidence    map[string]time.Time
}

func contentOf(s *Store) content {
	c := content{
		Continuity: s.Continuity(), Subjects: s.Subjects(""), Tallies: map[string]Tally{}, Positions: map[string]Position{},
		Transitions: s.Transitions(0, 0), Evidence: s.OldestEvidence(),
	}
	s.Each("", func(_ Subject, e Entry) bool {
		c.Entries = append(c.Entries, e)
		return true
	})
	for _, name := range append(s.Namespaces(), "") {
		c.Tallies[name], c.Positions[name] = s.Tally(name), s.Position(name)
	}
	return c
}

// brief is a transition without what a test does not look at.
func brief(transitions []Transition) []string {
	var lines []string
	for _, t := range transitions {
		lines = append(lines, fmt.Sprintf("%s %s %q->%q +%s", t.Subject.Name, t.Rule, t.From, t.To, t.Time.Sub(at(0))))
	}
	return lines
}
