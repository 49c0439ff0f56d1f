package ipam

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// host is an address of 10.0.0.0/27 or a little outside.
func host(t *rapid.T, label string) netip.Addr {
	return netip.AddrFrom4([4]byte{10, 0, 0, byte(rapid.IntRange(0, 40).Draw(t, label))})
}

// model is a Config and, written down address by address, what guests may have by it.
type model struct {
	config  Config
	allowed []netip.Addr
}

func draw(t *rapid.T) model {
	m := model{config: Config{CIDR: "10.0.0.0/" + strconv.Itoa(rapid.IntRange(27, 30).Draw(t, "bits"))}}
	prefix := netip.MustParsePrefix(m.config.CIDR)
	for i := range rapid.IntRange(0, 3).Draw(t, "reservations") {
		first, last := host(t, fmt.Sprint("first ", i)), host(t, fmt.Sprint("last ", i))
		if last.Less(first) {
			first, last = last, first
		}
		m.config.Reserved = append(m.config.Reserved, ReservedRange{Start: first.String(), End: last.String()})
	}
	if rapid.Bool().Draw(t, "gateway") {
		m.config.Gateway = "10.0.0.1"
	}
	for a := prefix.Addr().Next(); prefix.Contains(a.Next()); a = a.Next() {
		reserved := slices.ContainsFunc(m.config.Reserved, func(r ReservedRange) bool {
			return !a.Less(netip.MustParseAddr(r.Start)) && !netip.MustParseAddr(r.End).Less(a)
		})
		if !reserved && a.String() != m.config.Gateway {
			m.allowed = append(m.allowed, a)
		}
	}
	return m
}

func TestTheNextAddressIsTheSmallestThatIsAllowedAndFree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := draw(t)
		p, err := New(m.config)
		if err != nil {
			t.Fatal(err)
		}
		taken := map[netip.Addr]bool{}
		for range rapid.IntRange(0, 30).Draw(t, "taken") {
			taken[host(t, "one")] = true
		}
		got, err := p.Next(taken)
		free := slices.DeleteFunc(slices.Clone(m.allowed), func(a netip.Addr) bool { return taken[a] })
		switch {
		case len(free) == 0 && err == nil:
			t.Fatalf("%+v: %s is given, though nothing is free", m.config, got)
		case len(free) > 0 && (err != nil || got != free[0]):
			t.Fatalf("%+v: %s, %v, want %s", m.config, got, err, free[0])
		}
		for last := range 41 {
			a := netip.AddrFrom4([4]byte{10, 0, 0, byte(last)})
			if _, err := p.Check(a.String()); (err == nil) != slices.Contains(m.allowed, a) {
				t.Fatalf("%+v: %s: %v", m.config, a, err)
			}
		}
	})
}

func claims(t *rapid.T) []Claim {
	all := make([]Claim, rapid.IntRange(0, 40).Draw(t, "claims"))
	for i := range all {
		all[i] = Claim{Name: "ip-" + strconv.Itoa(i), Created: time.Unix(int64(rapid.IntRange(0, 5).Draw(t, "created")), 0)}
		if rapid.Bool().Draw(t, "wants") {
			all[i].Address = host(t, "address").String()
		}
	}
	return all
}

