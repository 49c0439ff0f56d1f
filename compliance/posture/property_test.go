package posture

import (
	"fmt"
	"os"
	"sync"
	"testing"
	"unique"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"cato.dev/cato/policy/engine"
)

// recount walks the subjects, which the store itself never does.
func recount(s *Store, namespace string) Tally {
	t := Tally{Rules: map[string]Counts{}, Kinds: map[string]int{}}
	s.View(namespace).EachSubject(func(subject Subject, entries []Entry) bool {
		t.Kinds[subject.Kind]++
		for _, e := range entries {
			c := t.Rules[e.Rule]
			c.add(e.Value, 1)
			t.Rules[e.Rule] = c
		}
		return true
	})
	return t
}

func drawSubject(t *rapid.T) Subject {
	s := machine(rapid.SampledFrom([]string{"a", "b"}).Draw(t, "namespace"), rapid.SampledFrom([]string{"x", "y"}).Draw(t, "name"))
	s.UID = rapid.SampledFrom([]string{"1", "2"}).Draw(t, "uid")
	if rapid.Bool().Draw(t, "tenant") {
		s.Kind, s.Owns, s.Namespace = "Tenant", rapid.SampledFrom([]string{"", "a", "c"}).Draw(t, "owns"), ""
	}
	return s
}

func drawVerdicts(t *rapid.T) []engine.Verdict {
	words := []engine.Value{engine.Pass, engine.Fail, engine.Unknown, engine.NotApplicable}
	var verdicts []engine.Verdict
	for _, rule := range rapid.SliceOfNDistinct(rapid.IntRange(1, 5), 0, 5, rapid.ID[int]).Draw(t, "rules") {
		value := rapid.SampledFrom(words).Draw(t, "value")
		verdicts = append(verdicts, verdict(fmt.Sprintf("A-%03d", rule), value, rapid.SampledFrom([]string{"", "why"}).Draw(t, "why")))
	}
	return verdicts
}

// Whatever happens in whatever order: the counts are those of a recount, every value follows from the
// transitions, and a restart at any point changes nothing that readers can see.
func TestCountsAreARecountAndARestartChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "posture")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = os.RemoveAll(dir) }()
		s, err := Open(dir, at(0))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = s.Close() }()
		replayed := map[string]engine.Value{} // what the transitions alone say
		follow := func(transitions []Transition, err error) {
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range transitions {
				id := fmt.Sprint(c.Subject.key(), c.Rule)
				if replayed[id] != c.From {
					t.Fatalf("%s leaves %q, but was %q", id, c.From, replayed[id])
				}
				if replayed[id] = c.To; c.To == "" {
					delete(replayed, id)
				}
			}
		}
		clock := 0
		steps := map[string]func(*rapid.T){
			"record": func(t *rapid.T) {
				moment := rapid.SampledFrom([]string{engine.Live, engine.Live, engine.Plan}).Draw(t, "moment")
				follow(s.Record(drawSubject(t), moment, drawVerdicts(t), at(clock)))
			},
			"record a part": func(t *rapid.T) { follow(s.RecordPartial(drawSubject(t), engine.Live, drawVerdicts(t), at(clock))) },
			"forget":        func(t *rapid.T) { follow(s.Forget(drawSubject(t), at(clock))) },
			"retain rules":  func(*rapid.T) { follow(s.RetainRules([]string{"A-001", "A-002"}, at(clock))) },
			"retain subjects": func(t *rapid.T) {
				uid := rapid.SampledFrom([]string{"1", "2"}).Draw(t, "kept")
				follow(s.RetainSubjects(func(s Subject) bool { return s.UID == uid }, at(clock)))
			},
			"sweep": func(t *rapid.T) {
				s.Confirm("secrets", at(clock))
				if err := s.FinishSweep(at(clock)); err != nil {
					t.Fatal(err)
				}
			},
			"restart": func(t *rapid.T) {
				before := contentOf(s)
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				if s, err = Open(dir, at(clock)); err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(before, contentOf(s)); d != "" {
					t.Fatal(d)
				}
			},
			"": func(t *rapid.T) {
				clock++
				present := map[string]engine.Value{}
				s.Each("", func(subject Subject, e Entry) bool {
					present[fmt.Sprint(subject.key(), e.Rule)] = e.Value
					return true
				})
				if d := cmp.Diff(replayed, present); d != "" {
					t.Fatal("transitions against entries: " + d)
				}
				for _, name := range []string{"", "a", "b", "c"} {
					if d := cmp.Diff(recount(s, name), s.Tally(name)); d != "" {
						t.Fatalf("namespace %q: %s", name, d)
					}
				}
			},
		}
		t.Repeat(steps)
	})
}

func TestReadersSeeWholeChangesWhileWritersWork(t *testing.T) {
	s := openIn(t, "")
	both := []engine.Verdict{pass("A-001"), pass("A-002")}
	neither := []engine.Verdict{fail("A-001"), fail("A-002")}
	var writers, readers sync.WaitGroup
	stop := make(chan struct{})
	for w := range 4 {
		writers.Go(func() {
			for i := range 200 {
				subject := machine(fmt.Sprintf("n%d", i%3), fmt.Sprintf("vm%d", w))
				verdicts := [][]engine.Verdict{both, neither}[i%2]
				if _, err := s.Record(subject, engine.Live, verdicts, at(i)); err != nil {
					t.Error(err)
				}
				s.Confirm("secrets", at(i))
				if i%50 == 49 {
					if _, err := s.Forget(subject, at(i)); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	for range 3 {
		readers.Go(func() {
			for {
				v := s.View("")
				if v.Tally().Rules["A-001"] != v.Tally().Rules["A-002"] {
					t.Errorf("half a change: %+v", v.Tally())
				}
				counted := Counts{}
				v.Each(func(_ Subject, e Entry) bool {
					if e.Rule == "A-001" {
						counted.add(e.Value, 1)
					}
					return true
				})
				if counted != v.Tally().Rules["A-001"] {
					t.Errorf("entries %+v disagree with counts %+v of one view", counted, v.Tally().Rules["A-001"])
				}
				s.OldestEvidence()
				s.Transitions(10, 5)
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	writers.Wait()
	close(stop)
	readers.Wait()
}

func TestHistoryIsBoundedInMemoryAndFile(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(dir, at(0))
	if err != nil {
		t.Fatal(err)
	}
	var many []engine.Verdict
	for i := range 500 {
		many = append(many, pass(fmt.Sprintf("A-%03d", i)))
	}
	flipped := make([]engine.Verdict, len(many))
	for i, v := range many {
		flipped[i] = v
		flipped[i].Value = engine.Fail
	}
	r := recorder{t, s}
	for i := range 25 {
		r.live(machine("a", "web"), i, [][]engine.Verdict{many, flipped}[i%2]...)
	}
	kept := s.Transitions(0, 0)
	if len(kept) != HistoryLimit {
		t.Errorf("%d transitions kept, want %d", len(kept), HistoryLimit)
	}
	if got := s.Transitions(kept[10].Sequence, 3); len(got) != 3 || got[0] != kept[11] {
		t.Errorf("after the 11th: %v", brief(got))
	}
	closeStore(t, s)
	if d := cmp.Diff(kept, openIn(t, dir).Transitions(0, 0)); d != "" {
		t.Error(d)
	}
	if u := unique.Make("A-001"); s.subjects[machine("a", "web").key()].find(u).since != at(24).UnixNano() {
		t.Error("the present verdict is not the last one")
	}
}
