package ipam

import (
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func plan(t *testing.T, c Config) Plan {
	t.Helper()
	p, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// public is the platform's shared network as the fact sheet has it by default.
var public = Config{
	CIDR: "10.0.50.0/24", Gateway: "10.0.50.254", PoolStart: "10.0.50.10", PoolEnd: "10.0.50.99",
	Reserved: []ReservedRange{{Start: "10.0.50.100", End: "10.0.50.150", Reason: "MetalLB"}},
}

func with(change func(*Config)) Config {
	c := public
	change(&c)
	return c
}

func TestTheDefaultsOfThePlatformAreAPlan(t *testing.T) {
	got, err := plan(t, public).Next(nil)
	if err != nil || got.String() != "10.0.50.10" {
		t.Errorf("%s, %v", got, err)
	}
	fromNode, err := FromNode(netip.MustParseAddr("192.168.7.33"))
	want := Config{CIDR: "192.168.7.0/24", Gateway: "192.168.7.1", PoolStart: "192.168.7.20", PoolEnd: "192.168.7.80"}
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, fromNode); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got, err := plan(t, fromNode).Next(nil); err != nil || got.String() != "192.168.7.20" {
		t.Errorf("%s, %v", got, err)
	}
	if _, err := FromNode(netip.MustParseAddr("fd00::1")); err == nil {
		t.Error("a node with IPv6 only suggests a network")
	}
}

func TestAConfigThatCannotWorkIsRefusedWithFieldValueAndRemedy(t *testing.T) {
	tests := map[string]struct {
		config Config
		want   string
	}{
		"no range":            {Config{}, `cidr: "" is no CIDR: write an address and the length of its prefix, for example 10.0.0.0/16`},
		"bits beyond":         {Config{CIDR: "10.0.0.1/24"}, "cidr: 10.0.0.1/24 has bits beyond its prefix: write 10.0.0.0/24"},
		"no room":             {Config{CIDR: "10.0.0.0/31"}, "cidr: 10.0.0.0/31 has no room for a guest beside its gateway: use a prefix of at most /30"},
		"loopback":            {Config{CIDR: "127.0.0.0/8"}, "cidr: 127.0.0.0/8 holds addresses that no guest can have (unspecified, loopback or multicast): use a private range such as 10.0.0.0/16"},
		"IPv4 as IPv6":        {Config{CIDR: "::ffff:10.0.0.0/104"}, `cidr: "::ffff:10.0.0.0/104" is no CIDR: write an address and the length of its prefix, for example 10.0.0.0/16`},
		"no gateway":          {with(func(c *Config) { c.Gateway = "first" }), `gateway: "first" is no IP address: write one such as 10.0.0.7`},
		"a gateway elsewhere": {with(func(c *Config) { c.Gateway = "10.0.51.1" }), "gateway 10.0.51.1 lies outside 10.0.50.0/24: use the address of a host in it"},
		"a gateway of IPv6":   {with(func(c *Config) { c.Gateway = "fd00::1" }), "gateway fd00::1 lies outside 10.0.50.0/24: use the address of a host in it"},
		"broadcast gateway":   {with(func(c *Config) { c.Gateway = "10.0.50.255" }), "gateway 10.0.50.255 is the broadcast address: use the address of a host in 10.0.50.0/24"},
		"network as gateway":  {with(func(c *Config) { c.Gateway = "10.0.50.0" }), "gateway 10.0.50.0 is the address of the network itself: use the address of a host in 10.0.50.0/24"},
		"a gateway in the pool": {with(func(c *Config) { c.Gateway = "10.0.50.42" }),
			"pool 10.0.50.10 to 10.0.50.99 holds 10.0.50.42, which is the gateway: end the pool before it or start after it"},
		"a pool elsewhere":        {with(func(c *Config) { c.PoolEnd = "10.0.51.2" }), "pool 10.0.50.10 to 10.0.51.2 lies outside 10.0.50.0/24: use addresses of hosts in it"},
		"a pool backwards":        {with(func(c *Config) { c.PoolEnd = "10.0.50.9" }), "pool: start 10.0.50.10 lies above end 10.0.50.9: swap them"},
		"half a pool":             {with(func(c *Config) { c.PoolEnd = "" }), `pool: "" is no IP address: write one such as 10.0.0.7`},
		"a pool of two families":  {with(func(c *Config) { c.PoolEnd = "fd00::1" }), "pool: 10.0.50.10 and fd00::1 are of two families: use one"},
		"a pool with broadcast":   {Config{CIDR: "10.0.0.0/24", PoolStart: "10.0.0.200", PoolEnd: "10.0.0.255"}, "pool 10.0.0.200 to 10.0.0.255 holds 10.0.0.255, which is the broadcast address: end the pool before it or start after it"},
		"a pool in a reservation": {with(func(c *Config) { c.PoolEnd = "10.0.50.120" }), "pool 10.0.50.10 to 10.0.50.120 holds 10.0.50.100, which is reserved (MetalLB): end the pool before it or start after it"},
		"a host in the pool": {with(func(c *Config) { c.HostAddress = "10.0.50.11/24" }),
			"pool 10.0.50.10 to 10.0.50.99 holds 10.0.50.11, which is the address of the host's bridge: end the pool before it or start after it"},
		"a host in a reservation":  {with(func(c *Config) { c.HostAddress = "10.0.50.101/24" }), "reserved range 0, 10.0.50.100 to 10.0.50.150, holds the host address 10.0.50.101: move one of them"},
		"a reservation backwards":  {Config{CIDR: "10.0.0.0/24", Reserved: []ReservedRange{{Start: "10.0.0.9", End: "10.0.0.8"}}}, "reserved range 0: start 10.0.0.9 lies above end 10.0.0.8: swap them"},
		"an address with its zone": {with(func(c *Config) { c.HostAddress = "fe80::1%eth0" }), `host address: "fe80::1%eth0" is no IP address: write one such as 10.0.0.7`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := New(tt.config)
			if diff := cmp.Diff(tt.want, text(err)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestEverythingThatIsWrongIsSaidAtOnce(t *testing.T) {
	_, err := New(Config{CIDR: "10.0.0.0/24", Gateway: "x", HostAddress: "y", PoolStart: "z", PoolEnd: "z", Reserved: []ReservedRange{{Start: "a", End: "10.0.0.1"}, {Start: "b", End: "10.0.0.1"}}})
	for _, want := range []string{`gateway: "x"`, `host address: "y"`, `pool: "z"`, `reserved range 0: "a"`, `reserved range 1: "b"`} {
		if !strings.Contains(text(err), want) {
			t.Errorf("%v lacks %s", err, want)
		}
	}
}

func TestAHostMayBeTheGatewayAndAReservationMayLieElsewhere(t *testing.T) {
	p := plan(t, Config{CIDR: "10.0.0.0/29", Gateway: "10.0.0.1", HostAddress: "10.0.0.1/29", Reserved: []ReservedRange{{Start: "10.0.50.100", End: "10.0.50.150"}, {Start: "fd00::1", End: "fd00::2"}}})
	if got, err := p.Next(nil); err != nil || got.String() != "10.0.0.2" {
		t.Errorf("%s, %v", got, err)
	}
}

func TestWhyAnAddressCannotBeHad(t *testing.T) {
	const allocate = ", or leave the address empty to have one allocated"
	for address, want := range map[string]string{
		"10.0.50.10":        "",
		"10.0.50.99":        "",
		"10.0.50.0":         "address 10.0.50.0 is the address of the network itself: use another one" + allocate,
		"10.0.50.255":       "address 10.0.50.255 is the broadcast address: use another one" + allocate,
		"10.0.50.254":       "address 10.0.50.254 is the gateway: use another one" + allocate,
		"10.0.50.100":       "address 10.0.50.100 is reserved (MetalLB): use another one" + allocate,
		"10.0.50.150":       "address 10.0.50.150 is reserved (MetalLB): use another one" + allocate,
		"10.0.50.9":         "address 10.0.50.9 lies outside the pool 10.0.50.10 to 10.0.50.99: use one of the pool" + allocate,
		"10.0.50.151":       "address 10.0.50.151 lies outside the pool 10.0.50.10 to 10.0.50.99: use one of the pool" + allocate,
		"10.0.51.10":        "address 10.0.51.10 lies outside 10.0.50.0/24: use one of the network" + allocate,
		"::ffff:10.0.50.10": `"::ffff:10.0.50.10" is no IP address: write one such as 10.0.0.7`,
		"010.0.50.10":       `"010.0.50.10" is no IP address: write one such as 10.0.0.7`,
		"":                  `"" is no IP address: write one such as 10.0.0.7`,
	} {
		got, err := plan(t, public).Check(address)
		if text(err) != want || (err == nil) != (got.String() == address) {
			t.Errorf("%s: %s, %v, want %s", address, got, err, want)
		}
	}
}

func TestTheZeroPlanGivesNothing(t *testing.T) {
	var p Plan
	if got, err := p.Next(nil); err == nil {
		t.Errorf("it gives %s", got)
	}
	if got, err := p.Check("10.0.0.1"); err == nil {
		t.Errorf("it admits %s", got)
	}
}

func TestTheWholeOfIPv4HasAnEnd(t *testing.T) {
	p := plan(t, Config{CIDR: "255.255.255.248/29"})
	taken := map[netip.Addr]bool{}
	for range 6 {
		got, err := p.Next(taken)
		if err != nil {
			t.Fatal(err)
		}
		taken[got] = true
	}
	if got, err := p.Next(taken); err == nil {
		t.Errorf("a seventh host of a /29: %s", got)
	}
}

func TestOfTwoClaimsOfOneAddressTheOlderIsKept(t *testing.T) {
	at := func(second int) time.Time { return time.Unix(int64(second), 0) }
	p := plan(t, Config{CIDR: "10.0.0.0/29", Gateway: "10.0.0.1"})
	got := p.Settle([]Claim{
		{"young", at(3), "10.0.0.2"}, {"old", at(1), "10.0.0.2"}, {"any-2", at(2), ""}, {"any-1", at(1), ""},
		{"b", at(4), "10.0.0.5"}, {"a", at(4), "10.0.0.5"}, {"gateway", at(0), "10.0.0.1"}, {"any-3", at(5), ""}, {"any-4", at(6), ""},
	})
	want := map[string]Outcome{
		"old": {Address: netip.MustParseAddr("10.0.0.2")}, "a": {Address: netip.MustParseAddr("10.0.0.5")},
		"young":   {Err: errors.New("address 10.0.0.2 is held by old, which is older: use another one, or leave the address empty to have one allocated")},
		"b":       {Err: errors.New("address 10.0.0.5 is held by a, which is older: use another one, or leave the address empty to have one allocated")},
		"gateway": {Err: errors.New("address 10.0.0.1 is the gateway: use another one, or leave the address empty to have one allocated")},
		"any-1":   {Address: netip.MustParseAddr("10.0.0.3")}, "any-2": {Address: netip.MustParseAddr("10.0.0.4")}, "any-3": {Address: netip.MustParseAddr("10.0.0.6")},
		"any-4": {Err: errors.New("10.0.0.0/29 has no free address: delete IPAddresses that nothing uses, or use another network")},
	}
	sameText := cmp.Comparer(func(a, b error) bool { return text(a) == text(b) })
	if diff := cmp.Diff(want, got, sameText, cmp.Comparer(func(a, b netip.Addr) bool { return a == b })); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNamesOfClaims(t *testing.T) {
	for address, want := range map[string]string{"10.0.1.10": "10-0-1-10", "fd00::7": "fd00-0000-0000-0000-0000-0000-0000-0007"} {
		if got := ObjectName(netip.MustParseAddr(address)); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
}

func TestARangeLiesInItsVPC(t *testing.T) {
	vpc := netip.MustParsePrefix("10.0.0.0/16")
	for network, want := range map[string]string{
		"10.0.0.0/16": "", "10.0.255.0/24": "",
		"10.0.0.0/15": "cidr 10.0.0.0/15 does not lie in the range of its VPC, 10.0.0.0/16: use a part of it",
		"10.1.0.0/24": "cidr 10.1.0.0/24 does not lie in the range of its VPC, 10.0.0.0/16: use a part of it",
		"fd00::/64":   "cidr fd00::/64 does not lie in the range of its VPC, 10.0.0.0/16: use a part of it",
	} {
		if got := text(Within(vpc, netip.MustParsePrefix(network))); got != want {
			t.Errorf("%s: %s, want %s", network, got, want)
		}
	}
}
