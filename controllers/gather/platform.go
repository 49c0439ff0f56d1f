package gather

import (
	"cmp"
	"context"
	"net/netip"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	platformapi "cato.dev/cato/api/platform"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/policy/facts"
)

// Platform is the platform's configuration in force, as far as it is facts.
type Platform struct {
	Problem       string   // why none is known to be in force; empty where one is
	Assumed       bool     // the defaults stand in for a file that nobody has seen
	ImagePrefixes []string // nil keeps the built-in list
	// PublicPool is what the public network gives out; nil where it is switched off.
	PublicPool     *catov1alpha1.AddressPool
	Facts          facts.Platform
	Config         *platformapi.Config // nil where none is known to be in force
	Network        platformapi.Network // the public network, where it is switched on and can be told
	NetworkProblem string              // why it cannot
	Nodeless       bool                // no Node is known
}

// PublicNetwork is the Network that the platform's public network is, as
// ComplianceProfiles name it.
const PublicNetwork = virtfoundryv1alpha1.SystemNamespace + "/public"

// PlatformOf is what rules are told of a configuration in a cluster with these
// Nodes, or with an error of reading them. While the public network cannot be told, all of it is reserved: nothing
// is given that may be a Node's.
func PlatformOf(config platformapi.Config, imagePrefixes []string, nodes []platformapi.Node, unread error) Platform {
	told := Platform{
		ImagePrefixes: imagePrefixes, Config: &config, Nodeless: len(nodes) == 0,
		Facts: facts.Platform{
			DefaultClass: config.Storage.DefaultClass, SnapshotClass: config.Storage.SnapshotClass,
			IsolatedBridge: config.Networking.Isolated.Bridge.Name,
		},
	}
	public := &config.Networking.Public
	if !public.Enabled {
		return told
	}
	told.PublicPool = &catov1alpha1.AddressPool{Network: PublicNetwork}
	network, err := public.Resolve(nodes)
	if err = cmp.Or(unread, err); err != nil {
		told.NetworkProblem = err.Error()
		told.PublicPool.Reserved = []catov1alpha1.AddressRange{{Start: "0.0.0.0", End: "255.255.255.255", Reason: err.Error()}}
		return told
	}
	told.Network, told.PublicPool.Start, told.PublicPool.End = network, network.Pool.Start, network.Pool.End
	for _, reserved := range network.Reserved {
		told.PublicPool.Reserved = append(told.PublicPool.Reserved, catov1alpha1.AddressRange{Start: reserved.Start, End: reserved.End, Reason: reserved.Reason})
	}
	return told
}

// Nodes are the cluster's Nodes with their internal addresses, oldest first.
func Nodes(ctx context.Context, reader client.Reader) ([]platformapi.Node, error) {
	var list corev1.NodeList
	if err := reader.List(ctx, &list); err != nil {
		return nil, err
	}
	slices.SortFunc(list.Items, func(a, b corev1.Node) int {
		return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.Name, b.Name))
	})
	nodes := make([]platformapi.Node, 0, len(list.Items))
	for i := range list.Items {
		node := platformapi.Node{Name: list.Items[i].Name}
		for _, address := range list.Items[i].Status.Addresses {
			if parsed, err := netip.ParseAddr(address.Address); err == nil && address.Type == corev1.NodeInternalIP {
				node.Addresses = append(node.Addresses, parsed)
			}
		}
		nodes = append(nodes, node)
	}
	return nodes, nil
}

// platform fills in, where the profile in force says nothing, what the
// platform's configuration says. What nobody knows is a gap.
func (c *collector) platform(ctx context.Context, kind string) {
	if c.Platform == nil {
		return
	}
	in := c.Platform(ctx)
	parameters := &c.out.Profile.Parameters
	public := c.out.Fabric.Address != nil && c.out.Fabric.Address.Namespace == virtfoundryv1alpha1.SystemNamespace
	if in.Problem != "" {
		c.gap(in.Problem, "params.defaultClass", "params.snapshotClass")
		if parameters.ImageAllowlist == nil {
			c.gap(in.Problem, "params.imagePrefixes")
		}
		if c.out.Fabric.Network != nil { // its bridge is not known
			c.gap(in.Problem, "fabric.attachments", "fabric.sharing")
		}
		if public {
			c.gap(in.Problem, "fabric.pool")
		}
		return
	}
	if in.Assumed && asksPlatform(kind) {
		c.assume("no ConfigMap %s is in the input: the defaults of the platform's configuration are assumed", platformapi.ConfigMapName)
	}
	c.out.Platform = in.Facts
	if parameters.ImageAllowlist == nil && in.ImagePrefixes != nil {
		parameters.ImageAllowlist = &catov1alpha1.ImageAllowlist{Prefixes: in.ImagePrefixes}
	}
	said := slices.ContainsFunc(parameters.AddressPools, func(p catov1alpha1.AddressPool) bool { return p.Network == PublicNetwork })
	switch {
	case in.PublicPool == nil || said:
	case c.FromFiles && in.NetworkProblem != "": // the cluster has Nodes that files do not show
		if public {
			c.gap(in.NetworkProblem, "fabric.pool")
		}
	default:
		if public && c.FromFiles && in.Nodeless {
			c.assume("no Node is in the input: that none has an address of the public network is assumed")
		}
		parameters.AddressPools = append(slices.Clone(parameters.AddressPools), *in.PublicPool)
	}
}

// asksPlatform tells whether rules on a kind read what the configuration says.
func asksPlatform(kind string) bool {
	switch kind {
	case facts.KindTemplate, facts.KindDisk, facts.KindDiskSnapshot, facts.KindNetwork, facts.KindIPAddress:
		return true
	default:
		return facts.RunsMachine(kind)
	}
}
