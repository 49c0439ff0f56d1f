package network

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/internal/fixture"
	"cato.dev/cato/controllers/lifecycle"
)

func system(t *testing.T) {
	t.Helper()
	err := cluster.Client.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: virtfoundryv1alpha1.SystemNamespace}})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		t.Fatal(err)
	}
}

func instanceOn(namespace, name, network string) *virtfoundryv1alpha1.Instance {
	return &virtfoundryv1alpha1.Instance{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: virtfoundryv1alpha1.InstanceSpec{
			DisplayName: name, TemplateRef: &virtfoundryv1alpha1.LocalObjectRef{Name: "ubuntu"},
			NICs: []virtfoundryv1alpha1.NIC{{Name: "eth0", NetworkRef: virtfoundryv1alpha1.LocalObjectRef{Name: network}}},
		},
	}
}

func TestANetworkStaysWhileSomethingUsesIt(t *testing.T) {
	namespace := cluster.TenantNamespace(t, "used")
	w := newWorld(fixture.Judge(t, nil))
	network := w.settle(t, create(t, isolatedNamed(namespace, "web", "10.0.1.0/24")))
	instance := create(t, instanceOn(namespace, "vm", "web"))
	address := create(t, &virtfoundryv1alpha1.IPAddress{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "10-0-1-7"}, Spec: virtfoundryv1alpha1.IPAddressSpec{NetworkRef: virtfoundryv1alpha1.LocalObjectRef{Name: "web"}, Address: "10.0.1.7"}})
	remove(t, network)
	for _, user := range []client.Object{instance, address} {
		if result, err := w.once(t, network); err != nil || result.RequeueAfter == 0 {
			t.Fatalf("it does not come back while something uses it: %v", err)
		}
		network = read(t, network)
		message := is(t, network.Status.Conditions, "Ready", metav1.ConditionFalse, "InUse")
		if !strings.Contains(message, user.GetName()) || network.Status.Phase != virtfoundryv1alpha1.PhaseTerminating || !w.events.Has(lifecycle.EventInUse) {
			t.Errorf("phase %s, message %q, events %v", network.Status.Phase, message, w.events.Reasons())
		}
		read(t, attachmentOf(network))
		remove(t, user)
	}
	if err := w.live(t, network); err != nil {
		t.Fatal(err)
	}
	if !gone(t, network) || !gone(t, attachmentOf(network)) {
		t.Error("nothing uses it any more, and it is still there")
	}
}

// Killed before and after each write of its making and of its removal, a new
// process ends where an undisturbed one does.
func TestKilledAtAnyWriteItConverges(t *testing.T) {
	namespace := cluster.TenantNamespace(t, "killed")
	judge := fixture.Judge(t, nil)
	run := func(w *world, name, cidr string) (*virtfoundryv1alpha1.Network, error) {
		network := isolatedNamed(namespace, name, cidr)
		if err := cluster.Client.Create(t.Context(), network); err != nil {
			t.Fatal(err)
		}
		return network, w.live(t, network)
	}
	counted := newWorld(judge)
	first, err := run(counted, "k-0", "10.100.0.0/24")
	if err != nil {
		t.Fatal(err)
	}
	total := counted.writes.Count()
	if total < 3 {
		t.Fatalf("only %d writes make a Network: %v", total, counted.writes.Made())
	}
	seen := map[int32]string{first.Status.VLAN: "k-0"}
	for at := 1; at <= total; at++ {
		for i, before := range []bool{true, false} {
			name := fmt.Sprintf("k-%d-%t", at, before)
			network, err := run(newWorldAt(judge, &fixture.Writes{At: at, Before: before}), name, fmt.Sprintf("10.%d.%d.0/24", at, i))
			if !errors.Is(err, fixture.ErrKilled) {
				t.Fatalf("%s was not killed: %v", name, err)
			}
			network = newWorld(judge).settle(t, network)
			if network.Status.Phase != virtfoundryv1alpha1.PhaseReady || seen[network.Status.VLAN] != "" {
				t.Errorf("%s: %+v; its VLAN is also of %q", name, network.Status, seen[network.Status.VLAN])
			}
			seen[network.Status.VLAN] = name
			remove(t, network)
			if err := newWorldAt(judge, &fixture.Writes{At: 1 + i, Before: before}).live(t, network); err != nil && !errors.Is(err, fixture.ErrKilled) {
				t.Fatal(err)
			}
			if err := newWorld(judge).live(t, network); err != nil {
				t.Fatal(err)
			}
			if !gone(t, network) || !gone(t, attachmentOf(network)) {
				t.Errorf("%s is still there", name)
			}
		}
	}
}

// Four processes make fifty Networks at the same time; no two end in one VLAN.
func TestManyNetworksAtOnceGetVLANsOfTheirOwn(t *testing.T) {
	const processes, networks = 4, 50
	namespace := cluster.TenantNamespace(t, "crowd")
	judge := fixture.Judge(t, nil)
	worlds := make([]*world, processes)
	for i := range worlds {
		worlds[i] = newWorld(judge)
	}
	all := make([]*virtfoundryv1alpha1.Network, networks)
	var work sync.WaitGroup
	failures := make(chan error, networks*processes)
	for i := range all {
		all[i] = create(t, isolatedNamed(namespace, fmt.Sprintf("n-%d", i), fmt.Sprintf("10.0.%d.0/24", i)))
		for p := range 2 { // two processes at each
			work.Go(func() {
				if err := worlds[(i+p)%processes].live(t, all[i]); err != nil {
					failures <- err
				}
			})
		}
	}
	work.Wait()
	close(failures)
	for err := range failures {
		t.Error(err)
	}
	for _, network := range all {
		worlds[0].settle(t, network) // what watches would wake
	}
	holder := map[int32]string{}
	for _, network := range all {
		network = newWorld(judge).settle(t, network)
		if other := holder[network.Status.VLAN]; other != "" || network.Status.Phase != virtfoundryv1alpha1.PhaseReady {
			t.Errorf("%s: %+v; its VLAN is also of %q", network.Name, network.Status, other)
		}
		holder[network.Status.VLAN] = network.Name
	}
}
