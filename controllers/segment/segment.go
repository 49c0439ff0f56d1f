// Package segment keeps isolated networks apart on the hosts: each gets a VLAN
// of its own on the platform's bridge, or a bridge of its own. It is pure: the
// same networks give the same answer, in whatever order they come.
package segment

import (
	"cmp"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Network is an isolated network that needs a segment.
type Network struct {
	// UID is the object's uid, from which its segment is derived.
	UID string
	// Created is the object's creationTimestamp: of two that want one segment the older gets it.
	Created time.Time
	// VLAN and Bridge are what the network's attachment has now, as read from the object that is ours; 0 and empty mean none.
	VLAN   int
	Bridge string
}

// The VLANs of IEEE 802.1Q that a network can have: 0 and 4095 are reserved, and 1 is what a Linux bridge takes untagged
// frames for, so a network on it would be with everything that has no VLAN.
const (
	FirstVLAN = 2
	LastVLAN  = 4094
)

// MaxBridgeName is the longest name that Linux takes for an interface.
const MaxBridgeName = 15

// bridgePrefix and 12 characters of base32 fill MaxBridgeName.
const bridgePrefix = "vf-"

// VLANs gives each network, by its uid, a VLAN from first to last that no other has. A network keeps the one that it
// has, unless it lies out of bounds or an older network has it; so a network that comes or goes moves no other. The
// error names the networks for which none is left; the others are in the answer all the same.
func VLANs(networks []Network, first, last int) (map[string]int, error) {
	if first < FirstVLAN || last > LastVLAN || first > last {
		return nil, fmt.Errorf("VLANs %d to %d are out of bounds: use a range within %d to %d", first, last, FirstVLAN, LastVLAN)
	}
	taken := map[int]bool{}
	inBounds := func(vlan int) bool { return vlan >= first && vlan <= last }
	given, rest := keep(networks, taken, func(n Network) int { return n.VLAN }, inBounds)
	size := last - first + 1
	var none []string
	for _, network := range rest {
		if len(taken) == size {
			none = append(none, network.UID)
			continue
		}
		vlan := first + int(hash(network.UID, 0)%uint64(size))
		for taken[vlan] {
			if vlan++; vlan > last {
				vlan = first
			}
		}
		taken[vlan], given[network.UID] = true, vlan
	}
	if len(none) > 0 {
		return given, fmt.Errorf("no VLAN from %d to %d is left for the networks with uid %s: delete isolated Networks, widen the range, or give each network a bridge of its own", first, last, strings.Join(none, ", "))
	}
	return given, nil
}

// Bridges gives each network, by its uid, the name of a bridge that no other network has: vf- and 12 characters that
// are derived from the uid. A network keeps the name that it has, unless it is none of these or an older network has it.
func Bridges(networks []Network) map[string]string {
	return bridges(networks, func(uid string, attempt int) string {
		var bytes [8]byte
		binary.BigEndian.PutUint64(bytes[:], hash(uid, attempt))
		return bridgePrefix + strings.ToLower(base32.HexEncoding.EncodeToString(bytes[:]))[:MaxBridgeName-len(bridgePrefix)]
	})
}

func bridges(networks []Network, derive func(uid string, attempt int) string) map[string]string {
	taken := map[string]bool{}
	// The length keeps apart the platform's own bridges, such as vf-pub0.
	ours := func(name string) bool {
		return strings.HasPrefix(name, bridgePrefix) && len(name) == MaxBridgeName && CheckBridge(name) == nil
	}
	given, rest := keep(networks, taken, func(n Network) string { return n.Bridge }, ours)
	for _, network := range rest {
		name := derive(network.UID, 0)
		for attempt := 1; taken[name]; attempt++ {
			name = derive(network.UID, attempt)
		}
		taken[name], given[network.UID] = true, name
	}
	return given
}

// keep lets each network keep what it has if that is usable and no older network has it, and returns the rest, the oldest first.
func keep[T comparable](networks []Network, taken map[T]bool, has func(Network) T, usable func(T) bool) (given map[string]T, rest []Network) {
	given = make(map[string]T, len(networks))
	for _, network := range slices.SortedFunc(slices.Values(networks), older) {
		if held := has(network); usable(held) && !taken[held] {
			taken[held], given[network.UID] = true, held
			continue
		}
		rest = append(rest, network)
	}
	return given, rest
}

func older(a, b Network) int {
	return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.UID, b.UID))
}

func hash(uid string, attempt int) uint64 {
	sum := sha256.Sum256([]byte(uid + "/" + strconv.Itoa(attempt)))
	return binary.BigEndian.Uint64(sum[:])
}

// CheckBridge tells why Linux or the platform cannot use a name for a bridge, or nil.
func CheckBridge(name string) error {
	switch {
	case name == "":
		return fmt.Errorf("the bridge has no name: set one of 1 to %d characters, for example virtfoundry-br0", MaxBridgeName)
	case len(name) > MaxBridgeName:
		return fmt.Errorf("bridge name %q has %d characters: use at most %d, as Linux does, for example vf-pub0", name, len(name), MaxBridgeName)
	case name == "." || name == ".." || strings.ContainsFunc(name, unusable):
		return fmt.Errorf("bridge name %q is no name of an interface: use letters, digits, hyphens, underscores and dots", name)
	}
	return nil
}

func unusable(r rune) bool {
	letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	return !letter && (r < '0' || r > '9') && r != '-' && r != '_' && r != '.'
}
