package segment

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func at(second int) time.Time { return time.Unix(1_700_000_000+int64(second), 0) }

// networks draws some that were created in any order, some with a VLAN or bridge of before, right or wrong.
func networks(t *rapid.T, most int) []Network {
	count := rapid.IntRange(0, most).Draw(t, "count")
	all := make([]Network, count)
	for i := range all {
		all[i] = Network{
			UID: "uid-" + strconv.Itoa(i), Created: at(rapid.IntRange(0, 5).Draw(t, "created")),
			VLAN: rapid.SampledFrom([]int{0, 0, 0, -1, 1, 2, 9, 10, 12, 4095}).Draw(t, "vlan"), Bridge: rapid.SampledFrom([]string{"", "", "vf-aaaaaaaaaaaa", "vf-bbbbbbbbbbbb", "vf-pub0", "vf-/aaaaaaaaaaa", "virtfoundry-br0"}).Draw(t, "bridge"),
		}
	}
	return all
}

func shuffled(t *rapid.T, all []Network) []Network {
	other := slices.Clone(all)
	rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)).Shuffle(len(other), func(i, j int) { other[i], other[j] = other[j], other[i] })
	return other
}

// held gives the networks what the answer says, as the next reconcile finds them.
func held(all []Network, vlans map[string]int, names map[string]string) []Network {
	next := slices.Clone(all)
	for i := range next {
		next[i].VLAN, next[i].Bridge = vlans[next[i].UID], names[next[i].UID]
	}
	return next
}

func TestNoTwoNetworksHaveOneSegment(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := networks(t, 12)
		vlans, err := VLANs(all, 2, 11)
		names := Bridges(all)
		if want := min(len(all), 10); len(vlans) != want || (err != nil) != (len(all) > 10) {
			t.Fatalf("%d networks have %d VLANs, %v", len(all), len(vlans), err)
		}
		if len(names) != len(all) {
			t.Fatalf("%d networks have %d bridges", len(all), len(names))
		}
		seen := map[int]bool{}
		for uid, vlan := range vlans {
			if seen[vlan] || vlan < 2 || vlan > 11 {
				t.Fatalf("%s has VLAN %d: %v", uid, vlan, vlans)
			}
			seen[vlan] = true
		}
		used := map[string]bool{}
		for uid, name := range names {
			if err := CheckBridge(name); err != nil || used[name] || !strings.HasPrefix(name, "vf-") {
				t.Fatalf("%s has bridge %s, %v: %v", uid, name, err, names)
			}
			used[name] = true
		}
	})
}

func TestTheOrderIsOfNoMatterAndTheAnswerIsStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := networks(t, 10)
		vlans, err := VLANs(all, 2, 11)
		if err != nil {
			t.Fatal(err)
		}
		names := Bridges(all)
		other := shuffled(t, all)
		again, err := VLANs(other, 2, 11)
		if err != nil || !maps.Equal(vlans, again) || !maps.Equal(names, Bridges(other)) {
			t.Fatalf("another order: %v, %v; %v", vlans, again, err)
		}
		// A younger network and the end of another one move nobody.
		next := held(all, vlans, names)
		if len(next) > 0 {
			next = next[1:]
		}
		next = append(next, Network{UID: "new", Created: at(6)})
		again, err = VLANs(next, 2, 11)
		if err != nil {
			t.Fatal(err)
		}
		after := Bridges(next)
		for _, network := range next[:len(next)-1] {
			if again[network.UID] != vlans[network.UID] || after[network.UID] != names[network.UID] {
				t.Fatalf("%s moved from %d to %d, from %s to %s", network.UID, vlans[network.UID], again[network.UID], names[network.UID], after[network.UID])
			}
		}
	})
}

func TestTheOlderNetworkKeepsItsSegment(t *testing.T) {
	young, old := Network{UID: "a", Created: at(2), VLAN: 7, Bridge: "vf-xxxxxxxxxxxx"}, Network{UID: "b", Created: at(1), VLAN: 7, Bridge: "vf-xxxxxxxxxxxx"}
	vlans, err := VLANs([]Network{young, old}, FirstVLAN, LastVLAN)
	if err != nil {
		t.Fatal(err)
	}
	if vlans["b"] != 7 || vlans["a"] == 7 || vlans["a"] == 0 {
		t.Errorf("VLANs: %v", vlans)
	}
	if names := Bridges([]Network{young, old}); names["b"] != "vf-xxxxxxxxxxxx" || names["a"] == "vf-xxxxxxxxxxxx" || names["a"] == "" {
		t.Errorf("bridges: %v", names)
	}
}

