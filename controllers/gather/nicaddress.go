package gather

import (
	"context"
	"net/netip"
	"slices"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/policy/facts"
)

const addressesResource = "ipaddresses.virtfoundry.io"

// nicAddresses reads the IPAddresses that the NICs of an Instance need, by name, those that are marked as its own, and
// the objects that hold their addresses.
func (c *collector) nicAddresses(ctx context.Context, instance *virtfoundryv1alpha1.Instance) {
	for i := range instance.Spec.NICs {
		name := facts.NICClaimName(instance.Name, facts.NICName(i, instance.Spec.NICs[i].Name))
		c.nicAddress(ctx, instance.Namespace, name)
	}
	if reason := c.Blind(addressesResource, instance.Namespace); reason != "" {
		c.unseen(reason, "fabric.nicClaims")
		return
	}
	var own virtfoundryv1alpha1.IPAddressList
	marked := client.MatchingLabels{virtfoundryv1alpha1.LabelInstance: instance.Name}
	if err := c.Reader.List(ctx, &own, client.InNamespace(instance.Namespace), marked); err != nil {
		c.unreadable(err, "list", addressesResource, instance.Namespace, "fabric.nicClaims")
	}
	for i := range own.Items {
		c.keepAddress(&own.Items[i])
	}
	for _, claim := range slices.Clone(c.out.Named.Addresses) {
		if address, err := netip.ParseAddr(claim.Spec.Address); err == nil {
			c.nicAddress(ctx, claim.Namespace, facts.LockName(address))
		}
	}
}

func (c *collector) nicAddress(ctx context.Context, namespace, name string) {
	var address virtfoundryv1alpha1.IPAddress
	if c.get(ctx, types.NamespacedName{Namespace: namespace, Name: name}, &address, addressesResource, "fabric.nicClaims") {
		c.keepAddress(&address)
	}
}

func (c *collector) keepAddress(address *virtfoundryv1alpha1.IPAddress) {
	known := func(a virtfoundryv1alpha1.IPAddress) bool { return a.Name == address.Name }
	if !slices.ContainsFunc(c.out.Named.Addresses, known) {
		c.out.Named.Addresses = append(c.out.Named.Addresses, *address)
	}
}
