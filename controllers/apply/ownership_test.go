package apply

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func object(labels map[string]string, managers []string, owners ...metav1.OwnerReference) *corev1.ConfigMap {
	o := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "x", Labels: labels, OwnerReferences: owners}}
	o.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("ConfigMap"))
	for _, manager := range managers {
		o.ManagedFields = append(o.ManagedFields, metav1.ManagedFieldsEntry{Manager: manager})
	}
	return o
}

func owner(name string, uid types.UID, controls bool) metav1.OwnerReference {
	return metav1.OwnerReference{APIVersion: "virtfoundry.io/v1alpha1", Kind: "Tenant", Name: name, UID: uid, Controller: &controls}
}

func TestAnObjectIsOursByUIDOrByWhoWroteIt(t *testing.T) {
	ours := []string{"kubectl", FieldManager}
	for name, c := range map[string]struct {
		live          *corev1.ConfigMap
		ours, strays  bool
		outcome       Outcome // of Needed without Adopt; empty where it is refused
		outcomeAdopts Outcome
	}{
		"our controller":                          {object(nil, nil, owner("acme", "1", true)), true, false, Unchanged, Unchanged},
		"our uid, no controller":                  {object(nil, nil, owner("acme", "1", false)), true, true, Updated, Updated},
		"our uid, another name":                   {object(nil, nil, owner("b", "1", true)), true, true, Updated, Updated},
		"no owner, we wrote it":                   {object(nil, ours), true, false, Updated, Updated},
		"no owner, another wrote it":              {object(nil, []string{"kubectl"}), false, false, "", Updated},
		"a stale uid of our name, we wrote it":    {object(nil, ours, owner("acme", "0", true)), true, true, Updated, Updated},
		"a stale uid of our name, another wrote":  {object(nil, nil, owner("acme", "0", true)), false, true, "", ""},
		"another's name, we wrote it":             {object(nil, ours, owner("b", "0", true)), false, true, "", ""},
		"another owner that controls nothing":     {object(nil, nil, owner("b", "0", false)), false, false, "", Updated},
		"ours beside an owner that controls none": {object(nil, nil, owner("b", "0", false), owner("acme", "1", true)), true, false, Unchanged, Unchanged},
	} {
		desired := object(nil, nil, owner("acme", "1", true))
		if Ours(desired, c.live) != c.ours || strayController(desired, c.live) != c.strays {
			t.Errorf("%s: ours %t, stray %t", name, Ours(desired, c.live), strayController(desired, c.live))
		}
		for adopt, want := range map[bool]Outcome{false: c.outcome, true: c.outcomeAdopts} {
			got, err := Needed(Child{Desired: desired, Live: c.live, Adopt: adopt})
			if got.Outcome != want || (err != nil) != (want == "") {
				t.Errorf("%s, adopt %t: %s, %v; want %s", name, adopt, got.Outcome, err, want)
			}
			if err != nil && !strings.Contains(err.Error(), "ConfigMap x") {
				t.Errorf("%s: the error does not name the object: %v", name, err)
			}
		}
	}
	if Ours(object(nil, nil), object(nil, ours)) {
		t.Error("without a controller of its own nothing is ours")
	}
}

func TestNeededSaysWhatWouldBeDone(t *testing.T) {
	mine := owner("acme", "1", true)
	desired := object(map[string]string{"a": "1"}, nil, mine)
	desired.Data = map[string]string{"k": "v"}
	var nothing *corev1.ConfigMap
	drifted := object(map[string]string{"a": "1"}, nil, mine)
	for name, c := range map[string]struct {
		child Child
		want  Result
	}{
		"no live object":       {Child{Desired: desired}, Result{Outcome: Created}},
		"a typed nil":          {Child{Desired: desired, Live: nothing}, Result{Outcome: Created}},
		"the same":             {Child{Desired: desired, Live: desired.DeepCopy()}, Result{Outcome: Unchanged}},
		"a field that changes": {Child{Desired: desired, Live: drifted}, Result{Updated, []string{"data"}}},
		"one that cannot":      {Child{Desired: desired, Live: drifted, Immutable: []string{"data"}}, Result{Recreated, []string{"data"}}},
		"one of another name":  {Child{Desired: desired, Live: drifted, Immutable: []string{"dat", "data.k"}}, Result{Updated, []string{"data"}}},
	} {
		got, err := Needed(c.child)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