// Where a segment comes from is part of what is stored: another derivation would move every network that was not yet attached.
func TestTheDerivationIsFixed(t *testing.T) {
	all := []Network{{UID: "381b5d96-ff07-5925-a2d6-bfc82559f3f2"}}
	vlans, err := VLANs(all, 100, 199)
	if err != nil {
		t.Fatal(err)
	}
	got := []string{strconv.Itoa(vlans[all[0].UID]), Bridges(all)[all[0].UID]}
	if diff := cmp.Diff([]string{"199", "vf-sr0spm1vu338"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNamesThatCollideAreDerivedAgain(t *testing.T) {
	all := []Network{{UID: "a", Created: at(1)}, {UID: "b", Created: at(2)}, {UID: "c", Created: at(3)}}
	got := bridges(all, func(_ string, attempt int) string { return "vf-" + strconv.Itoa(attempt) })
	if diff := cmp.Diff(map[string]string{"a": "vf-0", "b": "vf-1", "c": "vf-2"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWhoGetsNoVLANIsNamed(t *testing.T) {
	all := []Network{{UID: "a", Created: at(3)}, {UID: "b", Created: at(1)}, {UID: "c", Created: at(2)}}
	got, err := VLANs(all, 5, 6)
	want := "no VLAN from 5 to 6 is left for the networks with uid a: delete isolated Networks, widen the range, or give each network a bridge of its own"
	if err == nil || err.Error() != want || len(got) != 2 {
		t.Errorf("%v, %v, want %s", got, err, want)
	}
}

func TestARangeOutOfBoundsIsRefused(t *testing.T) {
	for _, bounds := range [][2]int{{0, 10}, {1, 10}, {2, 4095}, {10, 9}, {-1, -1}} {
		if got, err := VLANs(nil, bounds[0], bounds[1]); err == nil || !strings.Contains(err.Error(), "use a range within 2 to 4094") {
			t.Errorf("%v: %v, %v", bounds, got, err)
		}
	}
}

func TestEveryVLANCanBeGiven(t *testing.T) {
	all := make([]Network, LastVLAN-FirstVLAN+1)
	for i := range all {
		all[i] = Network{UID: strconv.Itoa(i), Created: at(i)}
	}
	vlans, err := VLANs(all, FirstVLAN, LastVLAN)
	if err != nil || len(vlans) != len(all) {
		t.Fatalf("%d VLANs, %v", len(vlans), err)
	}
}

func TestNamesOfBridges(t *testing.T) {
	tests := map[string]string{
		"vf-pub0": "", "br0": "", "virtfoundry-br0": "", "br.100_a": "",
		"":                 "the bridge has no name: set one of 1 to 15 characters, for example virtfoundry-br0",
		"virtfoundry-pub0": `bridge name "virtfoundry-pub0" has 16 characters: use at most 15, as Linux does, for example vf-pub0`,
		"..":               `bridge name ".." is no name of an interface: use letters, digits, hyphens, underscores and dots`,
		"a/b":              `bridge name "a/b" is no name of an interface: use letters, digits, hyphens, underscores and dots`,
		"br 0":             `bridge name "br 0" is no name of an interface: use letters, digits, hyphens, underscores and dots`,
		"eth0:1":           `bridge name "eth0:1" is no name of an interface: use letters, digits, hyphens, underscores and dots`,
		"brü":              `bridge name "brü" is no name of an interface: use letters, digits, hyphens, underscores and dots`,
	}
	for name, want := range tests {
		got := ""
		if err := CheckBridge(name); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
}

func TestABridgeThatIsNotOursIsNotKept(t *testing.T) {
	for _, name := range []string{"vf-pub0", "virtfoundry-br0", "eth0", "vf-/aaaaaaaaaaa"} {
		if got := Bridges([]Network{{UID: "a", Bridge: name}})["a"]; got == name || len(got) != MaxBridgeName {
			t.Errorf("%s became %s", name, got)
		}
	}
}
