package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"runtime"
	"runtime/metrics"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// processorTime is what the process has used so far on all processors, the
// garbage collector's share among it.
func processorTime() (time.Duration, error) { return clock(unix.CLOCK_PROCESS_CPUTIME_ID) }

// threadTime is the same of the calling thread alone. What getrusage says of a
// thread moves in steps of a scheduler's tick, longer than a subject takes.
func threadTime() (time.Duration, error) { return clock(unix.CLOCK_THREAD_CPUTIME_ID) }

func clock(id int32) (time.Duration, error) {
	var t unix.Timespec
	if err := unix.ClockGettime(id, &t); err != nil {
		return 0, fmt.Errorf("clock_gettime: %w", err)
	}
	return time.Duration(t.Nano()), nil
}

// memory reads a line of /proc/self/status, such as VmHWM: the most memory
// that the process has ever had resident, in bytes.
func memory(name string) (int64, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, fmt.Errorf("memory: %w", err)
	}
	lines := bufio.NewScanner(bytes.NewReader(status))
	for lines.Scan() {
		fields := bytes.Fields(lines.Bytes())
		if len(fields) == 3 && string(fields[0]) == name+":" {
			kibibytes, err := strconv.ParseInt(string(fields[1]), 10, 64)
			return kibibytes << 10, err
		}
	}
	return 0, fmt.Errorf("memory: /proc/self/status has no %s", name)
}

// garbage is what the process has allocated so far, and what it took to collect it.
type garbage struct {
	bytes      uint64
	collecting time.Duration // processor time
}

func garbageSoFar() garbage {
	values := readings("/gc/heap/allocs:bytes", "/cpu/classes/gc/total:cpu-seconds")
	return garbage{bytes: values[0].Uint64(), collecting: time.Duration(values[1].Float64() * float64(time.Second))}
}

// readings are what the Go runtime says of itself, in the order of the names.
func readings(names ...string) []metrics.Value {
	samples := make([]metrics.Sample, len(names))
	for i, name := range names {
		samples[i].Name = name
	}
	metrics.Read(samples)
	values := make([]metrics.Value, len(names))
	for i, sample := range samples {
		values[i] = sample.Value
	}
	return values
}

// operation is one thing whose cost is measured.
type operation struct {
	name string
	run  func() error
	// repeats is how often one sample runs it, so that the sample is long against the clock's grain.
	repeats int
	samples []time.Duration // a run, one for each round
}

const sampleLength = 20 * time.Millisecond

// measure runs all operations in each round, one after the other: what slows
// the machine for a while then slows all of them alike.
func measure(operations []*operation, rounds int) error {
	if err := warmUp(operations); err != nil {
		return err
	}
	for range rounds {
		for _, o := range operations {
			took, err := o.sample()
			if err != nil {
				return err
			}
			o.samples = append(o.samples, took/time.Duration(o.repeats))
		}
	}
	return nil
}

// warmUp finds how often a sample repeats each operation, and goes on until the
// heap has been collected twice: memory that the process never had before costs
// more to touch than most operations.
func warmUp(operations []*operation) error {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	for collected := memory.NumGC; memory.NumGC < collected+2; runtime.ReadMemStats(&memory) {
		for _, o := range operations {
			o.repeats = 1
			for took := time.Duration(0); took < sampleLength; o.repeats *= 2 {
				var err error
				if took, err = o.sample(); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// sample runs the operation once outside of its clock: what ran before it has
// the processor's caches.
func (o *operation) sample() (time.Duration, error) {
	if err := o.run(); err != nil {
		return 0, fmt.Errorf("%s: %w", o.name, err)
	}
	before, err := processorTime()
	if err != nil {
		return 0, err
	}
	for range o.repeats {
		if err := o.run(); err != nil {
			return 0, fmt.Errorf("%s: %w", o.name, err)
		}
	}
	after, err := processorTime()
	return after - before, err
}

// cost is the lower quartile of the rounds: what others do on the machine
// makes a round dearer, by up to twice, and never cheaper.
func (o *operation) cost() time.Duration { return percentile(o.samples, 25) }

// times is how many times another's cost it has.
func (o *operation) times(other *operation) float64 { return float64(o.cost()) / float64(other.cost()) }

// percentile is the smallest value that at least p percent of all do not exceed.
func percentile[T float64 | time.Duration | int64](values []T, p int) T {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[max((len(sorted)*p+99)/100-1, 0)]
}
