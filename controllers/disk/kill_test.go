package disk

import (
	"fmt"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"cato.dev/cato/controllers/internal/fixture"
)

// A Disk is made, attached, detached and deleted. Killed before and after each
// write and each request to KubeVirt, a new process has it attached once, and
// leaves nothing behind.
func TestKilledAtAnyWriteADiskIsAttachedOnceAndGoes(t *testing.T) {
	namespace := cluster.TenantNamespace(t, "killed")
	defer remove(t, class(t, "fast", true, false))
	instanceNamed(t, namespace, "web")
	judge := fixture.Judge(t, nil)
	made := 0
	life := func(writes *fixture.Writes) {
		made++
		disk := create(t, diskNamed(namespace, fmt.Sprintf("k-%d", made), "", "web"))
		process := fixture.Start(writes, func(writes *fixture.Writes) *world { return newWorldAt(t, judge, writes) })
		settle := func() {
			t.Helper()
			process.Settle(t, func(w *world) error { return w.live(t, disk) })
			disk = fresh(t, disk)
		}
		settle()
		if claim := claimOf(t, disk); claim.Status.Phase != corev1.ClaimBound {
			bind(t, claim)
		}
		settle()
		settle() // the change of the machine is an event
		is(t, disk, "Attached", metav1.ConditionTrue, "")
		if got := claimsOf(t, namespace, "web"); !slices.Equal(got, []string{disk.Name}) {
			t.Errorf("%s: the machine has %v", disk.Name, got)
		}
		disk.Spec.InstanceRef = nil
		update(t, disk)
		settle()
		settle()
		if is(t, disk, "Attached", metav1.ConditionFalse, "Detached"); len(claimsOf(t, namespace, "web")) != 0 || !own(disk, claimOf(t, disk)) {
			t.Errorf("%s: the machine has %v", disk.Name, claimsOf(t, namespace, "web"))
		}
		gone := disk.DeepCopy()
		remove(t, disk)
		settle()
		process.Settle(t, func(w *world) error { return w.live(t, gone) })
		if now := fresh(t, gone); now.Name != "" {
			t.Errorf("%s is still there: %+v", gone.Name, now.Status)
		}
		process.MustHaveDied(t)
	}
	fixture.KillAtEach(t, 8, life)
}

// claimsOf are the claims that a machine has as volumes.
func claimsOf(t *testing.T, namespace, machine string) []string {
	t.Helper()
	var vm kubevirtv1.VirtualMachine
	if err := cluster.Client.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: machine}, &vm); err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for i := range vm.Spec.Template.Spec.Volumes {
		names = append(names, vm.Spec.Template.Spec.Volumes[i].PersistentVolumeClaim.ClaimName)
	}
	return names
}
