package facts

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
)

func TestEveryNICHasAClaimOfALegalNameOfItsOwn(t *testing.T) {
	seen := map[string]string{}
	for _, nic := range []string{"lan", "nic0", "Lan", "lan_1", "lan-1", "_", "-a-", "__", strings.Repeat("n", 253), strings.Repeat("n", 252)} {
		name, label := NICClaimName("web", nic), NICLabel(nic)
		if problems := validation.IsDNS1123Subdomain(name); len(problems) > 0 || len(name) > 253 || seen[name] != "" {
			t.Errorf("%s: name %q, also of %q: %v", nic, name, seen[name], problems)
		}
		if problems := validation.IsValidLabelValue(label); len(problems) > 0 {
			t.Errorf("%s: label %q: %v", nic, label, problems)
		}
		seen[name] = nic
	}
	if name, label := NICClaimName("web", "lan-1"), NICLabel("Lan_1"); name != "web-lan-1" || label != "Lan_1" {
		t.Errorf("name %q, label %q", name, label)
	}
}

func TestOnlyTheObjectThatIsNamedAfterAnAddressHoldsIt(t *testing.T) {
	claim := &virtfoundryv1alpha1.IPAddress{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "web-lan", UID: "1"}, Spec: virtfoundryv1alpha1.IPAddressSpec{Address: "10.0.1.7"}}
	lock := func(uid string) []virtfoundryv1alpha1.IPAddress {
		controls := true
		return []virtfoundryv1alpha1.IPAddress{{ObjectMeta: metav1.ObjectMeta{
			Namespace: "n", Name: "10-0-1-7", OwnerReferences: []metav1.OwnerReference{{UID: "1", Name: uid, Controller: &controls}},
		}}}
	}
	other := lock("x")
	other[0].OwnerReferences[0].UID = "2"
	claim.Status.Phase = virtfoundryv1alpha1.PhaseReady // which others can write
	if HoldsAddress(claim, nil) || HoldsAddress(claim, other) || !HoldsAddress(claim, lock("x")) {
		t.Error("the lock does not decide")
	}
	claim.Name = "10-0-1-7"
	if !HoldsAddress(claim, nil) {
		t.Error("an object that is named after its address holds it")
	}
}
