package main

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/decide"
	"cato.dev/cato/controllers/gather"
	"cato.dev/cato/policy/engine"
	"cato.dev/cato/policy/facts"
	"cato.dev/cato/test/load/fleet"
)

// oneTenant measures the rules on the subject with the fewest facts that passes:
// the children of a new Tenant before they are written.
func oneTenant(ctx context.Context, t *table) error {
	stopped := 0
	loaded, judge, _, err := decide.Load(ctx, engine.Observer{Fallback: func(string, string, error) { stopped++ }})
	if err != nil {
		return err
	}
	encoder, err := facts.NewEncoder()
	if err != nil {
		return err
	}
	empty, err := gather.NewFiles()
	if err != nil {
		return err
	}
	tenant := &virtfoundryv1alpha1.Tenant{
		ObjectMeta: metav1.ObjectMeta{Name: "acme", UID: "5f0c6c0e-1111-4222-8333-944445555668"},
		Spec:       virtfoundryv1alpha1.TenantSpec{Name: "Acme", Slug: "acme"},
	}
	gathered, err := gather.FromReader(empty, fleet.Created).Tenant(ctx, tenant, facts.Plan)
	if err != nil {
		return err
	}
	_, planned, err := judge.Tenant(ctx, gathered, facts.Plan)
	if err != nil {
		return err
	}
	in := facts.Build(decide.PlanTenant(gathered, planned, facts.Plan))
	size, err := json.Marshal(&in)
	if err != nil {
		return err
	}
	set, input := loaded.Current(), engine.Input{Value: encoder.Encode(&in), Gaps: in.Gaps}
	verdicts, _ := set.Judge(ctx, facts.KindTenant, engine.Plan, input)
	for _, v := range verdicts {
		if v.Value != engine.Pass && v.Value != engine.NotApplicable {
			return fmt.Errorf("the new Tenant: %s is %s: %s", v.Rule.ID, v.Value, v.Why)
		}
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	all := &operation{name: "judge a Tenant", run: func() error {
		set.Judge(ctx, facts.KindTenant, engine.Plan, input)
		return nil
	}}
	if err := measure([]*operation{all}, rounds); err != nil {
		return err
	}
	t.head("One new Tenant: %.1f KB of facts, %d rules", float64(len(size))/1000, len(verdicts))
	t.goal(fmt.Sprintf("one rule of %d", len(verdicts)), microseconds(all.cost())/float64(len(verdicts)), 35, "µs")
	t.line("evaluations stopped by their deadline (the machine was busy)", "%d", stopped)
	return nil
}
