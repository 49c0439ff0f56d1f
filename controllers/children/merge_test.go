package children

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	"pgregory.net/rapid"
)

// liveMachine draws a VirtualMachine as others may have left it.
func liveMachine(t *rapid.T) *kubevirtv1.VirtualMachine {
	vm := &kubevirtv1.VirtualMachine{ObjectMeta: metav1.ObjectMeta{UID: "u", ResourceVersion: "7", Labels: labelsOf(t)}}
	if !rapid.Bool().Draw(t, "template") {
		return vm
	}
	vm.Spec.Template = &kubevirtv1.VirtualMachineInstanceTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labelsOf(t), Annotations: labelsOf(t)}}
	spec := &vm.Spec.Template.Spec
	names := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{rootDisk, cloudInitDisk, podNetwork, "hot", "cold"}), 0, 4, rapid.ID)
	for _, name := range names.Draw(t, "volumes") {
		spec.Volumes = append(spec.Volumes, kubevirtv1.Volume{Name: name})
	}
	for _, name := range names.Draw(t, "disks") {
		spec.Domain.Devices.Disks = append(spec.Domain.Devices.Disks, kubevirtv1.Disk{Name: name, Serial: "theirs"})
	}
	for _, name := range names.Draw(t, "networks") {
		spec.Networks = append(spec.Networks, kubevirtv1.Network{Name: name})
	}
	for _, name := range names.Draw(t, "interfaces") {
		spec.Domain.Devices.Interfaces = append(spec.Domain.Devices.Interfaces, kubevirtv1.Interface{Name: name, MacAddress: "02:00:00:00:00:01"})
	}
	return vm
}

func labelsOf(t *rapid.T) map[string]string {
	return rapid.MapOfN(rapid.SampledFrom([]string{"uds.dev/vm", "a", "b"}), rapid.SampledFrom([]string{"1", "2"}), 0, 3).Draw(t, "labels")
}

// kept checks that each of ours stands first and unchanged, and behind them
// each of theirs that has no name of ours.
func kept[T any](t *rapid.T, what string, merged, ours, theirs []T, name func(T) string) {
	want := append([]T{}, ours...)
	for _, entry := range theirs {
		if !contains(ours, name(entry), name) {
			want = append(want, entry)
		}
	}
	if diff := cmp.Diff(want, merged, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}

func contains[T any](list []T, wanted string, name func(T) string) bool {
	for _, entry := range list {
		if name(entry) == wanted {
			return true
		}
	}
	return false
}

func TestAMergedMachineKeepsWhatIsTheirsAndOursWins(t *testing.T) {
	desired := machineOf(t, nil).VirtualMachine
	rapid.Check(t, func(t *rapid.T) {
		live := liveMachine(t)
		before := desired.DeepCopy()
		merged := MergeVirtualMachine(desired, live)
		if diff := cmp.Diff(before, desired); diff != "" {
			t.Fatalf("desired was changed: %s", diff)
		}
		if diff := cmp.Diff(merged, MergeVirtualMachine(desired, merged)); diff != "" {
			t.Fatalf("merging again changes (-once +twice):\n%s", diff)
		}
		if merged.UID != "u" || merged.ResourceVersion != "7" || merged.Labels["uds.dev/vm"] != desired.Labels["uds.dev/vm"] {
			t.Fatalf("metadata: %+v", merged.ObjectMeta)
		}
		if live.Spec.Template == nil {
			return
		}
		got, ours, theirs := merged.Spec.Template.Spec, desired.Spec.Template.Spec, live.Spec.Template.Spec
		kept(t, "volumes", got.Volumes, ours.Volumes, theirs.Volumes, func(v kubevirtv1.Volume) string { return v.Name })
		kept(t, "networks", got.Networks, ours.Networks, theirs.Networks, func(n kubevirtv1.Network) string { return n.Name })
		kept(t, "disks", got.Domain.Devices.Disks, ours.Domain.Devices.Disks, theirs.Domain.Devices.Disks, func(d kubevirtv1.Disk) string { return d.Name })
		nic := func(i kubevirtv1.Interface) string { return i.Name }
		expected := append([]kubevirtv1.Interface{}, ours.Domain.Devices.Interfaces...)
		if contains(theirs.Domain.Devices.Interfaces, podNetwork, nic) {
			expected[0].MacAddress = "02:00:00:00:00:01" // a pool of addresses gave it
		}
		kept(t, "interfaces", got.Domain.Devices.Interfaces, expected, theirs.Domain.Devices.Interfaces, nic)
	})
}

func TestWithoutALiveObjectNothingIsMerged(t *testing.T) {
	desired := machineOf(t, nil).VirtualMachine
	if diff := cmp.Diff(desired, MergeVirtualMachine(desired, nil)); diff != "" {
		t.Error(diff)
	}
	namespace := tenantOf(t, nil).Namespace
	if diff := cmp.Diff(namespace, MergeNamespace(namespace, nil)); diff != "" {
		t.Error(diff)
	}
}

func TestAMergedNamespaceKeepsWhatIsTheirsAndOursWins(t *testing.T) {
	desired := tenantOf(t, nil).Namespace
	no := false
	other := metav1.OwnerReference{Kind: "X", UID: "x"}
	live := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		Name: desired.Name, UID: "n", Labels: map[string]string{"theirs": "1", "virtfoundry.io/tenant": "forged"}, Annotations: map[string]string{"a": "1"},
		OwnerReferences: []metav1.OwnerReference{{Kind: "Tenant", UID: desired.OwnerReferences[0].UID, Controller: &no}, other},
	}}
	merged := MergeNamespace(desired, live)
	want := live.DeepCopy()
	want.Labels = map[string]string{"theirs": "1"}
	for key, value := range desired.Labels {
		want.Labels[key] = value
	}
	want.OwnerReferences = []metav1.OwnerReference{other, desired.OwnerReferences[0]}
	if diff := cmp.Diff(want, merged); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(merged, MergeNamespace(desired, merged)); diff != "" {
		t.Errorf("merging again changes: %s", diff)
	}
	if live.Labels["virtfoundry.io/tenant"] != "forged" || len(live.OwnerReferences) != 2 || live.OwnerReferences[0].UID != desired.OwnerReferences[0].UID {
		t.Errorf("live was changed: %+v", live)
	}
}
