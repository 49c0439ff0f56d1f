package address

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/internal/fixture"
)

func TestAClaimGetsTheSmallestFreeAddressAndHoldsIt(t *testing.T) {
	namespace := networkIn(t, "small", "10.0.1.0/24", "10.0.1.1")
	w := newWorld(fixture.Judge(t, nil))
	written := w.settle(t, create(t, claim(namespace, "10-0-1-2", "10.0.1.2")))
	is(t, written, "Ready", metav1.ConditionTrue, "")
	for name, want := range map[string]string{"any": "10.0.1.3", "10-0-1-77": "10.0.1.77"} {
		got := w.settle(t, create(t, claim(namespace, name, "")))
		if got.Spec.Address != want || got.Status.Phase != virtfoundryv1alpha1.PhaseReady {
			t.Errorf("%s: %q, want %q; %+v", name, got.Spec.Address, want, got.Status)
		}
		for _, kind := range []string{"Ready", "PolicyAllowed", "Compliant"} {
			is(t, got, kind, metav1.ConditionTrue, "")
		}
	}
	lock := read(t, claim(namespace, "10-0-1-3", ""))
	if owner := metav1.GetControllerOf(lock); owner == nil || owner.Name != "any" || lock.Spec.Address != "10.0.1.3" {
		t.Errorf("the lock: %+v", lock)
	}
	again := newWorld(fixture.Judge(t, nil))
	again.settle(t, claim(namespace, "any", ""))
	if again.writes.Count() != 0 {
		t.Errorf("a settled claim is written again: %v", again.writes.Made())
	}
}

func TestAnAddressThatIsHeldOrReservedIsRefused(t *testing.T) {
	namespace := networkIn(t, "refused", "10.0.1.0/24", "10.0.1.1")
	create(t, &catov1alpha1.ComplianceProfile{ObjectMeta: metav1.ObjectMeta{Name: "refused"}, Spec: catov1alpha1.ComplianceProfileSpec{
		Base: catov1alpha1.BaseVirtFoundry, Scope: catov1alpha1.ProfileScope{NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"virtfoundry.io/tenant": "refused"}}},
		Parameters: catov1alpha1.ComplianceProfileParameters{AddressPools: []catov1alpha1.AddressPool{{
			Network: namespace + "/web", Start: "10.0.1.10", End: "10.0.1.12", Reserved: []catov1alpha1.AddressRange{{Start: "10.0.1.100", End: "10.0.1.150", Reason: "load balancer"}},
		}}},
	}})
	w := newWorld(fixture.Judge(t, nil))
	first := w.settle(t, create(t, claim(namespace, "first", "10.0.1.10")))
	is(t, first, "Ready", metav1.ConditionTrue, "")
	for address, why := range map[string]string{
		"10.0.1.10": "held by IPAddress 10-0-1-10", "10.0.1.120": "load balancer", "10.0.1.13": "pool", "10.0.1.1": "gateway", "10.0.2.1": "outside",
	} {
		refused := w.settle(t, create(t, claim(namespace, "x-"+strings.ReplaceAll(address, ".", "-"), address)))
		if message := is(t, refused, "PolicyAllowed", metav1.ConditionFalse, "PolicyDenied"); !strings.Contains(message, why) || refused.Status.Phase != virtfoundryv1alpha1.PhaseFailed {
			t.Errorf("%s: %q, phase %s", address, message, refused.Status.Phase)
		}
	}
	for _, want := range []string{"10.0.1.11", "10.0.1.12"} {
		if got := w.settle(t, create(t, claim(namespace, "any-"+want, ""))); got.Spec.Address != want {
			t.Errorf("got %s, want %s", got.Spec.Address, want)
		}
	}
	late := create(t, claim(namespace, "late", ""))
	if result, err := w.once(t, late); err != nil || result.RequeueAfter == 0 {
		t.Errorf("a claim that waits does not come back: %v", err)
	}
	if message := is(t, read(t, late), "Ready", metav1.ConditionFalse, "NoAddress"); !strings.Contains(message, "no free address") {
		t.Errorf("message %q", message)
	}
	remove(t, first)
	w.settleGone(t, first)
	if got := w.settle(t, late); got.Spec.Address != "10.0.1.10" {
		t.Errorf("what was released is not given again: %+v", got)
	}
}

func TestAnAddressThatANICUsesStays(t *testing.T) {
	namespace := networkIn(t, "nic", "10.0.1.0/24", "")
	w := newWorld(fixture.Judge(t, nil))
	instance := create(t, &virtfoundryv1alpha1.Instance{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "vm"},
		Spec: virtfoundryv1alpha1.InstanceSpec{
			DisplayName: "vm", TemplateRef: &virtfoundryv1alpha1.LocalObjectRef{Name: "ubuntu"},
			NICs: []virtfoundryv1alpha1.NIC{{Name: "eth0", NetworkRef: virtfoundryv1alpha1.LocalObjectRef{Name: "web"}}},
		},
	})
	used := claim(namespace, "vm-eth0", "")
	used.Labels = map[string]string{"virtfoundry.io/nic": "eth0"}
	used.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(instance, virtfoundryv1alpha1.GroupVersion.WithKind("Instance"))}
	used = w.settle(t, create(t, used))
	if used.Status.InstanceNICRef != "vm/eth0" || used.Spec.Address != "10.0.1.1" {
		t.Errorf("%+v %+v", used.Spec, used.Status)
	}
	lock := read(t, claim(namespace, "10-0-1-1", ""))
	for _, object := range []*virtfoundryv1alpha1.IPAddress{used, lock} {
		remove(t, object)
		if result, err := w.once(t, object); err != nil || result.RequeueAfter == 0 {
			t.Errorf("it does not come back while a NIC uses it: %v", err)
		}
		if message := is(t, read(t, object), "Ready", metav1.ConditionFalse, "InUse"); !strings.Contains(message, "vm") {
			t.Errorf("message %q", message)
		}
	}
	remove(t, instance)
	w.settleGone(t, used)
	if left := all(t, namespace); len(left) != 0 {
		t.Errorf("left: %+v", left)
	}
}

func (w *world) settleGone(t *testing.T, a *virtfoundryv1alpha1.IPAddress) {
	t.Helper()
	if err := w.live(t, a); err != nil {
		t.Fatal(err)
	}
	for _, left := range all(t, a.Namespace) {
		if left.Name == a.Name || left.Labels["virtfoundry.io/claim"] == string(a.UID) {
			t.Errorf("%s is left of %s", left.Name, a.Name)
		}
	}
}
