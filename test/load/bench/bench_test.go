package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"
)

func TestAPercentileIsOneOfTheValues(t *testing.T) {
	values := []time.Duration{5, 1, 4, 2, 3}
	for p, want := range map[int]time.Duration{1: 1, 50: 3, 80: 4, 99: 5, 100: 5} {
		if got := percentile(values, p); got != want {
			t.Errorf("p%d is %d, want %d", p, got, want)
		}
	}
}

func TestAFigureBeyondItsGoalIsPrintedAsOneThatFallsShort(t *testing.T) {
	var out bytes.Buffer
	tab := table{out: &out}
	tab.goal("slow", 36, 35, "µs")
	tab.goal("fast", 35, 35, "µs")
	lines := strings.Split(out.String(), "\n")
	if !strings.Contains(lines[0], "falls short") || !strings.Contains(lines[1], "met") {
		t.Errorf("printed %q", lines)
	}
}

func TestAFleetIsJudgedAndItsDocumentWrittenAtEachSize(t *testing.T) {
	var out bytes.Buffer
	if err := growFleet(context.Background(), &table{out: &out}, 10, 10, 50); err != nil {
		t.Fatal(err)
	}
	t.Log(out.String())
	for _, want := range []string{"50 machines (354 objects): judging", "growth: 50 against 10 machines", "times (goal at most"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no line has %q", want)
		}
	}
}
