package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// teller prints the story.
type teller struct {
	out io.Writer
}

func (t *teller) chapter(title string) {
	fmt.Fprintf(t.out, "\n\033[1m%s\033[0m\n\n", title)
}

func (t *teller) say(text string) { fmt.Fprintln(t.out, text) }

func (t *teller) block(text string) {
	for line := range strings.Lines(strings.TrimRight(text, "\n")) {
		fmt.Fprint(t.out, "    ", line)
	}
	fmt.Fprintln(t.out)
}

// figures are times of one kind, with the number of their samples.
type figures struct{ samples []time.Duration }

func (f *figures) add(took time.Duration) { f.samples = append(f.samples, took) }

// quantile is the sample that the share q of all does not exceed.
func (f *figures) quantile(q float64) time.Duration {
	sorted := slices.Sorted(slices.Values(f.samples))
	at := min(int(q*float64(len(sorted))), len(sorted)-1)
	return sorted[at].Round(time.Millisecond)
}

// String gives p50 and, where the samples are enough for it, p99.
func (f *figures) String() string {
	if len(f.samples) == 0 {
		return "no sample"
	}
	text := fmt.Sprintf("p50 %s", f.quantile(0.5))
	const enough = 200
	if len(f.samples) < enough {
		return fmt.Sprintf("%s, longest %s (%d samples)", text, f.quantile(1), len(f.samples))
	}
	text = fmt.Sprintf("%s, p99 %s (%d samples)", text, f.quantile(0.99), len(f.samples))
	const goal = time.Second
	if f.quantile(0.99) > goal {
		return text + ": falls short of the goal of " + goal.String()
	}
	return text + ": within the goal of " + goal.String()
}
