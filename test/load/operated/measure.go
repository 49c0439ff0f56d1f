package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

const (
	reading = time.Second // between two readings of a figure
	// stuck is how long the number of finished objects may stay the same.
	stuck = 3 * time.Minute
	mib   = 1 << 20
)

// measure makes objects, waits until the operator has nothing left to do for
// them, and prints what that took.
func (w *world) measure(ctx context.Context, out io.Writer, name string, number int, do func(context.Context) error) error {
	begin := time.Now()
	if err := do(ctx); err != nil {
		return err
	}
	took := time.Since(begin)
	made := newCalls()
	if err := w.settle(ctx, made); err != nil {
		return err
	}
	memory, err := w.residentBytes(ctx)
	if err != nil {
		return err
	}
	perObject := float64(made.total()) / float64(len(made.written))
	_, _ = fmt.Fprintf(out, "\n%s: %d in %.1f s, %.0f a second; operator's memory afterwards %.0f MiB\n", name, number, took.Seconds(), float64(number)/took.Seconds(), memory/mib)
	_, _ = fmt.Fprintf(out, "  %d calls for %d objects written: %.2f an object (goal %.0f, %s); %d refused\n", made.total(), len(made.written), perObject, mostCalls, judged(perObject <= mostCalls), made.refused)
	list(out, made)
	return nil
}

// watchIdle prints what the operator asks for while nothing happens.
func (w *world) watchIdle(ctx context.Context, out io.Writer) error {
	if err := sleep(ctx, w.idle); err != nil {
		return err
	}
	made := newCalls()
	if err := w.audit.next(made); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(out, "\nidle for %s: %d calls besides watches, leases and %d of the probe of freshness (goal 0, %s)\n", w.idle, made.total(), made.probes, judged(made.total() == 0))
	list(out, made)
	return nil
}

func list(out io.Writer, made *calls) {
	for _, kind := range made.frequent() {
		_, _ = fmt.Fprintf(out, "  %8d %s %s\n", made.number[kind], kind.verb, kind.resource)
	}
}

func judged(met bool) string {
	if met {
		return "met"
	}
	return "falls short"
}

// settle waits until the operator has made no call for a while.
func (w *world) settle(ctx context.Context, made *calls) error {
	last, since := -1, time.Now()
	for time.Since(since) < w.quiet {
		if err := w.audit.next(made); err != nil {
			return err
		}
		if made.total() != last {
			last, since = made.total(), time.Now()
		}
		if err := sleep(ctx, reading); err != nil {
			return err
		}
	}
	return nil
}

// until waits until so many are finished.
func (w *world) until(ctx context.Context, number int, finished func(context.Context) (int, error)) error {
	last, since := -1, time.Now()
	for {
		n, err := finished(ctx)
		if err != nil || n >= number {
			return err
		}
		if n != last {
			last, since = n, time.Now()
		}
		if time.Since(since) > stuck {
			return fmt.Errorf("%d of %d are finished, and no other within %s; the operator says:\n%s", n, number, stuck, w.stack.LogTail())
		}
		if err := sleep(ctx, reading); err != nil {
			return err
		}
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// residentBytes is the memory of the operator's process, by its own metric.
func (w *world) residentBytes(ctx context.Context) (float64, error) {
	const metric = "process_resident_memory_bytes"
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, w.stack.MetricsURL, http.NoBody)
	if err != nil {
		return 0, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(response.Body)
	if err != nil {
		return 0, err
	}
	family := families[metric]
	if family == nil || len(family.Metric) != 1 || family.Metric[0].Gauge == nil {
		return 0, errors.New("the operator's metrics hold no " + metric)
	}
	return family.Metric[0].Gauge.GetValue(), nil
}
