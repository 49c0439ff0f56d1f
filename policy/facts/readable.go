package facts

import "net/netip"

// ReadableSourceHost tells whether an entry of allowedSourceHosts names a host,
// an address or a CIDR.
func ReadableSourceHost(text string) bool {
	entry := parseSourceHost(text)
	return entry.Host != "" || entry.CIDR != ""
}

// ReadableAmount tells whether a text is an amount that rules can compare.
func ReadableAmount(text string) bool {
	return amountFact("", text).Milli != nil
}

// ReadableCIDR tells whether a text is an address block.
func ReadableCIDR(text string) bool {
	_, err := netip.ParsePrefix(text)
	return err == nil
}
