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
		switch {
		case kind == facts.KindNetwork:
			c.assumeRanges()
		case facts.RunsMachine(kind):
			c.cdiConfig(ctx)
		}
	}
	slices.Sort(c.out.Assumptions)
	return slices.Compact(c.out.Assumptions), c.failure
}