func TestNoAddressIsGivenTwiceAndNoneIsHeldBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := draw(t)
		p, err := New(m.config)
		if err != nil {
			t.Fatal(err)
		}
		all := claims(t)
		got := p.Settle(all)
		if len(got) != len(all) {
			t.Fatalf("%d outcomes of %d claims", len(got), len(all))
		}
		holder := map[netip.Addr]string{}
		starved := false
		for _, claim := range all {
			outcome := got[claim.Name]
			if outcome.Err != nil {
				starved = starved || claim.Address == ""
				continue
			}
			if other, double := holder[outcome.Address]; double || !slices.Contains(m.allowed, outcome.Address) || (claim.Address != "" && claim.Address != outcome.Address.String()) {
				t.Fatalf("%+v: %s gets %s, %q has it", claim, claim.Name, outcome.Address, other)
			}
			holder[outcome.Address] = claim.Name
		}
		if starved && len(holder) != len(m.allowed) {
			t.Fatalf("a claim gets nothing, though only %d of %d are given", len(holder), len(m.allowed))
		}
		other := slices.Clone(all)
		rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)).Shuffle(len(other), func(i, j int) { other[i], other[j] = other[j], other[i] })
		if again := p.Settle(other); !maps.EqualFunc(got, again, same) {
			t.Fatalf("in another order: %v, %v", got, again)
		}
	})
}

func same(a, b Outcome) bool { return a.Address == b.Address && text(a.Err) == text(b.Err) }

// What was given is written down; then neither a restart nor a younger claim moves it.
func TestWhatIsWrittenDownStays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, err := New(draw(t).config)
		if err != nil {
			t.Fatal(err)
		}
		all := claims(t)
		first := p.Settle(all)
		for i := range all {
			if outcome := first[all[i].Name]; outcome.Err == nil {
				all[i].Address = outcome.Address.String()
			}
		}
		younger := slices.Concat(all, []Claim{{"young", time.Unix(9, 0), host(t, "young").String()}, {"any", time.Unix(9, 0), ""}})
		second := p.Settle(younger)
		for name, outcome := range first {
			if outcome.Err == nil && !same(outcome, second[name]) {
				t.Fatalf("%s had %s and has %s, %v", name, outcome.Address, second[name].Address, second[name].Err)
			}
		}
	})
}

func TestOverlapsAreThoseOfEveryPair(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		networks := make([]Network, rapid.IntRange(0, 12).Draw(t, "networks"))
		for i := range networks {
			address := netip.AddrFrom4([4]byte{10, byte(rapid.IntRange(0, 3).Draw(t, "b")), byte(rapid.IntRange(0, 255).Draw(t, "c")), 0})
			if rapid.IntRange(0, 4).Draw(t, "family") == 0 {
				address = netip.MustParseAddr("a00::") // as IPv4 bytes this would be 10.0.0.0
			}
			networks[i] = Network{Name: strconv.Itoa(i), Prefix: netip.PrefixFrom(address, rapid.IntRange(6, 24).Draw(t, "bits")).Masked()}
		}
		want := map[[2]string]bool{}
		for i, a := range networks {
			for _, b := range networks[i+1:] {
				if a.Prefix.Overlaps(b.Prefix) {
					want[[2]string{min(a.Name, b.Name), max(a.Name, b.Name)}] = true
				}
			}
		}
		found := Overlaps(networks)
		got := map[[2]string]bool{}
		for _, o := range found {
			got[[2]string{min(o.Wide.Name, o.Narrow.Name), max(o.Wide.Name, o.Narrow.Name)}] = true
			if o.Wide.Prefix.Bits() > o.Narrow.Prefix.Bits() {
				t.Fatalf("%s: the wide one is the narrow one", o)
			}
		}
		if !maps.Equal(want, got) || len(found) != len(got) {
			t.Fatalf("%v: got %v, want %v", networks, found, want)
		}
	})
}

func TestNamesOfClaimsAreAsManyAsAddresses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := map[string]netip.Addr{}
		for range 20 {
			bytes := rapid.SliceOfN(rapid.SampledFrom([]byte{0, 0, 1, 16, 255}), 16, 16).Draw(t, "address")
			address, _ := netip.AddrFromSlice(bytes)
			if rapid.Bool().Draw(t, "IPv4") {
				address, _ = netip.AddrFromSlice(bytes[:4])
			}
			name := ObjectName(address)
			if other, taken := names[name]; taken && other != address {
				t.Fatalf("%s and %s are both %s", address, other, name)
			}
			names[name] = address
		}
	})
}
