package assessment

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"

	"cato.dev/cato/policy/facts"
)

func machineNamed(name string) Subject {
	return Subject{facts.KindVirtualMachine, types.NamespacedName{Namespace: "mission", Name: name}}
}

var noon = time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)

func TestEventsOnOneSubjectAddUpUntilItIsTaken(t *testing.T) {
	p, vm := newPending(), machineNamed("vm")
	p.add(vm, noon.Add(time.Second), "guest", "disks")
	p.add(vm, noon, "guest")
	p.add(vm, time.Time{}, "compute")
	got := p.take(vm)
	want := touched{groups: []string{"compute", "disks", "guest"}, since: noon}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(touched{})); d != "" {
		t.Error(d)
	}
	if got.whole() {
		t.Error("three groups of facts are taken for all of them")
	}
	if again := p.take(vm); len(again.groups) != 0 || !again.since.IsZero() {
		t.Errorf("taken twice: %+v", again)
	}
}

func TestWhatNoEventNamesIsJudgedWhole(t *testing.T) {
	p, vm := newPending(), machineNamed("vm")
	if !p.take(vm).whole() {
		t.Error("a subject that nothing is known of is judged in part")
	}
	p.add(vm, noon, "guest")
	p.add(vm, noon, everything)
	if !p.take(vm).whole() {
		t.Error("a group took the place of everything")
	}
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func TestASweepEndsOnlyWhenEverySubjectWasJudgedSinceItBegan(t *testing.T) {
	p, a, b := newPending(), machineNamed("a"), machineNamed("b")
	p.add(a, noon, everything)
	before := p.take(a) // its judgement reads what was there before the sweep
	done := p.begin([]Subject{a, b})
	p.judged(a, before)
	p.judged(b, p.take(b))
	if closed(done) || p.unswept() != 1 {
		t.Fatal("a judgement that began before the sweep confirmed it")
	}
	failed := p.take(a)
	p.put(a, failed) // its objects could not be read
	if closed(done) {
		t.Fatal("a judgement that failed confirmed the sweep")
	}
	p.add(a, noon, "guest")
	retried := p.take(a)
	if !retried.whole() {
		t.Error("an event made the retry of a sweep a part of it")
	}
	p.judged(a, retried)
	if !closed(done) {
		t.Error("the sweep does not end although all are judged")
	}
}

func TestAnEventsJudgementIsNoPartOfASweepThatItWasNotAskedBy(t *testing.T) {
	p, a := newPending(), machineNamed("a")
	first := p.begin([]Subject{a})
	old := p.take(a)
	second := p.begin([]Subject{a})
	p.judged(a, old)
	if closed(first) || closed(second) {
		t.Error("the judgement of a sweep that was replaced ended one")
	}
	p.judged(a, p.take(a))
	if !closed(second) {
		t.Error("the second sweep does not end")
	}
}

func TestASweepOverNothingEndsAtOnce(t *testing.T) {
	if !closed(newPending().begin(nil)) {
		t.Error("it waits for nobody")
	}
}
