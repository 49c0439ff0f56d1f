package gather

import (
	"context"
	"slices"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/policy/facts"
)

// Platform is the platform's configuration in force, as far as it is facts.
type Platform struct {
	Problem       string   // why none is known to be in force; empty where one is
	ImagePrefixes []string // nil keeps the built-in list
	// PublicPool is what the public network gives out; nil where it is switched off.
	PublicPool *catov1alpha1.AddressPool
	Facts      facts.Platform
}

// PublicNetwork is the Network that the platform's public network is, as
// ComplianceProfiles name it.
const PublicNetwork = virtfoundryv1alpha1.SystemNamespace + "/public"

// platform fills in, where the profile in force says nothing, what the
// platform's configuration says. What nobody knows is a gap.
func (c *collector) platform(ctx context.Context) {
	if c.Platform == nil {
		return
	}
	in := c.Platform(ctx)
	parameters := &c.out.Profile.Parameters
	if in.Problem != "" {
		c.gap(in.Problem, "params.defaultClass", "params.snapshotClass")
		if parameters.ImageAllowlist == nil {
			c.gap(in.Problem, "params.imagePrefixes")
		}
		if c.out.Fabric.Network != nil { // its bridge is not known
			c.gap(in.Problem, "fabric.attachments", "fabric.sharing")
		}
		if c.out.Fabric.Address != nil && c.out.Fabric.Address.Namespace == virtfoundryv1alpha1.SystemNamespace {
			c.gap(in.Problem, "fabric.pool")
		}
		return
	}
	c.out.Platform = in.Facts
	if parameters.ImageAllowlist == nil && in.ImagePrefixes != nil {
		parameters.ImageAllowlist = &catov1alpha1.ImageAllowlist{Prefixes: in.ImagePrefixes}
	}
	said := slices.ContainsFunc(parameters.AddressPools, func(p catov1alpha1.AddressPool) bool { return p.Network == PublicNetwork })
	if in.PublicPool != nil && !said {
		parameters.AddressPools = append(slices.Clone(parameters.AddressPools), *in.PublicPool)
	}
}
