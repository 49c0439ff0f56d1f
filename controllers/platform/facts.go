package platform

import (
	"context"

	"cato.dev/cato/api/platform"
	"cato.dev/cato/controllers/gather"
)

// Facts is what rules are told of the configuration in force.
func (h *Holder) Facts(ctx context.Context) gather.Platform {
	state := h.State(ctx)
	if !state.Known {
		return gather.Platform{Problem: "no platform configuration is known to be in force: " + state.Problem}
	}
	var nodes []platform.Node
	var err error
	if state.Config.Networking.Public.Enabled {
		nodes, err = gather.Nodes(ctx, h.reader)
	}
	return gather.PlatformOf(state.Config, h.ImagePrefixes(state), nodes, err)
}
