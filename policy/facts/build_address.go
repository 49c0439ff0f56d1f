package facts

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
)

// LockName is the name of the IPAddress that holds an address: the address with
// hyphens, whole for IPv6, so that no two addresses have one name.
func LockName(address netip.Addr) string {
	return strings.NewReplacer(".", "-", ":", "-").Replace(address.StringExpanded())
}

func addressWish(a *virtfoundryv1alpha1.IPAddress) AddressWish {
	wish := AddressWish{
		Network: a.Spec.NetworkRef.Name, Address: bounded(a.Spec.Address), Valid: a.Spec.Address == "",
		CreatedAt: created(&a.ObjectMeta), Deleting: a.DeletionTimestamp != nil,
	}
	if address, err := netip.ParseAddr(a.Spec.Address); err == nil && address.Zone() == "" {
		wish.Address, wish.Valid, wish.Lock = address.String(), true, LockName(address)
	}
	return wish
}

// claimsOf are the other IPAddresses of the subject's address, by address or by name.
func claimsOf(f *FabricObjects, wish AddressWish) []AddressClaim {
	claims := []AddressClaim{}
	if wish.Lock == "" {
		return claims
	}
	for i := range f.Addresses {
		other := &f.Addresses[i]
		if other.Name == f.Address.Name || other.Name != wish.Lock && other.Spec.Address != wish.Address {
			continue
		}
		controller := metav1.GetControllerOf(other)
		ours := controller != nil && controller.UID == f.Address.UID && f.Address.UID != ""
		claims = append(claims, AddressClaim{Name: other.Name, Address: bounded(other.Spec.Address), Holds: other.Name == wish.Lock, Ours: ours})
	}
	slices.SortFunc(claims, func(a, b AddressClaim) int { return strings.Compare(a.Name, b.Name) })
	return claims
}

// poolOf is what guests may have of the network that the subject names; none
// where the network does not exist.
func poolOf(g *Gathered) []Pool {
	f := &g.Fabric
	at := slices.IndexFunc(f.Networks, func(n virtfoundryv1alpha1.Network) bool { return n.Name == f.Address.Spec.NetworkRef.Name })
	if at < 0 {
		return []Pool{}
	}
	network := &f.Networks[at]
	wish := networkWish(network)
	pool := Pool{CIDR: wish.CIDR, Prefix: wish.Prefix, Gateway: wish.Gateway, Problem: wish.Problem, Within: []string{}, Reserved: []Reserved{}}
	parameters := AddressPoolOf(&g.Profile.Parameters, network.Namespace, network.Name)
	if parameters.Start != "" || parameters.End != "" {
		blocks, err := rangeBlocks(parameters.Start, parameters.End)
		if err != nil {
			pool.Problem = "the pool " + err.Error()
		}
		pool.Within = blocks
	}
	for _, reserved := range parameters.Reserved {
		blocks, err := rangeBlocks(reserved.Start, reserved.End)
		if err != nil {
			pool.Problem = "a reserved range " + err.Error()
		}
		pool.Reserved = append(pool.Reserved, Reserved{Text: bounded(reserved.Start + " to " + reserved.End), Reason: reserved.Reason, CIDRs: blocks})
	}
	return []Pool{pool}
}

// AddressPoolOf is the entry of a Network in the parameters, or an empty one.
func AddressPoolOf(p *catov1alpha1.ComplianceProfileParameters, namespace, name string) catov1alpha1.AddressPool {
	for _, pool := range p.AddressPools {
		if pool.Network == namespace+"/"+name {
			return pool
		}
	}
	return catov1alpha1.AddressPool{}
}

// ReadableRange tells why a range of addresses cannot be read, or nil.
func ReadableRange(start, end string) error {
	_, err := rangeBlocks(start, end)
	return err
}

// rangeBlocks are the fewest blocks that make up an inclusive range.
func rangeBlocks(start, end string) ([]string, error) {
	blocks := []string{}
	first, errFirst := netip.ParseAddr(start)
	last, errLast := netip.ParseAddr(end)
	if errFirst != nil || errLast != nil || first.BitLen() != last.BitLen() || last.Less(first) {
		return blocks, fmt.Errorf("%q to %q is no range of addresses: write its first and its last address, of one family", bounded(start), bounded(end))
	}
	for {
		block := netip.PrefixFrom(first, first.BitLen())
		for block.Bits() > 0 {
			wider := netip.PrefixFrom(first, block.Bits()-1)
			if wider.Masked().Addr() != first || last.Less(lastAddress(wider)) {
				break
			}
			block = wider
		}
		blocks = append(blocks, block.String())
		end := lastAddress(block)
		if end == last {
			return blocks, nil
		}
		first = end.Next()
	}
}

func lastAddress(prefix netip.Prefix) netip.Addr {
	bytes := prefix.Masked().Addr().AsSlice()
	for bit := prefix.Bits(); bit < len(bytes)*8; bit++ {
		bytes[bit/8] |= 1 << (7 - bit%8)
	}
	last, _ := netip.AddrFromSlice(bytes) // as long as the slice of an address is
	return last
}
