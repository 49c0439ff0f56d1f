package main

import (
	"context"
	"errors"
	"runtime"
	"sync"

	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	"cato.dev/cato/compliance/posture"
	"cato.dev/cato/controllers/decide"
	"cato.dev/cato/controllers/gather"
	"cato.dev/cato/policy/engine"
	"cato.dev/cato/policy/facts"
	"cato.dev/cato/test/load/fleet"
)

// sparse is the fleet of which most is measured.
func sparse() fleet.Fleet { return fleet.Fleet{PerNamespace: 10} }

// assessor judges machines of a cache and records the verdicts, as the
// operator's first sweep does.
type assessor struct {
	cache *fleet.Cache
	judge *decide.Judge
	store *posture.Store
}

// judgeRange judges the machines from one index up to another on all processors.
func (a *assessor) judgeRange(ctx context.Context, from, to int) error {
	workers := runtime.GOMAXPROCS(0)
	failures := make([]error, workers)
	var wait sync.WaitGroup
	for w := range workers {
		wait.Go(func() {
			for i := from + w; i < to && failures[w] == nil; i += workers {
				failures[w] = a.record(ctx, i)
			}
		})
	}
	wait.Wait()
	return errors.Join(failures...)
}

func (a *assessor) record(ctx context.Context, i int) error {
	j, err := a.one(ctx, i)
	if err != nil {
		return err
	}
	subject := posture.Subject{
		APIVersion: j.Subject.APIVersion, Kind: j.Subject.Kind,
		Namespace: j.Subject.Namespace, Name: j.Subject.Name, UID: j.Subject.UID,
	}
	_, err = a.store.Record(subject, string(facts.Live), j.Verdicts, fleet.Created())
	return err
}

func (a *assessor) one(ctx context.Context, i int) (decide.Judgement, error) {
	var machine udsv1alpha1.UDSVirtualMachine
	if err := a.cache.Get(ctx, a.cache.Machines()[i], &machine); err != nil {
		return decide.Judgement{}, err
	}
	gathered, err := gather.FromReader(a.cache, fleet.Created).UDSVirtualMachine(ctx, &machine, facts.Live)
	if err != nil {
		return decide.Judgement{}, err
	}
	return a.judge.Verdicts(ctx, gathered), nil
}

// newAssessor returns one without machines and without a posture.
func newAssessor(ctx context.Context, f fleet.Fleet) (*assessor, error) {
	_, judge, _, err := decide.Load(ctx, engine.Observer{})
	if err != nil {
		return nil, err
	}
	cache, err := f.NewCache()
	return &assessor{cache: cache, judge: judge}, err
}
