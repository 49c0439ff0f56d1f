package address

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/internal/fixture"
)

// accounted checks that each claim has an address of its own, that each address
// is held by the object of its name, and that nothing is held for nobody.
func accounted(t *testing.T, namespace string, claims []*virtfoundryv1alpha1.IPAddress) {
	t.Helper()
	holder, live := map[string]string{}, map[string]string{}
	for _, c := range claims {
		c = read(t, c)
		if other := holder[c.Spec.Address]; other != "" || c.Spec.Address == "" {
			t.Errorf("%s has %q, which is also of %q", c.Name, c.Spec.Address, other)
		}
		holder[c.Spec.Address], live[string(c.UID)] = c.Name, c.Spec.Address
	}
	locks := 0
	for _, object := range all(t, namespace) {
		of := object.Labels[virtfoundryv1alpha1.LabelClaim]
		if of == "" {
			continue
		}
		locks++
		if live[of] == "" || live[of] != object.Spec.Address {
			t.Errorf("%s is held for %q, which has %q", object.Name, of, live[of])
		}
	}
	if locks != len(claims) {
		t.Errorf("%d locks of %d claims", locks, len(claims))
	}
}

// Four processes serve forty claims at the same time, each claim by two of them.
func TestManyAllocatorsGiveNoAddressTwice(t *testing.T) {
	const processes, size = 4, 40
	namespace := networkIn(t, "crowd", "10.0.1.0/24", "10.0.1.1")
	judge := fixture.Judge(t, nil)
	worlds := make([]*world, processes)
	for i := range worlds {
		worlds[i] = newWorld(judge)
	}
	claims := make([]*virtfoundryv1alpha1.IPAddress, size)
	for i := range claims {
		claims[i] = create(t, claim(namespace, fmt.Sprintf("c-%d", i), ""))
	}
	var work sync.WaitGroup
	for i := range claims {
		for p := range 2 {
			work.Go(func() {
				if err := worlds[(i+p)%processes].live(t, claims[i]); err != nil {
					t.Error(err)
				}
			})
		}
	}
	work.Wait()
	for _, object := range all(t, namespace) { // what watches would wake: a lock that was made in vain goes
		if err := worlds[0].live(t, &object); err != nil {
			t.Error(err)
		}
	}
	accounted(t, namespace, claims)
}

// Killed before and after each write of an allocation and of a release, the next
// process gives the claim one address, and leaves nothing held for nobody.
func TestKilledAtAnyWriteNothingIsGivenTwiceAndNothingLeaks(t *testing.T) {
	namespace := networkIn(t, "killed", "10.0.1.0/24", "10.0.1.1")
	judge := fixture.Judge(t, nil)
	counted := newWorld(judge)
	first := counted.settle(t, create(t, claim(namespace, "k-0", "")))
	making := counted.writes.Count()
	claims := []*virtfoundryv1alpha1.IPAddress{first}
	if making < 4 {
		t.Fatalf("only %d writes: %v", making, counted.writes.Made())
	}
	for at := 1; at <= making; at++ {
		for _, before := range []bool{true, false} {
			c := create(t, claim(namespace, fmt.Sprintf("k-%d-%t", at, before), ""))
			if err := newWorldAt(judge, &fixture.Writes{At: at, Before: before}).live(t, c); !errors.Is(err, fixture.ErrKilled) {
				t.Fatalf("%s was not killed: %v", c.Name, err)
			}
			claims = append(claims, newWorld(judge).settle(t, c))
		}
	}
	accounted(t, namespace, claims)
	for i, c := range claims {
		remove(t, c)
		killed := newWorldAt(judge, &fixture.Writes{At: 1 + i/2, Before: i%2 == 0})
		if err := killed.live(t, c); err != nil && !errors.Is(err, fixture.ErrKilled) {
			t.Fatal(err)
		}
		newWorld(judge).settleGone(t, c)
	}
	if left := all(t, namespace); len(left) != 0 {
		t.Errorf("%d objects are left of no claim: %+v", len(left), left[0])
	}
}
