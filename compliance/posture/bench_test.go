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
		evidence := fmt.Sprintf(`{"nic":{"name":"default","binding":"masquerade","network":"pod","path":"spec.networks[0]","vm":%q,"resourceVersion":"1234567"}}`, vm)
		verdicts[i] = engine.Verdict{
			Rule: &engine.Rule{ID: fmt.Sprintf("NET-%03d", i)}, Value: value, Why: message, Revision: "0123456789ab",
			Findings: []engine.Finding{{Target: "default", Verdict: value, Message: message, Evidence: json.RawMessage(evidence)}},
		}
	}
	return verdicts
}

func fill(tb testing.TB, s *Store, machines int) {
	tb.Helper()
	for i := range machines {
		name := fmt.Sprintf("vm%05d", i)
		if _, err := s.Record(machine(fmt.Sprintf("mission-%03d", i/100), name), engine.Live, fleet(name, i%50 == 0), at(i)); err != nil {
			tb.Fatal(err)
		}
	}
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Measured: 480 to 520 bytes a verdict with evidence that no two VMs share (of which 64 are the record itself,
// about 290 the text and its entry in the table of shared texts). The margin is for other sizes of pointer maps.
func TestMemoryIsBoundedAVerdictAndLinear(t *testing.T) {
	const most = 800 // bytes a verdict
	perVerdict := func(machines int) float64 {
		s := openIn(t, "")
		before := heap()
		fill(t, s, machines)
		used := float64(heap()-before) / float64(machines*15)
		runtime.KeepAlive(s)
		return used
	}
	small, large := perVerdict(500), perVerdict(2000)
	t.Logf("%.0f and %.0f bytes a verdict at 500 and 2,000 VMs", small, large)
	if large > most || large > 1.5*small {
		t.Errorf("%.0f bytes a verdict at 2,000 VMs (%.0f at 500), want at most %d and no growth", large, small, most)
	}
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
			fill(b, s, machines)
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
