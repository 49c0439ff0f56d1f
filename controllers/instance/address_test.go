package instance

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/internal/fixture"
	"cato.dev/cato/policy/facts"
)

func (w *world) addresses(t *testing.T) []virtfoundryv1alpha1.IPAddress {
	t.Helper()
	var all virtfoundryv1alpha1.IPAddressList
	if err := cluster.Client.List(t.Context(), &all, client.InNamespace(w.namespace)); err != nil {
		t.Fatal(err)
	}
	return all.Items
}

// allocate plays the controller of IPAddresses: each claim of the namespace gets an address and what holds it.
func (w *world) allocate(t *testing.T) (some bool) {
	t.Helper()
	all := w.addresses(t)
	for i := range all {
		claim := &all[i]
		if claim.Labels[virtfoundryv1alpha1.LabelClaim] != "" || claim.DeletionTimestamp != nil || facts.HoldsAddress(claim, all) {
			continue
		}
		given := claim.Spec.Address == ""
		for host := 2; claim.Spec.Address == ""; host++ {
			if address := fmt.Sprintf("10.0.1.%d", host); !slices.ContainsFunc(w.addresses(t), func(a virtfoundryv1alpha1.IPAddress) bool { return a.Spec.Address == address }) {
				claim.Spec.Address = address
			}
		}
		create(t, &virtfoundryv1alpha1.IPAddress{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: claim.Namespace, Name: strings.ReplaceAll(claim.Spec.Address, ".", "-"), Labels: map[string]string{virtfoundryv1alpha1.LabelClaim: string(claim.UID)},
				OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(claim, virtfoundryv1alpha1.GroupVersion.WithKind("IPAddress"))},
			},
			Spec: claim.Spec,
		})
		if given {
			update(t, claim)
		}
		some = true
	}
	return some
}

func (w *world) claim(t *testing.T, name string) *virtfoundryv1alpha1.IPAddress {
	t.Helper()
	return get(t, &virtfoundryv1alpha1.IPAddress{}, w.namespace, name)
}

func (w *world) networkData(t *testing.T, name string) string {
	t.Helper()
	return string(get(t, &corev1.Secret{}, w.namespace, name+"-cloudinit").Data["networkdata"])
}

func TestAGuestIsToldTheAddressThatIsHeldForIt(t *testing.T) {
	w := start(t, fixture.Judge(t, nil))
	gateway := w.network(t, "routed", true)
	gateway.Spec.Gateway = "10.0.1.1"
	update(t, gateway)
	w.make(t, "web", func(i *virtfoundryv1alpha1.Instance) {
		i.Spec.NICs = append(i.Spec.NICs, virtfoundryv1alpha1.NIC{Name: "Out_1", NetworkRef: virtfoundryv1alpha1.LocalObjectRef{Name: "routed"}, Address: "10.0.1.77"})
	})
	if w.reconcile(t, "web").RequeueAfter == 0 {
		t.Error("nobody comes back")
	}
	expect(t, w.instance(t, "web"), virtfoundryv1alpha1.InstancePending, "Ready", metav1.ConditionFalse, "Pending", "IPAddress "+w.namespace+"/web-lan has no address yet")
	if exists(t, &corev1.Secret{}, w.namespace, "web-cloudinit") || exists(t, &kubevirtv1.VirtualMachine{}, w.namespace, "web") {
		t.Error("a guest is made before its address is held")
	}
	instance := w.settle(t, "web")
	expect(t, instance, virtfoundryv1alpha1.InstanceStarting, "PolicyAllowed", metav1.ConditionTrue, "PolicyAllowed", "")
	nics := w.vm(t, "web").Spec.Template.Spec.Domain.Devices.Interfaces
	first, second := w.claim(t, "web-lan"), w.claim(t, facts.NICClaimName("web", "Out_1"))
	want := fmt.Sprintf(`ethernets:
  Out_1:
    addresses:
    - 10.0.1.77/24
    dhcp4: false
    match:
      macaddress: %s
    routes:
    - to: 0.0.0.0/0
      via: 10.0.1.1
  lan:
    addresses:
    - %s/24
    dhcp4: false
    match:
      macaddress: %s
version: 2
`, nics[1].MacAddress, first.Spec.Address, nics[0].MacAddress)
	if diff := cmp.Diff(want, w.networkData(t, "web")); diff != "" || nics[0].MacAddress == nics[1].MacAddress {
		t.Errorf("network configuration (-want +got):\n%s", diff)
	}
	if seed := w.vm(t, "web").Spec.Template.Spec.Volumes[1].CloudInitNoCloud; seed.NetworkDataSecretRef == nil || seed.NetworkDataSecretRef.Name != "web-cloudinit" {
		t.Errorf("cloud-init volume %+v", seed)
	}
	if !metav1.IsControlledBy(first, instance) || first.Labels[virtfoundryv1alpha1.LabelNIC] != "lan" || second.Labels[virtfoundryv1alpha1.LabelNIC] != "Out_1" {
		t.Errorf("%+v %+v", first.ObjectMeta, second.ObjectMeta)
	}
}

