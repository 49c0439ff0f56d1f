package facts

import (
	"net/netip"
	"strconv"
	"strings"
)

// host is a URL's host as whatever fetches may understand it.
type host struct {
	name      string
	labels    []string
	addresses []string
	problem   string
}

// parseHost takes a host (without port, IPv6 without brackets) apart. A C
// library takes 2130706433, 0x7f.1 and 0177.0.0.1 for 127.0.0.1 (inet_aton),
// so they are addresses here; and what ends in a number and is none is nothing.
func parseHost(text string) host {
	text = strings.TrimSuffix(strings.ToLower(text), ".")
	if text == "" {
		return host{problem: "names no host"}
	}
	if strings.Contains(text, ":") {
		return hostOfIPv6(text)
	}
	labels := strings.Split(text, ".")
	if isNumber(labels[len(labels)-1]) {
		address, ok := inetAton(labels)
		if !ok {
			return host{problem: "has a host that ends in a number and is no IPv4 address"}
		}
		return host{name: address.String(), addresses: []string{address.String()}}
	}
	const longestHost, longestLabel = 253, 63
	if len(text) > longestHost {
		return host{problem: "has a host of more than 253 characters"}
	}
	for _, label := range labels {
		if label == "" || len(label) > longestLabel || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return host{problem: "has a host that is no DNS name: write an international one in its xn-- form"}
		}
	}
	return host{name: text, labels: labels}
}

func hostOfIPv6(text string) host {
	address, err := netip.ParseAddr(text)
	if err != nil {
		return host{problem: "has a host that is no IPv6 address"}
	}
	address = address.WithZone("").Unmap()
	h := host{name: address.String(), addresses: []string{address.String()}}
	if inner, ok := embedded(address); ok {
		h.addresses = append(h.addresses, inner.String())
	}
	return h
}

// embedded is the IPv4 address that an IPv6 address leads to: IPv4-compatible
// (RFC 4291, 2.5.5.1), 6to4 (RFC 3056) and NAT64 (RFC 6052).
func embedded(address netip.Addr) (netip.Addr, bool) {
	if !address.Is6() {
		return netip.Addr{}, false
	}
	bytes := address.As16()
	head := [12]byte(bytes[:12])
	switch {
	case head == [12]byte{}, head == [12]byte{0x00, 0x64, 0xff, 0x9b}:
		return netip.AddrFrom4([4]byte(bytes[12:])), true
	case bytes[0] == 0x20 && bytes[1] == 0x02:
		return netip.AddrFrom4([4]byte(bytes[2:6])), true
	default:
		return netip.Addr{}, false
	}
}

func isNumber(label string) bool {
	digits, hexadecimal := strings.CutPrefix(label, "0x")
	if hexadecimal {
		return strings.Trim(digits, "0123456789abcdef") == ""
	}
	return label != "" && strings.Trim(label, "0123456789") == ""
}

// inetAton reads one to four numbers, decimal, octal (0…) or hexadecimal
// (0x…), of which the last fills the bytes that are left.
func inetAton(labels []string) (netip.Addr, bool) {
	const most = 4
	if len(labels) > most {
		return netip.Addr{}, false
	}
	value := uint64(0)
	for i, label := range labels {
		base := 10
		digits, hexadecimal := strings.CutPrefix(label, "0x")
		switch {
		case hexadecimal:
			base = 16
		case len(label) > 1 && label[0] == '0':
			base, digits = 8, label[1:]
		}
		if hexadecimal && digits == "" {
			digits = "0"
		}
		bits := 8
		if i == len(labels)-1 {
			bits = 8 * (most + 1 - len(labels))
		}
		n, err := strconv.ParseUint(digits, base, bits)
		if err != nil {
			return netip.Addr{}, false
		}
		value = value<<bits | n
	}
	return netip.AddrFrom4([4]byte{byte(value >> 24), byte(value >> 16), byte(value >> 8), byte(value)}), true
}
