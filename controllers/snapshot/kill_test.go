package snapshot

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	snapshotv1beta1 "kubevirt.io/api/snapshot/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/internal/fixture"
)

// Killed before and after each write, a new process has one moment kept, by one
// snapshot, and takes no second one in place of the first.
func TestKilledAtAnyWriteOneMomentIsKept(t *testing.T) {
	namespace := cluster.TenantNamespace(t, "killed")
	instanceNamed(t, namespace, "web")
	judge := fixture.Judge(t, nil)
	made := 0
	life := func(writes *fixture.Writes) {
		made++
		snapshot := create(t, ofInstance(namespace, fmt.Sprintf("k-%d", made), "web"))
		process := fixture.Start(writes, func(writes *fixture.Writes) *Instances { return NewInstances(depsAt(judge, writes)) })
		settle := func() {
			t.Helper()
			process.Settle(t, func(r *Instances) error { return live(t, r, snapshot) })
			if err := cluster.Client.Get(t.Context(), client.ObjectKeyFromObject(snapshot), snapshot); err != nil {
				t.Fatal(err)
			}
		}
		settle()
		child := childOf(t, snapshot)
		uid, ready := child.UID, true
		child.Status = &snapshotv1beta1.VirtualMachineSnapshotStatus{ReadyToUse: &ready, Phase: snapshotv1beta1.Succeeded}
		setStatus(t, child)
		settle()
		is(t, snapshot.Status.Conditions, "Ready", metav1.ConditionTrue, "")
		if now := childOf(t, snapshot); now.UID != uid || snapshot.Status.Phase != virtfoundryv1alpha1.PhaseReady || snapshot.Status.KubeVirtSnapshotName != now.Name {
			t.Errorf("%s: another moment is kept, or none is shown: %+v", snapshot.Name, snapshot.Status)
		}
		process.MustHaveDied(t)
	}
	fixture.KillAtEach(t, 3, life)
}

// A DiskSnapshot that the cluster cannot make says so after any death too, and
// makes nothing.
func TestKilledAtAnyWriteADiskSnapshotSaysWhatTheClusterLacks(t *testing.T) {
	namespace := cluster.TenantNamespace(t, "killeddisks")
	create(t, &virtfoundryv1alpha1.Disk{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "data"}, Spec: virtfoundryv1alpha1.DiskSpec{Name: "data", SizeGi: 1}})
	judge := fixture.Judge(t, nil)
	made := 0
	life := func(writes *fixture.Writes) {
		made++
		snapshot := create(t, &virtfoundryv1alpha1.DiskSnapshot{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: fmt.Sprintf("k-%d", made)},
			Spec:       virtfoundryv1alpha1.DiskSnapshotSpec{Name: "k", DiskRef: virtfoundryv1alpha1.LocalObjectRef{Name: "data"}},
		})
		process := fixture.Start(writes, func(writes *fixture.Writes) *Disks { return NewDisks(depsAt(judge, writes)) })
		process.Settle(t, func(r *Disks) error { return live(t, r, snapshot) })
		if err := cluster.Client.Get(t.Context(), client.ObjectKeyFromObject(snapshot), snapshot); err != nil {
			t.Fatal(err)
		}
		is(t, snapshot.Status.Conditions, "PolicyAllowed", metav1.ConditionFalse, "PolicyDenied")
		var claims corev1.PersistentVolumeClaimList
		if err := cluster.Client.List(t.Context(), &claims, client.InNamespace(namespace)); err != nil || len(claims.Items) != 0 {
			t.Errorf("%v, %d claims", err, len(claims.Items))
		}
		process.MustHaveDied(t)
	}
	fixture.KillAtEach(t, 1, life)
}

func childOf(t *testing.T, snapshot *virtfoundryv1alpha1.InstanceSnapshot) *snapshotv1beta1.VirtualMachineSnapshot {
	t.Helper()
	child := &snapshotv1beta1.VirtualMachineSnapshot{}
	if err := cluster.Client.Get(t.Context(), client.ObjectKeyFromObject(snapshot), child); err != nil {
		t.Fatalf("%v; %+v", err, snapshot.Status.Conditions)
	}
	return child
}
