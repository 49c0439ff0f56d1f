package gather

import (
	"context"
	"slices"

	"cato.dev/cato/policy/facts"
)

// Assumptions are the defaults that stand in for facts of the cluster when
// subjects of these kinds are judged in a namespace, in sentences, sorted.
func (g *Gatherer) Assumptions(ctx context.Context, namespace string, kinds []string) ([]string, error) {
	c := g.collect(facts.Live)
	c.namespace(ctx, namespace)
	for _, kind := range kinds {
		c.profile(ctx, kind)
		switch kind {
		case facts.KindNetwork:
			c.assumeRanges()
		case facts.KindTenant, facts.KindVPC, facts.KindIPAddress, facts.KindSecurityGroup,
			facts.KindSSHKey, facts.KindDisk, facts.KindDiskSnapshot, facts.KindInstanceSnapshot, facts.KindUser, facts.KindRole, facts.KindAPIKey:
		default:
			c.cdiConfig(ctx)
		}
	}
	slices.Sort(c.out.Assumptions)
	return slices.Compact(c.out.Assumptions), c.failure
}
