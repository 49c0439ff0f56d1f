package check

import (
	"context"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

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
	if err := c.inPlannedTenant(ctx, gatherer, gathered); err != nil {
		return decide.Judgement{}, err
	}
	inPlannedNetworks(gathered)
	userData, err := gather.ReadSeed(ctx, gatherer.Reader, instance, decide.BootTemplate(gathered))
	if err != nil {
		return decide.Judgement{}, err
	}
	plan := c.judge.Instance(ctx, gathered, userData, moment)
	return plan.Judgement, nil
}

// inPlannedTenant puts an Instance whose namespace is not in the input where
// the Tenant in the input will make it, as the operator would.
func (c *Checker) inPlannedTenant(ctx context.Context, gatherer *gather.Gatherer, g *facts.Gathered) error {
	slug, ofTenant := strings.CutPrefix(g.Instance.Namespace, virtfoundryv1alpha1.NamespacePrefix)
	if !ofTenant || g.Namespace != nil {
		return nil
	}
	var tenants virtfoundryv1alpha1.TenantList
	if err := gatherer.Reader.List(ctx, &tenants, client.MatchingFields{gather.SlugIndex: slug}); err != nil || len(tenants.Items) != 1 {
		return err
	}
	tenant, err := gatherer.Tenant(ctx, &tenants.Items[0], facts.Plan)
	if err != nil {
		return err
	}
	_, planned, err := c.judge.Tenant(ctx, tenant, facts.Plan)
	if err != nil {
		return nil // what is wrong with the Tenant is said of the Tenant
	}
	made := decide.PlanTenant(tenant, planned, facts.Plan)
	g.Namespace, g.NetworkPolicies, g.LimitRanges, g.ResourceQuotas = made.Namespace, made.NetworkPolicies, made.LimitRanges, made.ResourceQuotas
	g.Named.Tenant = &tenants.Items[0]
	g.Gaps = maps.Clone(g.Gaps)
	return nil
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
