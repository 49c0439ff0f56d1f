package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"slices"
	"strconv"
	"syscall"
	"time"
)

// processorTime is what the process has used so far on all processors, the
// garbage collector's share among it.
func processorTime() (time.Duration, error) { return usage(syscall.RUSAGE_SELF) }

// threadTime is the same of the calling thread alone.
func threadTime() (time.Duration, error) { return usage(syscall.RUSAGE_THREAD) }

func usage(who int) (time.Duration, error) {
	var u syscall.Rusage
	if err := syscall.Getrusage(who, &u); err != nil {
		return 0, fmt.Errorf("getrusage: %w", err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), nil
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

// operation is one thing whose cost is measured.
type operation struct {
	name string
	run  func() error
	// repeats is how often one sample runs it, so that the sample is long against the clock's grain.
	repeats int
	samples []time.Duration // a run, one for each round
}

const sampleLength = 10 * time.Millisecond

// measure runs all operations in each round, one after the other: what slows
// the machine for a while then slows all of them, and their ratios stand.
func measure(operations []*operation, rounds int) error {
	for _, o := range operations {
		o.repeats = 1
		for took := time.Duration(0); took < sampleLength; o.repeats *= 2 {
			var err error
			if took, err = o.sample(); err != nil {
				return err
			}
		}
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

func (o *operation) sample() (time.Duration, error) {
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

func (o *operation) median() time.Duration { return percentile(o.samples, 50) }

// times is the median over the rounds of how many times another's cost it has.
func (o *operation) times(other *operation) float64 {
	ratios := make([]float64, len(o.samples))
	for i, sample := range o.samples {
		ratios[i] = float64(sample) / float64(other.samples[i])
	}
	return percentile(ratios, 50)
}

// percentile is the smallest value that at least p percent of all do not exceed.
func percentile[T float64 | time.Duration | int64](values []T, p int) T {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[max((len(sorted)*p+99)/100-1, 0)]
}
