package main

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"cato.dev/cato/policy/engine"
	"cato.dev/cato/policy/facts"
)

const (
	rounds        = 11
	singleRuns    = 300
	changedGroup  = "network.policies"
	measuredGrant = "dedicated_cpu"
)

// operations of one subject, in the order in which a round runs them.
type operations struct {
	maps, typed, gather, build, encode, throughJSON, judge, changed, grant, whole, cached *operation
}

func (s *subject) operations(ctx context.Context) operations {
	quiet := func(do func()) func() error {
		return func() error { do(); return nil }
	}
	return operations{
		maps:  &operation{name: "decode maps", run: s.decodeMaps},
		typed: &operation{name: "decode objects", run: s.decodeTyped},
		gather: &operation{name: "gather", run: func() error {
			_, err := s.gatherer.UDSVirtualMachine(ctx, s.machine.Resource, facts.Live)
			return err
		}},
		build:       &operation{name: "build", run: quiet(func() { facts.Build(s.gathered) })},
		encode:      &operation{name: "encode", run: quiet(func() { s.encoder.Encode(&s.facts) })},
		throughJSON: &operation{name: "InterfaceToValue", run: s.throughJSON},
		judge:       &operation{name: "judge", run: quiet(func() { s.set.Judge(ctx, facts.KindUDSVirtualMachine, engine.Live, s.input) })},
		changed:     &operation{name: "judge changed", run: quiet(func() { s.changed(ctx, changedGroup) })},
		grant:       &operation{name: "grant", run: func() error { return s.grant(ctx) }},
		whole:       &operation{name: "whole subject", run: func() error { return s.whole(ctx, s.gatherer) }},
		cached:      &operation{name: "whole subject, Secret decoded", run: func() error { return s.whole(ctx, s.decoded) }},
	}
}

func (o operations) all() []*operation {
	return []*operation{o.maps, o.typed, o.gather, o.build, o.encode, o.throughJSON, o.judge, o.changed, o.grant, o.whole, o.cached}
}

func oneSubject(ctx context.Context, t *table) error {
	s, err := newSubject(ctx)
	if err != nil {
		return err
	}
	o := s.operations(ctx)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	before := garbageSoFar()
	if err := measure(o.all(), rounds); err != nil {
		return err
	}
	after := garbageSoFar()
	if err := o.cached.run(); err != nil {
		return err
	}
	left := garbageSoFar().bytes - after.bytes
	collecting := float64(after.collecting-before.collecting) / float64(after.bytes-before.bytes) * float64(left)
	single, err := s.latencies(ctx, singleRuns)
	if err != nil {
		return err
	}
	rules, bytes := s.rules(ctx), 0
	for _, object := range s.objects {
		bytes += len(object)
	}
	t.head("One hardened UDSVirtualMachine: %d objects of %.1f KB, %.1f KB of facts, %d rules", len(s.objects), float64(bytes)/1000, float64(len(s.factsJSON))/1000, rules)
	t.note("CPU time of the process, GOMAXPROCS 1; lower quartile of %d rounds, each of at least %s an operation", rounds, sampleLength)
	t.note("the goal of a rule is stated for 1.8 KB of facts; no subject has as few: a machine without any child has %.1f KB", float64(s.leastFacts)/1000)
	unit := fmt.Sprintf("times decoding its %d objects", len(s.objects))
	t.line("decoding its objects from JSON into Go maps (the unit)", "%.0f µs", microseconds(o.maps.cost()))
	t.line("decoding them into typed objects", "%.2f times", o.typed.times(o.maps))
	perRule := microseconds(o.judge.cost()) / float64(rules)
	t.goal(fmt.Sprintf("one rule of %d, on these %.1f KB of facts", rules, float64(len(s.factsJSON))/1000), perRule, 35, "µs")
	t.line("all rules", "%.0f µs, %.2f times", microseconds(o.judge.cost()), o.judge.times(o.maps))
	t.line("gather (files, the Secret decoded anew)", "%.0f µs, %.2f times", microseconds(o.gather.cost()), o.gather.times(o.maps))
	t.line("facts: build", "%.0f µs, %.2f times", microseconds(o.build.cost()), o.build.times(o.maps))
	t.line("facts: encode", "%.0f µs, %.2f times; %.2f of ast.InterfaceToValue", microseconds(o.encode.cost()), o.encode.times(o.maps), o.encode.times(o.throughJSON))
	t.goal("whole subject: gather, build, encode, judge", o.whole.times(o.maps), 5, unit)
	t.goal("  with the Secret decoded before, as the operator has it", o.cached.times(o.maps), 5, unit)
	t.line("  the same against typed decoding", "%.1f times", o.cached.times(o.typed))
	t.line("  its garbage, and the collector's part, in few of the rounds", "%.0f KB, %.0f µs", float64(left)/1000, microseconds(time.Duration(collecting)))
	t.line("  p50, p99 of single ones", "%.0f µs, %.0f µs (%d runs, CPU time of the thread)", microseconds(percentile(single, 50)), microseconds(percentile(single, 99)), singleRuns)
	changed := len(s.changed(ctx, changedGroup))
	t.line(fmt.Sprintf("JudgeChanged of %s: %d of %d rules", changedGroup, changed, rules), "%.2f of Judge", o.changed.times(o.judge))
	t.line("one grant ("+measuredGrant+")", "%.0f µs, %.2f of Judge", microseconds(o.grant.cost()), o.grant.times(o.judge))
	t.line("evaluations stopped by their deadline (the machine was busy)", "%d", s.stopped)
	return nil
}