func TestAnAddressOfAnotherIsNeverTakenOver(t *testing.T) {
	w := start(t, fixture.Judge(t, nil))
	theirs := &virtfoundryv1alpha1.IPAddress{
		ObjectMeta: metav1.ObjectMeta{Name: "web-lan", Namespace: w.namespace},
		Spec:       virtfoundryv1alpha1.IPAddressSpec{NetworkRef: virtfoundryv1alpha1.LocalObjectRef{Name: "web"}},
	}
	create(t, theirs)
	w.make(t, "web")
	instance := w.settle(t, "web")
	expect(t, instance, virtfoundryv1alpha1.InstanceFailed, "PolicyAllowed", metav1.ConditionFalse, "PolicyDenied", "IPAddress web-lan, which NIC lan needs, is not this Instance's")
	if now := w.claim(t, "web-lan"); len(now.OwnerReferences) > 0 || len(now.Labels) > 0 || exists(t, &kubevirtv1.VirtualMachine{}, w.namespace, "web") {
		t.Errorf("it was taken over, or a guest was made without: %+v", now.ObjectMeta)
	}
	remove(t, theirs)
	expect(t, w.settle(t, "web"), virtfoundryv1alpha1.InstanceStarting, "PolicyAllowed", metav1.ConditionTrue, "PolicyAllowed", "")
}

func TestAClaimIsPutRight(t *testing.T) {
	w := start(t, fixture.Judge(t, nil))
	w.make(t, "web")
	w.settle(t, "web")
	held := w.claim(t, "web-lan").Spec.Address
	for name, drift := range map[string]func(*virtfoundryv1alpha1.IPAddress){
		"label": func(a *virtfoundryv1alpha1.IPAddress) { a.Labels[virtfoundryv1alpha1.LabelNIC] = "other" },
		"owner": func(a *virtfoundryv1alpha1.IPAddress) { a.OwnerReferences = nil },
	} {
		claim := w.claim(t, "web-lan")
		drift(claim)
		update(t, claim)
		instance := w.settle(t, "web")
		if now := w.claim(t, "web-lan"); now.Labels[virtfoundryv1alpha1.LabelNIC] != "lan" || !metav1.IsControlledBy(now, instance) || now.Spec.Address != held {
			t.Errorf("%s is not put right: %+v", name, now)
		}
		if !w.events.Has(EventRepaired) {
			t.Errorf("%s: nobody was told", name)
		}
	}
}

func TestAnAddressIsGivenBackWhenTheGuestHasStoppedWithIt(t *testing.T) {
	w := start(t, fixture.Judge(t, nil))
	w.network(t, "db", true)
	w.make(t, "web")
	w.settle(t, "web")
	vmi := w.running(t, "web")
	old := w.claim(t, "web-lan")
	instance := w.instance(t, "web")
	instance.Spec.NICs[0].NetworkRef.Name = "db"
	update(t, instance)
	w.reconcile(t, "web")
	expect(t, w.instance(t, "web"), virtfoundryv1alpha1.InstanceRunning, "PolicyAllowed", metav1.ConditionUnknown, "PolicyUnknown", "is held until the guest is halted")
	if now := w.claim(t, "web-lan"); now.UID != old.UID || now.DeletionTimestamp != nil {
		t.Error("the address was given back under a running guest")
	}
	instance = w.instance(t, "web")
	instance.Spec.PowerState = virtfoundryv1alpha1.PowerHalted
	update(t, instance)
	w.reconcile(t, "web")
	remove(t, vmi)
	w.settle(t, "web")
	if now := w.claim(t, "web-lan"); now.UID == old.UID || now.Spec.NetworkRef.Name != "db" {
		t.Errorf("the claim is still of the old network: %+v", now.Spec)
	}
	if vm := w.vm(t, "web"); vm.Spec.Template.Spec.Networks[0].Multus.NetworkName != "db" {
		t.Errorf("networks %+v", vm.Spec.Template.Spec.Networks)
	}
}
