package main

import (
	"context"
	"fmt"

	"cato.dev/cato/policy/engine"
	"cato.dev/cato/test/load/fleet"
)

// fullNamespace compares a machine that has a namespace to itself with one
// among many: every machine has a policy, and each is a fact of all of them.
func fullNamespace(ctx context.Context, t *table) error {
	sizes := []int{1, 100, 1000}
	var operations []*operation
	var unknown []int
	for _, size := range sizes {
		a, err := newAssessor(ctx, fleet.Fleet{PerNamespace: size})
		if err != nil {
			return err
		}
		if err := a.cache.Grow(size); err != nil {
			return err
		}
		judgement, err := a.one(ctx, 0)
		if err != nil {
			return err
		}
		undecided := 0
		for _, v := range judgement.Verdicts {
			if v.Value == engine.Unknown {
				undecided++
			}
		}
		unknown = append(unknown, undecided)
		operations = append(operations, &operation{name: fmt.Sprintf("machine among %d", size), run: func() error {
			_, err := a.one(ctx, 0)
			return err
		}})
	}
	if err := measure(operations, fewRounds); err != nil {
		return err
	}
	t.head("One machine among others of its namespace (from a cache that copies, as a manager's does)")
	t.note("lower quartile of %d rounds", fewRounds)
	for i, o := range operations {
		t.line(fmt.Sprintf("%d machines in the namespace", sizes[i]), "%.0f µs, %.2f times a machine alone; %d verdicts unknown", microseconds(o.cost()), o.times(operations[0]), unknown[i])
	}
	return nil
}
