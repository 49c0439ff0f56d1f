package posture

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"cato.dev/cato/policy/engine"
)

func TestOnlyDifferingVerdictsAreTransitions(t *testing.T) {
	r := recorder{t, openIn(t, "")}
	vm := machine("mission-a", "web")
	steps := []struct {
		name     string
		verdicts []engine.Verdict
		want     []string
	}{
		{"the first verdicts", []engine.Verdict{pass("NET-002"), fail("NET-001")}, []string{`web NET-001 ""->"fail" +0s`, `web NET-002 ""->"pass" +0s`}},
		{"the same again", []engine.Verdict{fail("NET-001"), pass("NET-002")}, nil},
		{"one differs", []engine.Verdict{pass("NET-001"), pass("NET-002")}, []string{`web NET-001 "fail"->"pass" +2s`}},
		{"the same word for another reason", []engine.Verdict{verdict("NET-001", engine.Pass, "other"), pass("NET-002")}, nil},
		{"a rule is no longer judged", []engine.Verdict{pass("NET-002")}, []string{`web NET-001 "pass"->"" +4s`}},
		{"a word that is none", []engine.Verdict{verdict("NET-002", "satisfied", "")}, []string{`web NET-002 "pass"->"unknown" +5s`}},
	}
	for i, step := range steps {
		if d := cmp.Diff(step.want, brief(r.live(vm, i, step.verdicts...))); d != "" {
			t.Errorf("%s: %s", step.name, d)
		}
	}
	if got := len(r.s.Transitions(0, 0)); got != 5 {
		t.Errorf("history has %d transitions, want 5", got)
	}
}

func TestAVerdictKeepsItsOriginAndTakesNewEvidence(t *testing.T) {
	r := recorder{t, openIn(t, "")}
	vm := machine("mission-a", "web")
	r.live(vm, 0, fail("NET-001"))
	before, _ := r.s.Verdicts(vm)
	later := verdict("NET-001", engine.Fail, "another NIC")
	later.Revision = "r2"
	r.live(vm, 60, later)
	after, _ := r.s.Verdicts(vm)
	want := before[0]
	want.Why, want.Revision = "another NIC", "r2"
	want.Findings = []Finding{{Target: "nic", Verdict: engine.Fail, Message: "another NIC", Evidence: []byte(`{"nic":{"because":"another NIC"}}`)}}
	if d := cmp.Diff([]Entry{want}, after); d != "" {
		t.Error(d)
	}
	if p := r.s.Position("mission-a"); p.Changed != at(60) {
		t.Errorf("new evidence is a change of content, but the position is of %s", p.Changed)
	}
}

