package ipam

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"time"
)

// Claim is an object that holds an address of a network or asks for one.
type Claim struct {
	// Name is the object's name, unique among the claims.
	Name string
	// Created is the object's creationTimestamp.
	Created time.Time
	// Address is what the object claims, as written; empty asks for any.
	Address string
}

// Outcome is the address that a claim gets, or why it gets none.
type Outcome struct {
	Address netip.Addr
	Err     error
}

// Settle gives each claim its address, or the reason why not, by the claim's name. An address that is written down is
// kept by the oldest claim, or, of two as old, by the one whose name comes first; then those that ask for any get the
// smallest free ones, the oldest first. The order of the claims is of no matter, no address is given twice, and a claim
// that is added later takes nothing away from an older one that has its address written down.
func (p Plan) Settle(claims []Claim) map[string]Outcome {
	sorted := slices.SortedFunc(slices.Values(claims), func(a, b Claim) int {
		return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.Name, b.Name))
	})
	outcomes := make(map[string]Outcome, len(claims))
	holder := map[netip.Addr]string{}
	taken := map[netip.Addr]bool{}
	for _, claim := range sorted {
		if claim.Address == "" {
			continue
		}
		address, err := p.Check(claim.Address)
		if err == nil && taken[address] {
			err = fmt.Errorf("address %s is held by %s, which is older: use another one, or leave the address empty to have one allocated", address, holder[address])
		}
		if err != nil {
			outcomes[claim.Name] = Outcome{Err: err}
			continue
		}
		holder[address], taken[address] = claim.Name, true
		outcomes[claim.Name] = Outcome{Address: address}
	}
	next := p
	for _, claim := range sorted {
		if claim.Address != "" {
			continue
		}
		address, err := next.Next(taken)
		if err != nil {
			outcomes[claim.Name] = Outcome{Err: err}
			continue
		}
		// All below is now taken or blocked: the next search begins here.
		next.first, taken[address] = address, true
		outcomes[claim.Name] = Outcome{Address: address}
	}
	return outcomes
}
