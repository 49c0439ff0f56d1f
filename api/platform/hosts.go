package platform

import (
	"fmt"
	"net/netip"
	"slices"
)

// span is an inclusive range of addresses; either end may be none.
type span struct{ first, last netip.Addr }

func (s span) valid() bool { return s.first.IsValid() && s.last.IsValid() }

func (s span) has(address netip.Addr) bool {
	return s.valid() && address.IsValid() && !address.Less(s.first) && !s.last.Less(address)
}

func (s span) overlaps(other span) bool {
	return s.has(other.first) || s.has(other.last) || other.has(s.first)
}

// hostAddress checks an address of the host on a bridge; it may be absent.
func (p *problems) hostAddress(key, text string) (netip.Prefix, bool) {
	if text == "" {
		return netip.Prefix{}, false
	}
	prefix, err := netip.ParsePrefix(text)
	if err != nil || !prefix.Addr().Is4() || prefix == prefix.Masked() {
		p.add(key, "%.64q is no address with its prefix: write it as 10.0.50.2/24", text)
		return netip.Prefix{}, false
	}
	return prefix, true
}

// ofNodes reserves what the Nodes have in the range: their own addresses, and theirs on the bridge, of which the last
// octet is each Node's own, so that no two have one.
func (p *Public) ofNodes(check *problems, nodes []Node, within netip.Prefix, pool span) []Reserved {
	const key = "networking.public.bridge.address"
	var reserved []Reserved
	keep := func(address netip.Addr, reason string) {
		if within.Contains(address) {
			reserved = append(reserved, Reserved{address.String(), address.String(), reason})
		}
	}
	onBridge, has := check.hostAddress(key, p.Bridge.Address)
	switch {
	case has && !within.Contains(onBridge.Addr()):
		check.add(key, "%s is no address of %s: write one of that range", onBridge.Addr(), within)
	case has && pool.has(onBridge.Addr()):
		check.add(key, "%s lies inside of ipPool: take it out of the pool", onBridge.Addr())
	}
	for _, kept := range p.ReservedRanges {
		first, errFirst := netip.ParseAddr(kept.Start)
		last, errLast := netip.ParseAddr(kept.End)
		if errFirst == nil && errLast == nil && has && (span{first, last}).has(onBridge.Addr()) {
			check.add(key, "%s lies inside of reserved range %s to %s: take another", onBridge.Addr(), first, last)
		}
	}
	taken := map[netip.Addr]string{}
	for _, node := range nodes {
		for i, address := range node.Addresses {
			keep(address, "Node "+node.Name)
			if !has || i > 0 || !address.Is4() {
				continue
			}
			octets := onBridge.Addr().As4()
			octets[3] = address.As4()[3]
			own := netip.AddrFrom4(octets)
			if other := taken[own]; other != "" {
				check.add(key, "Nodes %s and %s would both have %s, since their addresses end in one octet: leave it empty", other, node.Name, own)
			}
			taken[own] = node.Name
			keep(own, fmt.Sprintf("bridge of Node %s", node.Name))
		}
	}
	return reserved
}

// Free are the parts of the pool in which nothing is reserved, in their order.
func (n *Network) Free() []Range {
	first, errFirst := netip.ParseAddr(n.Pool.Start)
	last, errLast := netip.ParseAddr(n.Pool.End)
	if errFirst != nil || errLast != nil {
		return nil
	}
	kept := []span{}
	for _, reserved := range n.Reserved {
		from, errFrom := netip.ParseAddr(reserved.Start)
		to, errTo := netip.ParseAddr(reserved.End)
		if errFrom == nil && errTo == nil {
			kept = append(kept, span{from, to})
		}
	}
	slices.SortFunc(kept, func(a, b span) int { return a.first.Compare(b.first) })
	free := []Range{}
	for _, k := range kept {
		if !k.overlaps(span{first, last}) {
			continue // also one that lies within what was passed
		}
		if first.Less(k.first) {
			free = append(free, Range{first.String(), k.first.Prev().String()})
		}
		if !k.last.Less(last) {
			return free
		}
		first = k.last.Next()
	}
	return append(free, Range{first.String(), last.String()})
}
