package check

import (
	"context"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/decide"
	"cato.dev/cato/controllers/gather"
	"cato.dev/cato/policy/facts"
)

func (c *Checker) network(ctx context.Context, gatherer *gather.Gatherer, network *virtfoundryv1alpha1.Network, moment facts.Moment) (decide.Judgement, error) {
	gathered, err := gatherer.Network(ctx, network, moment)
	if err != nil {
		return decide.Judgement{}, err
	}
	if moment == facts.Live {
		return c.judge.Verdicts(ctx, gathered), nil
	}
	judgement, _, err := c.judge.Network(ctx, gathered, 0, moment)
	if err != nil {
		return c.withoutChildren(ctx, gathered, err, "fabric.attachments", "fabric.sharing"), nil
	}
	return judgement, nil
}

func (c *Checker) securityGroup(ctx context.Context, gatherer *gather.Gatherer, group *virtfoundryv1alpha1.SecurityGroup, moment facts.Moment) (decide.Judgement, error) {
	gathered, err := gatherer.SecurityGroup(ctx, group, moment)
	if err != nil {
		return decide.Judgement{}, err
	}
	if moment == facts.Live {
		return c.judge.Verdicts(ctx, gathered), nil
	}
	judgement, _, err := c.judge.SecurityGroup(ctx, gathered, moment)
	if err != nil {
		return c.withoutChildren(ctx, gathered, err, "network.policies"), nil
	}
	return judgement, nil
}

// asPlanned judges an object that has no children.
func asPlanned[T any](ctx context.Context, judge *decide.Judge, object T, moment facts.Moment, gathering func(context.Context, T, facts.Moment) (*facts.Gathered, error)) (decide.Judgement, error) {
	gathered, err := gathering(ctx, object, moment)
	if err != nil {
		return decide.Judgement{}, err
	}
	return judge.AsPlanned(ctx, gathered, moment), nil
}
