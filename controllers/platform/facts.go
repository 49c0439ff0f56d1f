package platform

import (
	"cmp"
	"context"
	"net/netip"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	"cato.dev/cato/api/platform"
	"cato.dev/cato/controllers/gather"
	"cato.dev/cato/policy/facts"
)

// Facts is what rules are told of the configuration in force.
func (h *Holder) Facts(ctx context.Context) gather.Platform {
	state := h.State(ctx)
	if !state.Known {
		return gather.Platform{Problem: "no platform configuration is known to be in force: " + state.Problem}
	}
	told := gather.Platform{
		ImagePrefixes: h.ImagePrefixes(state),
		Facts: facts.Platform{
			DefaultClass: state.Config.Storage.DefaultClass, SnapshotClass: state.Config.Storage.SnapshotClass,
			IsolatedBridge: state.Config.Networking.Isolated.Bridge.Name,
		},
	}
	if public := &state.Config.Networking.Public; public.Enabled {
		told.PublicPool = h.pool(ctx, public)
	}
	return told
}

// pool is what the public network gives out. While it cannot be told, all of it
// is reserved: nothing is given that may be a Node's.
func (h *Holder) pool(ctx context.Context, public *platform.Public) *catov1alpha1.AddressPool {
	pool := &catov1alpha1.AddressPool{Network: gather.PublicNetwork}
	nodes, err := Nodes(ctx, h.reader)
	var network platform.Network
	if err == nil {
		network, err = public.Resolve(nodes)
	}
	if err != nil {
		pool.Reserved = []catov1alpha1.AddressRange{{Start: "0.0.0.0", End: "255.255.255.255", Reason: err.Error()}}
		return pool
	}
	pool.Start, pool.End = network.Pool.Start, network.Pool.End
	for _, reserved := range network.Reserved {
		pool.Reserved = append(pool.Reserved, catov1alpha1.AddressRange{Start: reserved.Start, End: reserved.End, Reason: reserved.Reason})
	}
	return pool
}

// Nodes are the cluster's Nodes with their internal addresses, oldest first.
func Nodes(ctx context.Context, reader client.Reader) ([]platform.Node, error) {
	var list corev1.NodeList
	if err := reader.List(ctx, &list); err != nil {
		return nil, err
	}
	slices.SortFunc(list.Items, func(a, b corev1.Node) int {
		return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.Name, b.Name))
	})
	nodes := make([]platform.Node, 0, len(list.Items))
	for i := range list.Items {
		node := platform.Node{Name: list.Items[i].Name}
		for _, address := range list.Items[i].Status.Addresses {
			if parsed, err := netip.ParseAddr(address.Address); err == nil && address.Type == corev1.NodeInternalIP {
				node.Addresses = append(node.Addresses, parsed)
			}
		}
		nodes = append(nodes, node)
	}
	return nodes, nil
}
