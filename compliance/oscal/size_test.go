package oscal

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"testing"
)

// counter counts what is written and keeps nothing.
type counter struct{ n int64 }

func (c *counter) Write(p []byte) (int, error) {
	c.n += int64(len(p))
	return len(p), nil
}

func write(t testing.TB, in ResultsInput, w io.Writer) {
	t.Helper()
	r, err := NewResults(in)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.WriteJSON(w); err != nil {
		t.Fatal(err)
	}
}

func TestTheDocumentOfAClusterOfTenThousandMachinesIsSmall(t *testing.T) {
	in := fleet(t, 10_000)
	in.Namespace = ""
	var size counter
	write(t, in, &size)
	if size.n > 4<<20 {
		t.Errorf("the document has %d bytes; an assessor cannot open it", size.n)
	}
}

func TestMemoryDoesNotFollowTheFleet(t *testing.T) {
	peak := func(n int) uint64 {
		in := fleet(t, n)
		in.Namespace = ""
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r, err := NewResults(in)
		if err != nil {
			t.Fatal(err)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		runtime.KeepAlive(r)
		return max(after.HeapAlloc, before.HeapAlloc) - before.HeapAlloc
	}
	small, large := peak(1000), peak(5000)
	if large > 2*small+(1<<20) {
		t.Errorf("held: %d bytes for 1,000 machines, %d for 5,000", small, large)
	}
}

func TestANamespaceBeyondTheLimitIsWrittenByRule(t *testing.T) {
	for n, full := range map[int]bool{FullLimit: true, FullLimit + 1: false} {
		r, err := NewResults(fleet(t, n))
		if err != nil {
			t.Fatal(err)
		}
		if r.Full() != full {
			t.Errorf("%d machines: full is %v", n, r.Full())
		}
	}
}

func TestALargeDocumentPassesTheWholeCheckThatItIsWrittenWithoutOf(t *testing.T) {
	in := fleet(t, 150) // 2,250 observations: beyond smallDocument
	var b bytes.Buffer
	write(t, in, &b)
	if err := Check(b.Bytes(), options(t, in)); err != nil {
		t.Error(err)
	}
	if n := len(all(resultOf(t, b.Bytes()).Observations)); n != 150*15 || n <= smallDocument {
		t.Errorf("%d observations", n)
	}
}

func BenchmarkResults(b *testing.B) {
	for _, n := range []int{1000, 3000, 10_000} {
		in := fleet(b, n)
		in.Namespace = ""
		b.Run(fmt.Sprintf("cluster of %d machines", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				write(b, in, io.Discard)
			}
		})
	}
	in := fleet(b, FullLimit)
	b.Run("namespace of 1000 machines, one observation a verdict", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			write(b, in, io.Discard)
		}
	})
}
