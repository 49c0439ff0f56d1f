package check

import (
	"context"
	"slices"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/decide"
	"cato.dev/cato/controllers/gather"
	"cato.dev/cato/policy/facts"
)

func (c *Checker) instance(ctx context.Context, gatherer *gather.Gatherer, instance *virtfoundryv1alpha1.Instance, moment facts.Moment) (decide.Judgement, error) {
	gathered, err := gatherer.Instance(ctx, instance, moment)
	if err != nil {
		return decide.Judgement{}, err
	}
	if moment == facts.Live {
		return c.judge.Verdicts(ctx, gathered), nil
	}
	inPlannedNetworks(gathered)
	userData, err := gather.ReadSeed(ctx, gatherer.Reader, instance, decide.BootTemplate(gathered))
	if err != nil {
		return decide.Judgement{}, err
	}
	plan := c.judge.Instance(ctx, gathered, userData, moment)
	return plan.Judgement, nil
}

// inPlannedNetworks gives an isolated Network that no cluster has seen the
// NetworkAttachmentDefinition that the operator makes for it, of its own name.
func inPlannedNetworks(g *facts.Gathered) {
	g.Named.Networks = slices.Clone(g.Named.Networks)
	for i := range g.Named.Networks {
		network := &g.Named.Networks[i]
		if network.UID == "" && network.Status.NADName == "" && network.Spec.NetworkType == virtfoundryv1alpha1.NetworkIsolated {
			network.Status.NADName, network.Status.NADNamespace = network.Name, network.Namespace
		}
	}
}

// asIs judges an object for which nothing is written.
func (c *Checker) asIs(ctx context.Context, moment facts.Moment, gathered func() (*facts.Gathered, error)) (decide.Judgement, error) {
	g, err := gathered()
	if err != nil {
		return decide.Judgement{}, err
	}
	g.Moment = moment
	return c.judge.Verdicts(ctx, g), nil
}
