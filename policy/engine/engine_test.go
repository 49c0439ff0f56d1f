package engine

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestASwapLosesNoVerdictAndMixesNoRevisions(t *testing.T) {
	first := load(t, rules(map[string]string{"NET-001": closedBody, "NET-002": nicsBody}))
	second := load(t, rules(map[string]string{"NET-001": closedBody, "NET-002": nicsBody + "\n# another\n"}))
	e := New(first)
	in := Input{Value: good(t, nil), Gaps: map[string]string{"guest": "no right"}}
	var judges sync.WaitGroup
	for _, moment := range []string{Admission, Plan, Live, Live} {
		judges.Go(func() {
			for range 100 {
				got, _ := e.Current().Judge(context.Background(), "VirtualMachine", moment, in)
				if len(got) != 2 || got[0].Value != Pass || got[1].Value != Pass || got[0].Revision != got[1].Revision {
					t.Errorf("verdicts %+v", got)
					return
				}
			}
		})
	}
	for range 20 {
		e.Swap(second)
		e.Swap(first)
	}
	judges.Wait()
	if before := e.Swap(second); before != first || e.Current() != second {
		t.Error("Swap did not return the Set before, or did not put the other in force")
	}
}

func TestARuleThatGoesWrongIsSetApartAndItsNeighboursStayTogether(t *testing.T) {
	var fallbacks, gaps, calls atomic.Int32
	var apart, unknown []string
	from := source(t, bundleWith(t, rules(map[string]string{"NET-001": closedBody, "NET-002": slowBody, "NET-003": closedBody})))
	from.Deadline = 50 * time.Millisecond
	from.Observer = Observer{
		Verdict: func(r *Rule, moment string, v Value) {
			if moment == Plan && v == Unknown {
				unknown = append(unknown, r.ID)
			}
		},
		Fallback: func(kind, moment string, cause error) {
			if kind == "VirtualMachine" && moment == Plan && cause != nil {
				fallbacks.Add(1)
			}
		},
		SetApart: func(r *Rule, moment string) { apart = append(apart, r.ID+" "+moment) },
		Gap:      func(string) { gaps.Add(1) },
		Judged:   func(string, time.Duration) { calls.Add(1) },
	}
	s, err := Load(context.Background(), from)
	if err != nil {
		t.Fatal(err)
	}
	in := Input{Value: good(t, nil), Gaps: map[string]string{"moment": "no right"}}
	for range 3 {
		got, _ := s.Judge(context.Background(), "VirtualMachine", Plan, in)
		if diff := cmp.Diff(map[string]Value{"NET-001": Pass, "NET-002": Unknown, "NET-003": Pass}, words(got)); diff != "" {
			t.Fatalf("words (-want +got):\n%s", diff)
		}
	}
	if diff := cmp.Diff([]string{"NET-002 plan"}, apart); diff != "" {
		t.Errorf("set apart (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"NET-002", "NET-002", "NET-002"}, unknown); diff != "" {
		t.Errorf("told as unknown (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int32{1, 3, 3}, []int32{fallbacks.Load(), gaps.Load(), calls.Load()}); diff != "" {
		t.Errorf("fallbacks, gaps, calls (-want +got):\n%s", diff)
	}
}

func TestAnObserverWithoutFunctionsIsNotCalled(t *testing.T) {
	s := impatient(t, map[string]string{"NET-001": closedBody, "NET-002": slowBody})
	in := Input{Value: good(t, nil), Gaps: map[string]string{"moment": "no right"}}
	if got, _ := s.Judge(context.Background(), "VirtualMachine", Live, in); len(got) != 2 {
		t.Errorf("%d verdicts", len(got))
	}
}
