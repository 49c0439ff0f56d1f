package posture

import (
	"encoding/json"
	"fmt"
	"runtime"
	"testing"
	"time"

	"cato.dev/cato/policy/engine"
)

// fleet builds the verdicts of one VM by 15 rules with evidence of a usual size that names the VM.
func fleet(vm string, failing bool) []engine.Verdict {
	verdicts := make([]engine.Verdict, 15)
	for i := range verdicts {
		value, message := engine.Pass, ""
		if failing && i == 0 {
			value, message = engine.Fail, "NIC lan is bound by bridge"
		}
		evidence := fmt.Sprintf(`{"nic":{"name":"default","binding":"masquerade","network":"pod","path":"spec.networks[0]","vm":%q,"resourceVersion":"%d"}}`, vm, 1234567+i)
		verdicts[i] = engine.Verdict{
			Rule: &engine.Rule{ID: fmt.Sprintf("NET-%03d", i)}, Value: value, Why: message, Revision: "0123456789ab",
			Findings: []engine.Finding{{Target: "default", Verdict: value, Message: message, Evidence: json.RawMessage(evidence)}},
		}
	}
	return verdicts
}

func fill(tb testing.TB, s *Store, prefix string, machines int) {
	tb.Helper()
	for i := range machines {
		name := fmt.Sprintf("%s%05d", prefix, i)
		if _, err := s.Record(machine(fmt.Sprintf("mission-%03d", i/100), name), engine.Live, fleet(name, i%50 == 0), at(i)); err != nil {
			tb.Fatal(err)
		}
	}
}

func heap() int64 {
	for range 4 { // shared texts that nobody holds take more than one cycle to go
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Measured: 497 to 521 bytes a verdict, with evidence that no two verdicts share. 64 of them are the record itself,
// about 170 the text, the rest its entry in the table of shared texts and the subject's part. The margin is for
// the history, which holds between one and two times its limit.
func TestMemoryIsBoundedAVerdictAndLinear(t *testing.T) {
	const most = 700 // bytes a verdict
	s, err := Open("", at(0))
	if err != nil {
		t.Fatal(err)
	}
	fill(t, s, "first", 700) // the history is full
	grow := func(prefix string, machines int) float64 {
		before := heap()
		fill(t, s, prefix, machines)
		return float64(heap()-before) / float64(machines*15)
	}
	early, late := grow("early", 1500), grow("late", 1500)
	t.Logf("%.0f bytes a verdict, then %.0f", early, late)
	if early > most || late > most || late > 1.5*early {
		t.Errorf("%.0f bytes a verdict, then %.0f: want at most %d and no growth", early, late, most)
	}
	runtime.KeepAlive(s)
}

// BenchmarkRecord shows what a change costs, and that the size of the fleet is no part of it.
func BenchmarkRecord(b *testing.B) {
	for _, machines := range []int{1000, 10000} {
		for _, place := range []string{"memory", "file"} {
			dir := ""
			if place == "file" {
				dir = b.TempDir()
			}
			s, err := Open(dir, at(0))
			if err != nil {
				b.Fatal(err)
			}
			began := time.Now()
			fill(b, s, "vm", machines)
			filled := time.Since(began)
			subject := machine("mission-001", "vm00150")
			good, bad := fleet("vm00150", false), fleet("vm00150", true)
			name := fmt.Sprintf("%s/%d-VMs/", place, machines)
			b.Run(name+"unchanged", func(b *testing.B) {
				recordAll(b, s, subject, good, good)
			})
			b.Run(name+"one-rule-changes", func(b *testing.B) {
				recordAll(b, s, subject, bad, good)
			})
			b.Run(name+"view", func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					s.View("")
				}
			})
			b.Run(name+"read-all", func(b *testing.B) {
				for b.Loop() {
					s.Each("", func(Subject, Entry) bool { return true })
				}
				b.ReportMetric(filled.Seconds(), "fill-s")
			})
			if err := s.Close(); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func recordAll(b *testing.B, s *Store, subject Subject, turns ...[]engine.Verdict) {
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := s.Record(subject, engine.Live, turns[i%2], at(20000+i)); err != nil {
			b.Fatal(err)
		}
	}
}
