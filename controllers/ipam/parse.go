package ipam

import (
	"errors"
	"fmt"
	"net/netip"

	"cato.dev/cato/policy/facts"
)

// ParsePrefix reads a CIDR. It refuses bits beyond the prefix, zones, IPv4 written as IPv6, ranges without room for a guest beside its gateway, and those that no guest can be in: what the schema of a Network refuses, and nothing else.
func ParsePrefix(text string) (netip.Prefix, error) {
	prefix, err := netip.ParsePrefix(text)
	if err != nil || prefix.Addr().Is4In6() {
		return netip.Prefix{}, fmt.Errorf("%q is no CIDR: write an address and the length of its prefix, for example 10.0.0.0/16", text)
	}
	if prefix != prefix.Masked() {
		return netip.Prefix{}, fmt.Errorf("%s has bits beyond its prefix: write %s", prefix, prefix.Masked())
	}
	if longest := prefix.Addr().BitLen() - 2; prefix.Bits() > longest {
		return netip.Prefix{}, fmt.Errorf("%s has no room for a guest beside its gateway: use a prefix of at most /%d", prefix, longest)
	}
	if a := prefix.Addr(); !a.IsGlobalUnicast() && !a.IsLinkLocalUnicast() {
		return netip.Prefix{}, fmt.Errorf("%s holds addresses that no guest can have (unspecified, loopback or multicast): use a private range such as 10.0.0.0/16", prefix)
	}
	return prefix, nil
}

// ParseAddress reads an address. It refuses zones and IPv4 written as IPv6, by which one address would have two names.
func ParseAddress(text string) (netip.Addr, error) {
	address, err := netip.ParseAddr(text)
	if err != nil || address.Zone() != "" || address.Is4In6() {
		return netip.Addr{}, fmt.Errorf("%q is no IP address: write one such as 10.0.0.7", text)
	}
	return address, nil
}

func parseRange(start, end string) (first, last netip.Addr, err error) {
	first, errFirst := ParseAddress(start)
	last, errLast := ParseAddress(end)
	if err := errors.Join(errFirst, errLast); err != nil {
		return first, last, err
	}
	if first.BitLen() != last.BitLen() {
		return first, last, fmt.Errorf("%s and %s are of two families: use one", first, last)
	}
	if last.Less(first) {
		return first, last, fmt.Errorf("start %s lies above end %s: swap them", first, last)
	}
	return first, last, nil
}

// lastOf is the last address of a range.
func lastOf(prefix netip.Prefix) netip.Addr {
	bytes := prefix.Addr().AsSlice()
	for bit := prefix.Bits(); bit < len(bytes)*8; bit++ {
		bytes[bit/8] |= 1 << (7 - bit%8)
	}
	last, _ := netip.AddrFromSlice(bytes) // as long as the slice of an address is
	return last
}

// ObjectName is the name of the IPAddress that claims an address: the address with hyphens. No two addresses have one name, so the API server lets only one claim in.
func ObjectName(address netip.Addr) string {
	return facts.LockName(address)
}