func TestADriftOfMillisecondsIsTwoTransitions(t *testing.T) {
	r := recorder{t, openIn(t, "")}
	vm := machine("mission-a", "web")
	r.live(vm, 0, pass("NET-001"))
	found, repaired := at(10), at(10).Add(50*time.Millisecond)
	for _, step := range []struct {
		verdict engine.Verdict
		time    time.Time
	}{{fail("NET-001"), found}, {pass("NET-001"), repaired}} {
		if _, err := r.s.RecordPartial(vm, engine.Live, []engine.Verdict{step.verdict}, step.time); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{`web NET-001 ""->"pass" +0s`, `web NET-001 "pass"->"fail" +10s`, `web NET-001 "fail"->"pass" +10.05s`}
	if d := cmp.Diff(want, brief(r.s.Transitions(0, 0))); d != "" {
		t.Error(d)
	}
}

func TestAPartialJudgementLeavesOtherRules(t *testing.T) {
	r := recorder{t, openIn(t, "")}
	vm := machine("mission-a", "web")
	r.live(vm, 0, pass("A-001"), pass("A-002"), pass("A-003"))
	if _, err := r.s.RecordPartial(vm, engine.Live, []engine.Verdict{fail("A-002")}, at(1)); err != nil {
		t.Fatal(err)
	}
	want := Tally{
		Rules: map[string]Counts{"A-001": {Pass: 1}, "A-002": {Fail: 1}, "A-003": {Pass: 1}},
		Kinds: map[string]int{"UDSVirtualMachine": 1},
	}
	if d := cmp.Diff(want, r.s.Tally("")); d != "" {
		t.Error(d)
	}
}

func TestAPlanNeverTakesThePlaceOfWhatIsSeenLive(t *testing.T) {
	s := openIn(t, "")
	vm := machine("mission-a", "web")
	record := func(moment string, seconds int, verdicts ...engine.Verdict) []string {
		transitions, err := s.Record(vm, moment, verdicts, at(seconds))
		if err != nil {
			t.Fatal(err)
		}
		return brief(transitions)
	}
	record(engine.Plan, 0, pass("IMG-001"), pass("NET-001"))
	got := [][]string{
		record(engine.Live, 1, fail("NET-001")),                  // seen live for the first time
		record(engine.Plan, 2, pass("IMG-001"), pass("NET-001")), // a plan that would put it right
		record(engine.Live, 3, pass("NET-001")),                  // done
		record(engine.Plan, 4),                                   // IMG-001 is no longer judged
	}
	want := [][]string{{`web NET-001 "pass"->"fail" +1s`}, nil, {`web NET-001 "fail"->"pass" +3s`}, {`web IMG-001 "pass"->"" +4s`}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestAPlanThatComesTrueHasALiveOrigin(t *testing.T) {
	s := openIn(t, "")
	vm := machine("mission-a", "web")
	for i, moment := range []string{engine.Plan, engine.Live, engine.Live} {
		if _, err := s.Record(vm, moment, []engine.Verdict{pass("NET-001")}, at(i)); err != nil {
			t.Fatal(err)
		}
	}
	got, _ := s.Verdicts(vm)
	if len(got) != 1 || got[0].Moment != engine.Live || got[0].Since != at(1) {
		t.Errorf("got %+v, want live since the second judgement", got)
	}
}

func TestAnObjectThatIsCreatedAgainIsAnotherSubject(t *testing.T) {
	r := recorder{t, openIn(t, "")}
	vm := machine("mission-a", "web")
	r.live(vm, 0, pass("NET-001"))
	vm.UID = "another"
	want := []string{`web NET-001 "pass"->"" +5s`, `web NET-001 ""->"pass" +5s`}
	if d := cmp.Diff(want, brief(r.live(vm, 5, pass("NET-001")))); d != "" {
		t.Error(d)
	}
	if got := r.s.Subjects(""); len(got) != 1 || got[0] != vm {
		t.Errorf("got %v, want the new object only", got)
	}
}

func TestAHistoryNeverRunsBackwards(t *testing.T) {
	r := recorder{t, openIn(t, "")}
	vm := machine("mission-a", "web")
	r.live(vm, 10, pass("NET-001"))
	want := []string{`web NET-001 "pass"->"fail" +10s`}
	if d := cmp.Diff(want, brief(r.live(vm, 3, fail("NET-001")))); d != "" {
		t.Error(d)
	}
}

func TestATenantCountsInItsNamespace(t *testing.T) {
	r := recorder{t, openIn(t, "")}
	acme := tenant("acme")
	r.live(acme, 0, pass("TEN-001"))
	r.live(machine("virtfoundry-tenant-acme", "web"), 0, pass("NET-001"))
	names := func(namespace string) (got []string) {
		for _, s := range r.s.Subjects(namespace) {
			got = append(got, s.Kind+"/"+s.Name)
		}
		return got
	}
	if d := cmp.Diff([]string{"Tenant/acme", "UDSVirtualMachine/web"}, names("virtfoundry-tenant-acme")); d != "" {
		t.Error(d)
	}
	acme.Owns = "virtfoundry-tenant-renamed"
	r.live(acme, 1, pass("TEN-001"))
	if d := cmp.Diff([]string{"UDSVirtualMachine/web"}, names("virtfoundry-tenant-acme")); d != "" {
		t.Error(d)
	}
	want := Tally{Rules: map[string]Counts{"TEN-001": {Pass: 1}}, Kinds: map[string]int{"Tenant": 1}}
	if d := cmp.Diff(want, r.s.Tally("virtfoundry-tenant-renamed")); d != "" {
		t.Error(d)
	}
}

func TestBadInputChangesNothingAndIsNamed(t *testing.T) {
	vm := machine("mission-a", "web")
	nameless := vm
	nameless.Name = ""
	for name, test := range map[string]struct {
		subject  Subject
		moment   string
		verdicts []engine.Verdict
		time     time.Time
		want     string
	}{
		"no name":         {nameless, engine.Live, nil, at(1), "kind and name are required"},
		"no moment":       {vm, "check", nil, at(1), `UDSVirtualMachine mission-a/web: moment "check"`},
		"no rule":         {vm, engine.Live, []engine.Verdict{{Value: engine.Pass}}, at(1), "without the id of its rule"},
		"a rule twice":    {vm, engine.Live, []engine.Verdict{pass("A-001"), fail("A-001")}, at(1), "A-001 has two verdicts"},
		"no time":         {vm, engine.Live, []engine.Verdict{fail("A-001")}, time.Time{}, "between 1970 and 2261"},
		"a time too late": {vm, engine.Live, nil, time.Date(2300, 1, 1, 0, 0, 0, 0, time.UTC), "between 1970 and 2261"},
	} {
		t.Run(name, func(t *testing.T) {
			r := recorder{t, openIn(t, "")}
			r.live(vm, 0, pass("A-001"))
			before := contentOf(r.s)
			_, err := r.s.Record(test.subject, test.moment, test.verdicts, test.time)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error with %q", err, test.want)
			}
			if d := cmp.Diff(before, contentOf(r.s)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestHooksHearOfChangesOnly(t *testing.T) {
	r := recorder{t, openIn(t, "")}
	var heard [][]string
	r.s.OnChange(func(namespaces []string) {
		heard = append(heard, namespaces)
		r.s.Tally("") // no lock is held
		if len(heard) == 1 {
			r.live(machine("b", "web"), 1, pass("A-001"))
		}
	})
	r.live(machine("a", "web"), 0, pass("A-001"))
	r.live(machine("a", "web"), 2, pass("A-001"))
	if err := r.s.FinishSweep(at(3)); err != nil {
		t.Fatal(err)
	}
	if _, err := r.s.Forget(machine("nobody", "knows"), at(4)); err != nil {
		t.Fatal(err)
	}
	want := [][]string{{"a"}, {"b"}, {"a", "b"}}
	if d := cmp.Diff(want, heard); d != "" {
		t.Error(d)
	}
}

func TestWhatIsNotRetainedIsGone(t *testing.T) {
	r := recorder{t, openIn(t, "")}
	for _, name := range []string{"a", "b"} {
		r.live(machine(name, "web"), 0, pass("A-001"), fail("A-002"))
	}
	rules, err := r.s.RetainRules([]string{"A-001"}, at(1))
	if err != nil {
		t.Fatal(err)
	}
	subjects, err := r.s.RetainSubjects(func(s Subject) bool { return s.Namespace == "b" }, at(2))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{`web A-002 "fail"->"" +1s`, `web A-002 "fail"->"" +1s`, `web A-001 "pass"->"" +2s`}
	if d := cmp.Diff(want, brief(slices.Concat(rules, subjects))); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"b"}, r.s.Namespaces()); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(Tally{Rules: map[string]Counts{}, Kinds: map[string]int{}}, r.s.Tally("a")); d != "" {
		t.Error(d)
	}
}
