package snapshot

import (
	"os"
	"strings"
	"testing"
	"time"

	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	snapshotv1beta1 "kubevirt.io/api/snapshot/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	corev1 "k8s.io/api/core/v1"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/children"
	"cato.dev/cato/controllers/decide"
	"cato.dev/cato/controllers/gather"
	"cato.dev/cato/controllers/internal/fixture"
	"cato.dev/cato/controllers/lifecycle"
)

var cluster fixture.Cluster

func TestMain(m *testing.M) { os.Exit(fixture.Main(m, "../..", &cluster)) }

func deps(t *testing.T) lifecycle.Deps {
	t.Helper()
	return depsAt(fixture.Judge(t, nil), &fixture.Writes{})
}

func depsAt(judge *decide.Judge, writes *fixture.Writes) lifecycle.Deps {
	return lifecycle.Deps{
		Client: writes.Through(cluster.Client), Uncached: cluster.Client, Judge: judge, Events: &fixture.Events{}, Now: time.Now,
		Gatherer: gather.FromReader(cluster.Client, time.Now),
	}
}

// settle reconciles until only events would wake it, and reads the object again.
func settle(t *testing.T, r reconcile.Reconciler, object client.Object) {
	t.Helper()
	if err := live(t, r, object); err != nil {
		t.Fatalf("%s: %v", object.GetName(), err)
	}
	if err := cluster.Client.Get(t.Context(), client.ObjectKeyFromObject(object), object); err != nil {
		t.Fatal(err)
	}
}

func live(t *testing.T, r reconcile.Reconciler, object client.Object) error {
	t.Helper()
	return fixture.LiveUntilEvents(t, func() (reconcile.Result, error) {
		return r.Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKeyFromObject(object)})
	})
}

func create[T client.Object](t *testing.T, object T) T {
	t.Helper()
	if err := cluster.Client.Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	return object
}

func is(t *testing.T, conditions []metav1.Condition, kind string, status metav1.ConditionStatus, reason string) string {
	t.Helper()
	c := meta.FindStatusCondition(conditions, kind)
	if c == nil || c.Status != status || reason != "" && c.Reason != reason {
		t.Errorf("condition %s: %+v, want %s %s; all: %+v", kind, c, status, reason, conditions)
		return ""
	}
	return c.Message
}

func instanceNamed(t *testing.T, namespace, name string) {
	t.Helper()
	instance := create(t, &virtfoundryv1alpha1.Instance{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Spec: virtfoundryv1alpha1.InstanceSpec{TemplateRef: &virtfoundryv1alpha1.LocalObjectRef{Name: "linux"}}})
	strategy := kubevirtv1.RunStrategyHalted
	create(t, &kubevirtv1.VirtualMachine{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(instance, virtfoundryv1alpha1.GroupVersion.WithKind("Instance"))}},
		Spec:       kubevirtv1.VirtualMachineSpec{RunStrategy: &strategy, Template: &kubevirtv1.VirtualMachineInstanceTemplateSpec{}},
	})
}

func ofInstance(namespace, name, instance string) *virtfoundryv1alpha1.InstanceSnapshot {
	return &virtfoundryv1alpha1.InstanceSnapshot{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Spec: virtfoundryv1alpha1.InstanceSnapshotSpec{Name: name, InstanceRef: virtfoundryv1alpha1.LocalObjectRef{Name: instance}}}
}

func TestAnInstanceIsKeptByKubeVirt(t *testing.T) {
	namespace := cluster.TenantNamespace(t, "kept")
	instanceNamed(t, namespace, "web")
	r := NewInstances(deps(t))
	snapshot := create(t, ofInstance(namespace, "before", "web"))
	settle(t, r, snapshot)
	var child snapshotv1beta1.VirtualMachineSnapshot
	if err := cluster.Client.Get(t.Context(), client.ObjectKeyFromObject(snapshot), &child); err != nil {
		t.Fatalf("%v; %+v", err, snapshot.Status.Conditions)
	}
	if child.Spec.Source.Name != "web" || *child.Spec.Source.APIGroup != "kubevirt.io" || *child.Spec.DeletionPolicy != "Delete" || !metav1.IsControlledBy(&child, snapshot) {
		t.Errorf("%+v", child.Spec)
	}
	is(t, snapshot.Status.Conditions, "Ready", metav1.ConditionFalse, "Pending")
	ready := true
	child.Status = &snapshotv1beta1.VirtualMachineSnapshotStatus{ReadyToUse: &ready, Phase: snapshotv1beta1.Succeeded}
	setStatus(t, &child)
	settle(t, r, snapshot)
	is(t, snapshot.Status.Conditions, "Ready", metav1.ConditionTrue, "")
	is(t, snapshot.Status.Conditions, "Compliant", metav1.ConditionTrue, "")
	if snapshot.Status.KubeVirtSnapshotName != "before" || snapshot.Status.Phase != virtfoundryv1alpha1.PhaseReady {
		t.Errorf("status %+v", snapshot.Status)
	}
	if err := cluster.Client.Delete(t.Context(), &child); err != nil {
		t.Fatal(err)
	}
	settle(t, r, snapshot)
	if message := is(t, snapshot.Status.Conditions, "Ready", metav1.ConditionFalse, "PolicyDenied"); !strings.Contains(message, "is gone") {
		t.Errorf("a snapshot that was taken away came back as another moment: %s", message)
	}
}

