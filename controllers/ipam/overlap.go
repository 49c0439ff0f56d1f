package ipam

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
)

// Network is a range and whose it is.
type Network struct {
	// Name says whose the range is, for example virtfoundry-tenant-acme/web or the pod network.
	Name   string
	Prefix netip.Prefix
}

// Overlap is two networks that have addresses in common.
type Overlap struct {
	Wide, Narrow Network
}

func (o Overlap) String() string {
	return fmt.Sprintf("%s of %s overlaps %s of %s", o.Narrow.Prefix, o.Narrow.Name, o.Wide.Prefix, o.Wide.Name)
}

// Overlaps finds every pair that overlaps, in the order of the addresses. Two ranges overlap only if one lies in the
// other, so each is compared with those that are still open where it begins.
func Overlaps(networks []Network) []Overlap {
	sorted := slices.SortedFunc(slices.Values(networks), func(a, b Network) int {
		return cmp.Or(a.Prefix.Addr().Compare(b.Prefix.Addr()), cmp.Compare(a.Prefix.Bits(), b.Prefix.Bits()), cmp.Compare(a.Name, b.Name))
	})
	var found []Overlap
	var open []Network
	for _, network := range sorted {
		for len(open) > 0 && !open[len(open)-1].Prefix.Overlaps(network.Prefix) {
			open = open[:len(open)-1]
		}
		for _, wide := range open {
			found = append(found, Overlap{wide, network})
		}
		open = append(open, network)
	}
	return found
}

// Within tells why a range does not lie in the range of its VPC, or nil.
func Within(vpc, network netip.Prefix) error {
	if vpc.Addr().BitLen() == network.Addr().BitLen() && vpc.Bits() <= network.Bits() && vpc.Contains(network.Addr()) {
		return nil
	}
	return fmt.Errorf("cidr %s does not lie in the range of its VPC, %s: use a part of it", network, vpc)
}

// FromNode is the shared network that a node's address suggests: its /24, the gateway at .1 and a pool from .20 to .80.
func FromNode(node netip.Addr) (Config, error) {
	if !node.Is4() {
		return Config{}, fmt.Errorf("node address %s is not IPv4: set cidr, gateway and pool of the public network", node)
	}
	network := netip.PrefixFrom(node, 24).Masked()
	at := func(host byte) string {
		bytes := network.Addr().As4()
		bytes[3] = host
		return netip.AddrFrom4(bytes).String()
	}
	return Config{CIDR: network.String(), Gateway: at(1), PoolStart: at(20), PoolEnd: at(80)}, nil
}
