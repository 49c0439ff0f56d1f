package platform

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
)

// Node is what the public network needs to know of a Node: its name and its internal addresses.
type Node struct {
	Name      string
	Addresses []netip.Addr
}

// Network is the public network in force.
type Network struct {
	Prefix   netip.Prefix
	Gateway  netip.Addr
	Pool     Range
	Reserved []Reserved
	DNS      []string
}

// Resolve returns the public network, given the Nodes in the order of their age: where the file leaves the range to
// the cluster, it is the /24 of the first Node's internal IPv4 address, with gateway .1 and pool .20 to .80. What the
// Nodes have themselves is reserved. Which interface carries a Node's address is not asked: an uplink is never guessed.
func (p *Public) Resolve(nodes []Node) (Network, error) {
	network, problems := p.resolve(nodes)
	return network, errors.Join(problems...)
}

func (p *Public) resolve(nodes []Node) (Network, []error) {
	wish, err := p.filled(nodes)
	if err != nil {
		return Network{}, []error{err}
	}
	check := &problems{}
	network := Network{Pool: wish.IPPool, Reserved: slices.Clone(wish.ReservedRanges)}
	const at = "networking.public."
	network.Prefix, err = netip.ParsePrefix(wish.CIDR)
	if err != nil || !network.Prefix.Addr().Is4() || network.Prefix != network.Prefix.Masked() || network.Prefix.Bits() > 30 {
		check.add(at+"cidr", "%.64q is no IPv4 range with room for guests: write one such as %s", wish.CIDR, defaultCIDR)
		return Network{}, check.found
	}
	inside := func(key, text string) netip.Addr {
		address, err := netip.ParseAddr(text)
		if err != nil || !network.Prefix.Contains(address) {
			check.add(at+key, "%.64q is no address of %s: write one of that range", text, network.Prefix)
			return netip.Addr{}
		}
		return address
	}
	network.Gateway = inside("gateway", wish.Gateway)
	pool := span{inside("ipPool.start", wish.IPPool.Start), inside("ipPool.end", wish.IPPool.End)}
	if pool.valid() && pool.last.Less(pool.first) {
		check.add(at+"ipPool", "start %s lies above end %s: swap them", pool.first, pool.last)
	}
	if pool.has(network.Gateway) {
		check.add(at+"gateway", "%s lies inside of ipPool: take it out of the pool", network.Gateway)
	}
	for i, reserved := range wish.ReservedRanges {
		key := fmt.Sprintf("reservedRanges[%d]", i)
		kept := span{inside(key+".start", reserved.Start), inside(key+".end", reserved.End)}
		switch {
		case kept.valid() && kept.last.Less(kept.first):
			check.add(at+key, "start %s lies above end %s: swap them", kept.first, kept.last)
		case kept.valid() && pool.valid() && kept.overlaps(pool):
			check.add(at+key, "%s to %s overlaps ipPool: make the pool smaller", kept.first, kept.last)
		}
	}
	network.DNS = wish.DNS
	if len(wish.DNS) == 0 && network.Gateway.IsValid() {
		network.DNS = []string{network.Gateway.String()}
	}
	for i, resolver := range network.DNS {
		if _, err := netip.ParseAddr(resolver); err != nil {
			check.add(fmt.Sprintf("%sdns[%d]", at, i), "%.64q is no address: write one such as %s", resolver, network.Gateway)
		}
	}
	network.Reserved = append(network.Reserved, wish.ofNodes(check, nodes, network.Prefix, pool)...)
	return network, check.found
}

// filled is the wish with what the file leaves to the cluster, or to the built-in range.
func (p *Public) filled(nodes []Node) (Public, error) {
	wish := *p
	unset := func(value, builtIn string) bool { return value == "" || value == builtIn }
	switch {
	case p.Auto():
		first, ok := firstAddress(nodes)
		if !ok {
			return Public{}, errors.New("networking.public.autoFromCluster: no Node has an internal IPv4 address: set networking.public.cidr, gateway and ipPool")
		}
		block := netip.PrefixFrom(first, 24).Masked()
		wish.CIDR = block.String()
		if unset(p.Gateway, defaultGateway) {
			wish.Gateway = host(block, 1)
		}
		if unset(p.IPPool.Start, defaultPoolStart) && unset(p.IPPool.End, defaultPoolEnd) {
			wish.IPPool = Range{host(block, 20), host(block, 80)}
		}
	case unset(p.CIDR, defaultCIDR):
		wish.CIDR = defaultCIDR
		fill(&wish.Gateway, defaultGateway)
		fill(&wish.IPPool.Start, defaultPoolStart)
		fill(&wish.IPPool.End, defaultPoolEnd)
		if wish.ReservedRanges == nil {
			wish.ReservedRanges = []Reserved{{defaultReservedStart, defaultReservedEnd, "load balancers"}}
		}
	}
	return wish, nil
}

func fill(value *string, otherwise string) {
	if *value == "" {
		*value = otherwise
	}
}

func firstAddress(nodes []Node) (netip.Addr, bool) {
	for _, node := range nodes {
		for _, address := range node.Addresses {
			if address.Is4() {
				return address, true
			}
		}
	}
	return netip.Addr{}, false
}

// host is the address of a /24 with a last octet.
func host(block netip.Prefix, last byte) string {
	octets := block.Addr().As4()
	octets[3] = last
	return netip.AddrFrom4(octets).String()
}
