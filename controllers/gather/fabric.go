package gather

import (
	"context"
	"slices"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	cniv1 "cato.dev/cato/api/cni/v1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/policy/facts"
)

// Network gathers a Network with what could overlap with it, what could reach
// its segment and what uses it.
func (g *Gatherer) Network(ctx context.Context, network *virtfoundryv1alpha1.Network, moment facts.Moment) (*facts.Gathered, error) {
	c := g.collect(moment)
	c.out.Fabric.Network = network
	c.fabric(ctx, network.Namespace)
	c.addresses(ctx, network.Namespace)
	c.instances(ctx, network.Namespace, network.Name)
	var attachments cniv1.NetworkAttachmentDefinitionList
	c.list(ctx, "", &attachments, cniv1.ResourceNetworkAttachmentDefinitions, "fabric.attachments", "fabric.sharing")
	c.out.Fabric.Attachments = attachments.Items
	c.profile(ctx, facts.KindNetwork)
	c.assumeRanges()
	return c.out, c.failure
}

// VPC gathers a VPC with the Networks in it.
func (g *Gatherer) VPC(ctx context.Context, vpc *virtfoundryv1alpha1.VPC, moment facts.Moment) (*facts.Gathered, error) {
	c := g.collect(moment)
	c.out.Fabric.VPC = vpc
	c.fabric(ctx, vpc.Namespace)
	c.profile(ctx, facts.KindVPC)
	return c.out, c.failure
}

// IPAddress gathers an IPAddress with its Network, what else claims the address
// and what uses it.
func (g *Gatherer) IPAddress(ctx context.Context, address *virtfoundryv1alpha1.IPAddress, moment facts.Moment) (*facts.Gathered, error) {
	c := g.collect(moment)
	c.out.Fabric.Address = address
	c.fabric(ctx, address.Namespace)
	c.addresses(ctx, address.Namespace)
	c.instances(ctx, address.Namespace, address.Spec.NetworkRef.Name)
	c.profile(ctx, facts.KindIPAddress)
	return c.out, c.failure
}

// SecurityGroup gathers a SecurityGroup with the policies of its namespace.
func (g *Gatherer) SecurityGroup(ctx context.Context, group *virtfoundryv1alpha1.SecurityGroup, moment facts.Moment) (*facts.Gathered, error) {
	c := g.collect(moment)
	c.out.Fabric.SecurityGroup = group
	c.fabric(ctx, group.Namespace)
	c.policies(ctx, group.Namespace)
	c.profile(ctx, facts.KindSecurityGroup)
	return c.out, c.failure
}

// fabric reads what every subject of the tenants' networks needs: whose the
// namespace is, and which Networks and VPCs lie in it.
func (c *collector) fabric(ctx context.Context, namespace string) {
	f := &c.out.Fabric
	c.namespace(ctx, namespace)
	if slug, ours := strings.CutPrefix(namespace, virtfoundryv1alpha1.NamespacePrefix); ours {
		var tenants virtfoundryv1alpha1.TenantList
		if reason := c.Blind("tenants.virtfoundry.io", ""); reason != "" {
			c.unseen(reason, "fabric.tenants")
		} else if err := c.Reader.List(ctx, &tenants, client.MatchingFields{SlugIndex: slug}); err != nil {
			c.unreadable(err, "list", "tenants.virtfoundry.io", "", "fabric.tenants")
		}
		f.Tenants = tenants.Items
	}
	var networks virtfoundryv1alpha1.NetworkList
	c.list(ctx, namespace, &networks, "networks.virtfoundry.io", "fabric.networks", "fabric.pool")
	f.Networks = networks.Items
	var vpcs virtfoundryv1alpha1.VPCList
	c.list(ctx, namespace, &vpcs, "vpcs.virtfoundry.io", "fabric.vpcs")
	f.VPCs = vpcs.Items
}

func (c *collector) addresses(ctx context.Context, namespace string) {
	var addresses virtfoundryv1alpha1.IPAddressList
	c.list(ctx, namespace, &addresses, "ipaddresses.virtfoundry.io", "fabric.claims", "fabric.users")
	c.out.Fabric.Addresses = addresses.Items
}

// instances reads those whose NICs may name a Network: of its own namespace,
// and for one of the platform, of each namespace that has none of that name.
func (c *collector) instances(ctx context.Context, namespace, network string) {
	if namespace != virtfoundryv1alpha1.SystemNamespace {
		c.instancesOf(ctx, namespace, nil)
		return
	}
	var networks virtfoundryv1alpha1.NetworkList
	c.list(ctx, "", &networks, "networks.virtfoundry.io", "fabric.users")
	hides := map[string]bool{}
	for i := range networks.Items {
		if n := &networks.Items[i]; n.Name == network && n.Namespace != namespace {
			hides[n.Namespace] = true
		}
	}
	c.instancesOf(ctx, "", hides)
}

// instancesOf reads the Instances of a namespace, or of all, but for those of
// namespaces that hide what they would be users of by an object of its name.
func (c *collector) instancesOf(ctx context.Context, namespace string, hides map[string]bool) {
	var instances virtfoundryv1alpha1.InstanceList
	c.list(ctx, namespace, &instances, "instances.virtfoundry.io", "fabric.users")
	c.out.Fabric.Instances = slices.DeleteFunc(instances.Items, func(i virtfoundryv1alpha1.Instance) bool { return hides[i.Namespace] })
}

func (c *collector) assumeRanges() {
	if len(c.out.Profile.Parameters.ClusterRanges) == 0 {
		c.assume("the ranges of the cluster's pods, Services and nodes are not known: that no Network overlaps with them is assumed (parameter clusterRanges of profile %s)", c.out.Profile.Name)
	}
}
