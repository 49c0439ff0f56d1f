package main

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// table prints lines of three columns: what, how much, and against which goal.
type table struct{ out io.Writer }

func (t *table) head(format string, args ...any) {
	title := fmt.Sprintf(format, args...)
	fmt.Fprintf(t.out, "\n%s\n%s\n", title, strings.Repeat("-", len([]rune(title))))
}

func (t *table) line(what, format string, args ...any) {
	fmt.Fprintf(t.out, "%-58s %s\n", what, fmt.Sprintf(format, args...))
}

func (t *table) note(format string, args ...any) {
	fmt.Fprintf(t.out, "  %s\n", fmt.Sprintf(format, args...))
}

// goal prints a figure and whether it is at most its goal.
func (t *table) goal(what string, figure, most float64, unit string) {
	word := "met"
	if figure > most {
		word = "falls short"
	}
	t.line(what, "%.1f %s (goal at most %g %s: %s)", figure, unit, most, unit, word)
}

func microseconds(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

func mebibytes(bytes int64) float64 { return float64(bytes) / (1 << 20) }
