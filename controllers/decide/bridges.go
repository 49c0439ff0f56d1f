package decide

import (
	"context"
	"maps"
	"slices"

	appsv1 "k8s.io/api/apps/v1"

	"cato.dev/cato/controllers/children"
	"cato.dev/cato/policy/facts"
)

// HostBridges is the grant to change the nodes' networks.
const HostBridges = "host_bridges"

// HostBridges judges the DaemonSet that would be written for a gathered
// platform configuration; nil where both networks are off, and where what it
// would hold is not known.
func (j *Judge) HostBridges(ctx context.Context, g *facts.Gathered, moment facts.Moment) (Judgement, *appsv1.DaemonSet) {
	p := *g
	p.Moment = moment
	h := &p.Host
	switch {
	case h.Config == nil:
		return j.Verdicts(ctx, &p), nil
	case h.Problem != "" && h.Config.Networking.Public.ServesDHCP(): // which addresses to serve is not known
		p.Gaps = maps.Clone(g.Gaps)
		p.Gaps["bridges"] = h.Problem
		return j.Verdicts(ctx, &p), nil
	}
	planned := children.ForBridges(*h.Config, h.Network)
	if planned != nil {
		h.Sets = slices.DeleteFunc(slices.Clone(h.Sets), func(s appsv1.DaemonSet) bool { return s.Namespace == planned.Namespace && s.Name == planned.Name })
		h.Sets = append(h.Sets, *planned)
	}
	return j.Verdicts(ctx, &p), planned
}