func TestWhatKubeVirtCouldNotKeepIsTold(t *testing.T) {
	namespace := cluster.TenantNamespace(t, "failed")
	instanceNamed(t, namespace, "web")
	r := NewInstances(deps(t))
	snapshot := create(t, ofInstance(namespace, "before", "web"))
	settle(t, r, snapshot)
	var child snapshotv1beta1.VirtualMachineSnapshot
	if err := cluster.Client.Get(t.Context(), client.ObjectKeyFromObject(snapshot), &child); err != nil {
		t.Fatal(err)
	}
	why := "no volume could be frozen"
	child.Status = &snapshotv1beta1.VirtualMachineSnapshotStatus{Phase: snapshotv1beta1.Failed, Error: &snapshotv1beta1.Error{Message: &why}}
	setStatus(t, &child)
	settle(t, r, snapshot)
	if message := is(t, snapshot.Status.Conditions, "Ready", metav1.ConditionFalse, "SnapshotFailed"); message != why || snapshot.Status.Phase != virtfoundryv1alpha1.PhaseFailed {
		t.Errorf("%q, phase %s", message, snapshot.Status.Phase)
	}
}

func TestAnInstanceThatIsNotThereIsAwaitedAndASnapshotOfAnotherIsRefused(t *testing.T) {
	namespace := cluster.TenantNamespace(t, "refused")
	instanceNamed(t, namespace, "web")
	r := NewInstances(deps(t))
	missing := create(t, ofInstance(namespace, "a", "nobody"))
	settle(t, r, missing)
	if message := is(t, missing.Status.Conditions, "PolicyAllowed", metav1.ConditionUnknown, "PolicyUnknown"); !strings.Contains(message, "STO-024") {
		t.Error(message)
	}
	theirs := children.ForInstanceSnapshot(ofInstance(namespace, "b", "web"))
	theirs.OwnerReferences = nil
	create(t, theirs)
	taken := create(t, ofInstance(namespace, "b", "web"))
	settle(t, r, taken)
	is(t, taken.Status.Conditions, "Ready", metav1.ConditionFalse, "PolicyDenied")
	if taken.Status.KubeVirtSnapshotName != "" {
		t.Errorf("status %+v", taken.Status)
	}
}

// The test cluster has no CRDs of VolumeSnapshots, as many clusters have none.
func TestADiskSnapshotSaysWhatTheClusterLacks(t *testing.T) {
	namespace := cluster.TenantNamespace(t, "lacking")
	create(t, &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "fast"}, Provisioner: "driver.example.com"})
	disk := create(t, &virtfoundryv1alpha1.Disk{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "data"}, Spec: virtfoundryv1alpha1.DiskSpec{Name: "data", SizeGi: 1, StorageClass: "fast"}})
	var classes storagev1.StorageClassList
	if err := cluster.Client.List(t.Context(), &classes); err != nil {
		t.Fatal(err)
	}
	create[*corev1.PersistentVolumeClaim](t, children.ForDisk(disk, "", classes.Items, nil))
	snapshot := create(t, &virtfoundryv1alpha1.DiskSnapshot{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "before"}, Spec: virtfoundryv1alpha1.DiskSnapshotSpec{Name: "before", DiskRef: virtfoundryv1alpha1.LocalObjectRef{Name: "data"}}})
	settle(t, NewDisks(deps(t)), snapshot)
	message := is(t, snapshot.Status.Conditions, "PolicyAllowed", metav1.ConditionFalse, "PolicyDenied")
	if !strings.Contains(message, "STO-025") || !strings.Contains(message, "does not serve VolumeSnapshots") {
		t.Errorf("the condition does not say what is missing: %s", message)
	}
	if snapshot.Status.Phase != virtfoundryv1alpha1.PhaseFailed || snapshot.Status.VolumeSnapshotName != "" {
		t.Errorf("status %+v", snapshot.Status)
	}
}

func setStatus(t *testing.T, child *snapshotv1beta1.VirtualMachineSnapshot) {
	t.Helper()
	status := child.Status
	if err := cluster.Client.Status().Update(t.Context(), child); err != nil {
		child.Status = status
		if err := cluster.Client.Update(t.Context(), child); err != nil {
			t.Fatal(err)
		}
	}
}
