// Package ipam is the arithmetic of addresses: which of a network's addresses
// guests may have, which is the next free one, who keeps an address that two
// objects claim, and which networks overlap. It is pure: no client, no clock.
package ipam

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
)

// Config is a network's range and what is kept out of it, as people write it.
// Addresses are IPv4 or IPv6, without zone; empty texts mean absent.
type Config struct {
	// CIDR is the range, written from its first address, for example 10.0.0.0/24.
	CIDR string
	// Gateway is the guests' default route, a host's address in CIDR.
	Gateway string
	// HostAddress is the address of the host's own bridge, if it has one, with or without a prefix length.
	HostAddress string
	// PoolStart and PoolEnd bound what guests get; both or neither. The pool holds neither gateway, host address nor reserved addresses.
	PoolStart, PoolEnd string
	// Reserved are never given to guests. A range outside CIDR has no effect.
	Reserved []ReservedRange
}

// ReservedRange is an inclusive range that no guest gets, for example that of a load balancer.
type ReservedRange struct {
	Start, End string
	// Reason is shown to whoever asks for one of its addresses.
	Reason string
}

// Plan says which addresses of a network guests may have. The zero Plan has none.
type Plan struct {
	prefix      netip.Prefix
	first, last netip.Addr
	blocks      []block // by first address
}

// block is an inclusive range that no guest gets, and why.
type block struct {
	first, last netip.Addr
	reason      string
}

func (b block) contains(a netip.Addr) bool { return !a.Less(b.first) && !b.last.Less(a) }

// New reads a Config. The error joins everything that is wrong with it, each with field, value and remedy.
func New(c Config) (Plan, error) {
	prefix, err := ParsePrefix(c.CIDR)
	if err != nil {
		return Plan{}, fmt.Errorf("cidr: %w", err)
	}
	p := Plan{prefix: prefix, first: prefix.Addr(), last: lastOf(prefix)}
	p.blocks = append(p.blocks, block{p.first, p.first, "the address of the network itself"})
	if prefix.Addr().Is4() {
		p.blocks = append(p.blocks, block{p.last, p.last, "the broadcast address"})
	}
	gateway, errGateway := p.blockOne("gateway", "the gateway", c.Gateway)
	host, errHost := p.blockHost(c.HostAddress, gateway)
	if err := errors.Join(errGateway, errHost, p.blockReserved(c.Reserved, host), p.bound(c.PoolStart, c.PoolEnd)); err != nil {
		return Plan{}, err
	}
	slices.SortFunc(p.blocks, func(a, b block) int {
		if d := a.first.Compare(b.first); d != 0 {
			return d
		}
		return a.last.Compare(b.last)
	})
	return p, nil
}

// Prefix is the network's range.
func (p Plan) Prefix() netip.Prefix { return p.prefix }

// blockOne keeps one address of a host from guests and returns it; the zero address stands for none.
func (p *Plan) blockOne(field, reason, text string) (netip.Addr, error) {
	if text == "" {
		return netip.Addr{}, nil
	}
	address, err := ParseAddress(text)
	if err != nil {
		return netip.Addr{}, fmt.Errorf("%s: %w", field, err)
	}
	if !p.prefix.Contains(address) {
		return netip.Addr{}, fmt.Errorf("%s %s lies outside %s: use the address of a host in it", field, address, p.prefix)
	}
	for _, b := range p.blocks {
		if b.contains(address) {
			return netip.Addr{}, fmt.Errorf("%s %s is %s: use the address of a host in %s", field, address, b.reason, p.prefix)
		}
	}
	p.blocks = append(p.blocks, block{address, address, reason})
	return address, nil
}

// blockHost keeps the host's address from guests; a host may be the gateway itself.
func (p *Plan) blockHost(text string, gateway netip.Addr) (netip.Addr, error) {
	if prefix, err := netip.ParsePrefix(text); err == nil {
		text = prefix.Addr().String()
	}
	if gateway.IsValid() && text == gateway.String() {
		return gateway, nil
	}
	return p.blockOne("host address", "the address of the host's bridge", text)
}

// blockReserved keeps ranges from guests and, since others give their addresses out, from the host too.
func (p *Plan) blockReserved(ranges []ReservedRange, host netip.Addr) error {
	var problems []error
	for i, r := range ranges {
		first, last, err := parseRange(r.Start, r.End)
		if err != nil {
			problems = append(problems, fmt.Errorf("reserved range %d: %w", i, err))
			continue
		}
		reason := "reserved"
		if r.Reason != "" {
			reason += " (" + r.Reason + ")"
		}
		reserved := block{first, last, reason}
		if host.IsValid() && reserved.contains(host) {
			problems = append(problems, fmt.Errorf("reserved range %d, %s to %s, holds the host address %s: move one of them", i, first, last, host))
		}
		p.blocks = append(p.blocks, reserved)
	}
	return errors.Join(problems...)
}

// bound narrows the plan to the pool, which may hold nothing that is blocked.
func (p *Plan) bound(start, end string) error {
	if start == "" && end == "" {
		return nil
	}
	first, last, err := parseRange(start, end)
	if err != nil {
		return fmt.Errorf("pool: %w", err)
	}
	if !p.prefix.Contains(first) || !p.prefix.Contains(last) {
		return fmt.Errorf("pool %s to %s lies outside %s: use addresses of hosts in it", first, last, p.prefix)
	}
	for _, b := range p.blocks {
		if !b.last.Less(first) && !last.Less(b.first) {
			return fmt.Errorf("pool %s to %s holds %s, which is %s: end the pool before it or start after it", first, last, maxOf(first, b.first), b.reason)
		}
	}
	p.first, p.last = first, last
	return nil
}

// Check reads an address and tells why no guest may have it, or nil. Whether it is free is not asked.
func (p Plan) Check(text string) (netip.Addr, error) {
	address, err := ParseAddress(text)
	if err != nil {
		return netip.Addr{}, err
	}
	if !p.prefix.Contains(address) {
		return netip.Addr{}, fmt.Errorf("address %s lies outside %s: use one of the network, or leave the address empty to have one allocated", address, p.prefix)
	}
	for _, b := range p.blocks {
		if b.contains(address) {
			return netip.Addr{}, fmt.Errorf("address %s is %s: use another one, or leave the address empty to have one allocated", address, b.reason)
		}
	}
	if address.Less(p.first) || p.last.Less(address) {
		return netip.Addr{}, fmt.Errorf("address %s lies outside the pool %s to %s: use one of the pool, or leave the address empty to have one allocated", address, p.first, p.last)
	}
	return address, nil
}

// Next is the smallest address that guests may have and that is not taken. It takes time in proportion to what is taken.
func (p Plan) Next(taken map[netip.Addr]bool) (netip.Addr, error) {
	blocks := p.blocks
	for a := p.first; a.IsValid() && !p.last.Less(a); {
		switch {
		// Every block that begins at or before the address is passed once, and what it covers is jumped over.
		case len(blocks) > 0 && !a.Less(blocks[0].first):
			if blocks[0].contains(a) {
				a = blocks[0].last.Next()
			}
			blocks = blocks[1:]
		case taken[a]:
			a = a.Next()
		default:
			return a, nil
		}
	}
	return netip.Addr{}, fmt.Errorf("%s has no free address: delete IPAddresses that nothing uses, or use another network", p.prefix)
}

func maxOf(a, b netip.Addr) netip.Addr {
	if a.Less(b) {
		return b
	}
	return a
}
