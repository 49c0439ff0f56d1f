package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"cato.dev/cato/compliance/catalog"
	"cato.dev/cato/compliance/oscal"
	"cato.dev/cato/compliance/posture"
	"cato.dev/cato/compliance/server"
	"cato.dev/cato/controllers/decide"
	"cato.dev/cato/controllers/gather"
	"cato.dev/cato/policy/engine"
	"cato.dev/cato/test/load/fleet"
)

const (
	fewRounds = 3
	perStage  = 3 // documents that are written at each size
	half      = 5 // steps at either end whose medians are compared
	linear    = 1.3
)

// stage is what a fleet of one size costs.
type stage struct {
	machines                   int
	step                       int             // machines that are judged between two readings of the clock
	judging                    []time.Duration // processor time of each step so far
	wall                       time.Duration   // of all steps so far
	document                   []time.Duration // processor time of each
	documentBytes, postureFile int64
	peak, live                 int64 // most memory resident so far; heap that the last collection left
}

func (s *stage) perMachine() float64 {
	return microseconds(percentile(s.judging, 50)) / float64(s.step)
}

func wholeFleet(ctx context.Context, t *table) error {
	return growFleet(ctx, t, 1000, 1000, 3000, 10_000)
}

// growFleet judges a fleet in steps of so many machines, and reads off what it
// has cost at each of the sizes; the last has at least half steps.
func growFleet(ctx context.Context, t *table, step int, sizes ...int) (err error) {
	dir, err := os.MkdirTemp("", "cato-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	loaded, judge, controls, err := decide.Load(ctx, engine.Observer{})
	if err != nil {
		return err
	}
	store, err := posture.Open(dir, fleet.Created())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	cache, err := sparse().NewCache()
	if err != nil {
		return err
	}
	g := growing{
		step: step, assessor: &assessor{cache: cache, judge: judge, store: store}, file: filepath.Join(dir, posture.FileName),
		provide: server.FromPosture(source(store, gather.FromReader(cache, fleet.Created), loaded.Current(), controls)),
	}
	t.head("A fleet that grows to %d machines (%d a namespace, 2 %% broken), judged from nothing", slices.Max(sizes), sparse().PerNamespace)
	t.note("posture with its file; GOMAXPROCS %d; judging: median of steps of %d machines, document: median of %d; memory with the fleet's objects", runtime.GOMAXPROCS(0), step, perStage)
	t.note("%s", limits())
	var stages []stage
	for _, machines := range sizes {
		s, err := g.to(ctx, machines)
		if err != nil {
			return err
		}
		stages = append(stages, s)
		s.print(t, cache.Len())
	}
	printGrowth(t, stages)
	return nil
}

// growing is a fleet that is judged while it grows, with all it has cost so far.
type growing struct {
	*assessor
	step    int
	file    string
	provide server.Provider
	judging []time.Duration
	wall    time.Duration
	judged  int
}

func (g *growing) to(ctx context.Context, machines int) (stage, error) {
	for g.judged < machines {
		if err := g.cache.Grow(g.judged + g.step); err != nil {
			return stage{}, err
		}
		processor, wall, err := timed(func() error { return g.judgeRange(ctx, g.judged, g.judged+g.step) })
		if err != nil {
			return stage{}, err
		}
		g.judged += g.step
		g.wall += wall
		g.judging = append(g.judging, processor)
	}
	if err := g.store.FinishSweep(fleet.Created()); err != nil {
		return stage{}, err
	}
	s := stage{machines: machines, step: g.step, judging: slices.Clone(g.judging), wall: g.wall}
	for range perStage {
		var size int64
		processor, _, err := timed(func() error { return write(ctx, g.provide, &size) })
		if err != nil {
			return stage{}, err
		}
		s.document, s.documentBytes = append(s.document, processor), size
	}
	file, err := os.Stat(g.file)
	if err != nil {
		return stage{}, err
	}
	s.postureFile = file.Size()
	s.live = int64(readings("/gc/heap/live:bytes")[0].Uint64())
	s.peak, err = memory("VmHWM")
	return s, err
}

// limits tells what bounds the heap of this run, and what bounds the operator's.
func limits() string {
	limit := "none"
	if most := debug.SetMemoryLimit(-1); most != math.MaxInt64 {
		limit = fmt.Sprintf("%.0f MiB", mebibytes(most))
	}
	percent := readings("/gc/gogc:percent")[0].Uint64()
	return fmt.Sprintf("GOGC %d, memory limit (GOMEMLIMIT) %s; the operator's manifest sets 448MiB, which its live heap must fit in", percent, limit)
}

func timed(do func() error) (processor, wall time.Duration, err error) {
	began := time.Now()
	before, err := processorTime()
	if err != nil {
		return 0, 0, err
	}
	if err := do(); err != nil {
		return 0, 0, err
	}
	after, err := processorTime()
	return after - before, time.Since(began), err
}

func source(store *posture.Store, gatherer *gather.Gatherer, set *engine.Set, controls *catalog.Catalog) server.Source {
	return server.Source{
		Store: store, Assumptions: gatherer.Assumptions, Modified: fleet.Created, Now: fleet.Created,
		System: func() oscal.System {
			return oscal.System{
				Cluster: "6f1c5a0e-2b7d-4c1a-9e53-0d8f4b7a1c22", Version: "bench", Interval: time.Hour,
				Catalog: controls, Rules: set.Rules(), Revision: set.Revision,
			}
		},
	}
}

// counter counts what is written and keeps nothing.
type counter struct{ bytes *int64 }

func (c counter) Write(p []byte) (int, error) {
	*c.bytes += int64(len(p))
	return len(p), nil
}

func write(ctx context.Context, provide server.Provider, bytes *int64) error {
	content, err := provide(ctx, server.Request{Document: server.AssessmentResults})
	if err != nil {
		return err
	}
	return content.Write(counter{bytes})
}

func (s *stage) print(t *table, objects int) {
	t.line(fmt.Sprintf("%d machines (%d objects): judging", s.machines, objects), "%.1f s (%.0f µs CPU a machine, %d steps)", s.wall.Seconds(), s.perMachine(), len(s.judging))
	t.line("  cluster's OSCAL assessment-results", "%.0f ms CPU, %d KB", microseconds(percentile(s.document, 50))/1000, s.documentBytes/1000)
	t.line("  peak memory (VmHWM), of it live heap; posture file", "%.0f MiB, %.0f MiB; %.0f MiB", mebibytes(s.peak), mebibytes(s.live), mebibytes(s.postureFile))
}

func printGrowth(t *table, stages []stage) {
	last := stages[len(stages)-1]
	oldest, newest := stage{step: last.step, judging: last.judging[:half]}, stage{step: last.step, judging: last.judging[len(last.judging)-half:]}
	t.goal(fmt.Sprintf("growth: judging a machine of the last %d steps, of the first %d", half, half), newest.perMachine()/oldest.perMachine(), linear, "times")
	first := stages[0]
	for _, s := range stages[1:] {
		times := float64(s.machines) / float64(first.machines)
		t.line(fmt.Sprintf("growth: %d against %d machines, a machine", s.machines, first.machines), "judging %.2f, document %.2f, memory %.2f, posture file %.2f times (1 is linear, below is less)",
			s.perMachine()/first.perMachine(),
			float64(percentile(s.document, 50))/float64(percentile(first.document, 50))/times,
			float64(s.peak)/float64(first.peak)/times, float64(s.postureFile)/float64(first.postureFile)/times)
	}
}
