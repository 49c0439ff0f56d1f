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

func TestTheObserverIsToldOfEachVerdictFallbackAndGap(t *testing.T) {
	var verdicts, fallbacks, gaps, calls atomic.Int32
	from := source(t, bundleWith(t, rules(map[string]string{"NET-001": closedBody, "NET-002": slowBody})))
	from.Deadline = 20 * time.Millisecond
	from.Observer = Observer{
		Verdict: func(r *Rule, moment string, v Value) {
			if (r.ID == "NET-001" || r.ID == "NET-002") && moment == Plan && v == Unknown {
				verdicts.Add(1)
			}
		},
		Fallback: func(kind, moment string, cause error) {
			if kind == "VirtualMachine" && moment == Plan && cause != nil {
				fallbacks.Add(1)
			}
		},
		Gap:    func(string) { gaps.Add(1) },
		Judged: func(_ string, took time.Duration) { calls.Add(1) },
	}
	s, err := Load(context.Background(), from)
	if err != nil {
		t.Fatal(err)
	}
	s.Judge(context.Background(), "VirtualMachine", Plan, Input{Value: good(t, nil), Gaps: map[string]string{"network": "no right"}})
	got := []int32{verdicts.Load(), fallbacks.Load(), gaps.Load(), calls.Load()}
	if diff := cmp.Diff([]int32{2, 1, 1, 1}, got); diff != "" {
		t.Errorf("verdicts, fallbacks, gaps, calls (-want +got):\n%s", diff)
	}
}
