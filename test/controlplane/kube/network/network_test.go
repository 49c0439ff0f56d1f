package network

import (
	"net/netip"
	"testing"
)

func TestAddressesAreUsedOnceAndComeBackLate(t *testing.T) {
	pods, err := NewPods(t.Context(), "none", netip.MustParsePrefix("10.200.0.1/16"), 1)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int]bool{}
	for {
		number, err := pods.take()
		if err != nil {
			break
		}
		if seen[number] {
			t.Fatalf("number %d is given out twice", number)
		}
		seen[number] = true
	}
	if want := podsPerNode - 8; len(seen) != want {
		t.Errorf("%d addresses, want %d", len(seen), want)
	}
	if err := pods.Remove(t.Context(), Pod{Namespace: "absent", number: 5}); err != nil {
		t.Fatal(err)
	}
	if number, err := pods.take(); number != 5 || err != nil {
		t.Errorf("the only free number is 5, got %d, %v", number, err)
	}
}

func TestANodeHasANumber(t *testing.T) {
	for _, number := range []int{-1, 0, 61} {
		if _, err := NewPods(t.Context(), "none", netip.MustParsePrefix("10.200.0.1/16"), number); err == nil {
			t.Errorf("node %d is accepted", number)
		}
	}
}
