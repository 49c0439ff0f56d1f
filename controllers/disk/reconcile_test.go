package disk

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/lifecycle"
)

func class(t *testing.T, name string, isDefault, expandable bool) *storagev1.StorageClass {
	t.Helper()
	c := &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Provisioner: "driver.example.com", AllowVolumeExpansion: &expandable}
	if isDefault {
		c.Annotations = map[string]string{"storageclass.kubernetes.io/is-default-class": "true"}
	}
	create(t, c)
	return c
}

func TestADiskIsAClaimOfTheOneDefaultClass(t *testing.T) {
	namespace := cluster.TenantNamespace(t, "whole")
	defer remove(t, class(t, "fast", true, false))
	w := newWorld(t)
	disk := w.settle(t, create(t, diskNamed(namespace, "data", "", "")))
	claim := claimOf(t, disk)
	if claim == nil || *claim.Spec.StorageClassName != "fast" || !metav1.IsControlledBy(claim, disk) {
		t.Fatalf("claim %+v; conditions %+v", claim, disk.Status.Conditions)
	}
	if diff := cmp.Diff([]corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}, claim.Spec.AccessModes); diff != "" {
		t.Error(diff)
	}
	if got := claim.Spec.Resources.Requests.Storage(); got.Cmp(resource.MustParse("2Gi")) != 0 {
		t.Errorf("size %s", got)
	}
	bind(t, claim)
	disk = w.settle(t, disk)
	for _, kind := range []string{"Ready", "PolicyAllowed", "Compliant"} {
		is(t, disk, kind, metav1.ConditionTrue, "")
	}
	is(t, disk, "Attached", metav1.ConditionFalse, "Detached")
	if disk.Status.PVCName != "data" || disk.Status.Phase != virtfoundryv1alpha1.PhaseReady || !slices.Contains(disk.Finalizers, "virtfoundry.io/finalizer") {
		t.Errorf("status %+v, finalizers %v", disk.Status, disk.Finalizers)
	}
	again := newWorld(t)
	again.settle(t, disk)
	if again.writes.Count() != 0 || len(again.virt.asked) != 0 {
		t.Errorf("a settled Disk is written again: %v %v", again.writes.Made(), again.virt.asked)
	}
}

func TestAClassThatIsNotThereOrNotTheOnlyOneIsRefused(t *testing.T) {
	namespace := cluster.TenantNamespace(t, "classes")
	w := newWorld(t)
	for name, disk := range map[string]*virtfoundryv1alpha1.Disk{"does not exist": diskNamed(namespace, "a", "nowhere", ""), "neither longhorn": diskNamed(namespace, "b", "", "")} {
		disk = w.settle(t, create(t, disk))
		if message := is(t, disk, "PolicyAllowed", metav1.ConditionFalse, "PolicyDenied"); !strings.Contains(message, "STO-021") || !strings.Contains(message, name) {
			t.Errorf("%s: %s", name, message)
		}
		if claimOf(t, disk) != nil || disk.Status.Phase != virtfoundryv1alpha1.PhaseFailed || len(disk.Finalizers) != 0 {
			t.Errorf("%s: it was made all the same: %+v", name, disk.Status)
		}
	}
	defer remove(t, class(t, "one", true, false))
	defer remove(t, class(t, "two", true, false))
	ambiguous := w.settle(t, create(t, diskNamed(namespace, "c", "", "")))
	if message := is(t, ambiguous, "Ready", metav1.ConditionFalse, "PolicyDenied"); !strings.Contains(message, "one, two") {
		t.Errorf("the message does not name the classes: %s", message)
	}
	defer remove(t, class(t, "longhorn", false, false))
	if settled := w.settle(t, ambiguous); claimOf(t, settled) == nil || *claimOf(t, settled).Spec.StorageClassName != "longhorn" {
		t.Errorf("longhorn does not come first: %+v", settled.Status.Conditions)
	}
}

func TestAClaimOfAnotherIsNeverAdopted(t *testing.T) {
	namespace := cluster.TenantNamespace(t, "foreign")
	defer remove(t, class(t, "fast", true, false))
	create(t, &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "data"},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("2Gi")}},
		},
	})
	w := newWorld(t)
	disk := w.settle(t, create(t, diskNamed(namespace, "data", "", "")))
	is(t, disk, "Ready", metav1.ConditionFalse, "PolicyDenied")
	if now := claimOf(t, disk); len(now.OwnerReferences) != 0 || len(now.Labels) != 0 || disk.Status.PVCName != "" {
		t.Errorf("it was taken over: %+v, status %+v", now.ObjectMeta, disk.Status)
	}
	remove(t, disk)
	w.settle(t, disk)
	if claimOf(t, disk) == nil {
		t.Error("the claim of another was deleted")
	}
}

func TestADiskGrowsWhereItsClassCan(t *testing.T) {
	namespace := cluster.TenantNamespace(t, "growing")
	growing := class(t, "growing", false, true)
	defer remove(t, growing)
	defer remove(t, class(t, "fixed", false, false))
	w := newWorld(t)
	for name, grows := range map[string]bool{"growing": true, "fixed": false} {
		disk := w.settle(t, create(t, diskNamed(namespace, name, name, "")))
		bind(t, claimOf(t, disk))
		disk = fresh(t, disk)
		disk.Spec.SizeGi = 3
		update(t, disk)
		disk = w.settle(t, disk)
		size := claimOf(t, disk).Spec.Resources.Requests.Storage()
		if grows != (size.Cmp(resource.MustParse("3Gi")) == 0) {
			t.Errorf("%s: the claim is of %s; %+v", name, size, disk.Status.Conditions)
		}
		if message := is(t, disk, "PolicyAllowed", map[bool]metav1.ConditionStatus{true: metav1.ConditionTrue, false: metav1.ConditionFalse}[grows], ""); !grows && !strings.Contains(message, "allowVolumeExpansion") {
			t.Errorf("the refusal does not say why: %s", message)
		}
	}
}

func TestADiskIsAttachedMovedAndDetached(t *testing.T) {
	namespace := cluster.TenantNamespace(t, "plugs")
	defer remove(t, class(t, "fast", true, false))
	instanceNamed(t, namespace, "web")
	instanceNamed(t, namespace, "db")
	w := newWorld(t)
	disk := w.settle(t, create(t, diskNamed(namespace, "data", "", "web")))
	bind(t, claimOf(t, disk))
	disk = w.settle(t, disk)
	is(t, disk, "Attached", metav1.ConditionTrue, "")
	is(t, disk, "Compliant", metav1.ConditionTrue, "")

	disk.Spec.InstanceRef.Name = "db"
	update(t, disk)
	disk = w.settle(t, w.settle(t, w.settle(t, disk))) // each change of a machine is an event
	is(t, disk, "Attached", metav1.ConditionTrue, "")
	disk.Spec.InstanceRef = nil
	update(t, disk)
	disk = w.settle(t, w.settle(t, disk))
	is(t, disk, "Attached", metav1.ConditionFalse, "Detached")
	is(t, disk, "Ready", metav1.ConditionTrue, "")
	want := []string{"add data to web", "remove from web", "add data to db", "remove from db"}
	if diff := cmp.Diff(want, w.virt.asked); diff != "" {
		t.Errorf("asked of KubeVirt (-want +got):\n%s", diff)
	}
}

func TestADiskInUseIsNotDeleted(t *testing.T) {
	namespace := cluster.TenantNamespace(t, "inuse")
	defer remove(t, class(t, "fast", true, false))
	instanceNamed(t, namespace, "web")
	w := newWorld(t)
	disk := w.settle(t, create(t, diskNamed(namespace, "data", "", "web")))
	bind(t, claimOf(t, disk))
	disk = w.settle(t, disk)
	remove(t, disk)
	disk = w.settle(t, disk)
	if message := is(t, disk, "Ready", metav1.ConditionFalse, "InUse"); !strings.Contains(message, "Instance web") || !strings.Contains(message, "VirtualMachine web") {
		t.Errorf("the message does not name who has it: %s", message)
	}
	if disk.Status.Phase != virtfoundryv1alpha1.PhaseTerminating || !w.events.Has(lifecycle.EventInUse) || claimOf(t, disk) == nil {
		t.Errorf("status %+v, events %v", disk.Status, w.events.Reasons())
	}
	disk.Spec.InstanceRef = nil
	update(t, disk)
	w.settle(t, w.settle(t, disk))
	if now := fresh(t, disk); now.Name != "" {
		t.Errorf("it does not go after it was detached: %+v", now.Status)
	}
	var vm kubevirtv1.VirtualMachine
	if err := cluster.Client.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: "web"}, &vm); err != nil || len(vm.Spec.Template.Spec.Volumes) != 0 {
		t.Errorf("%v %+v", err, vm.Spec.Template.Spec.Volumes)
	}
}

func TestAnInstanceThatIsNotThereIsWaitedForAndAMachineOfAnotherIsRefused(t *testing.T) {
	namespace := cluster.TenantNamespace(t, "refs")
	defer remove(t, class(t, "fast", true, false))
	w := newWorld(t)
	missing := w.settle(t, create(t, diskNamed(namespace, "a", "", "nobody")))
	if message := is(t, missing, "PolicyAllowed", metav1.ConditionUnknown, "PolicyUnknown"); !strings.Contains(message, "STO-023") {
		t.Error(message)
	}
	create(t, &virtfoundryv1alpha1.Instance{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "web"}, Spec: virtfoundryv1alpha1.InstanceSpec{TemplateRef: &virtfoundryv1alpha1.LocalObjectRef{Name: "linux"}}})
	strategy := kubevirtv1.RunStrategyHalted
	create(t, &kubevirtv1.VirtualMachine{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "web"}, Spec: kubevirtv1.VirtualMachineSpec{RunStrategy: &strategy, Template: &kubevirtv1.VirtualMachineInstanceTemplateSpec{}}})
	stolen := w.settle(t, create(t, diskNamed(namespace, "b", "", "web")))
	is(t, stolen, "PolicyAllowed", metav1.ConditionFalse, "PolicyDenied")
	outside := w.settle(t, create(t, diskNamed("default", "c", "", "")))
	if message := is(t, outside, "PolicyAllowed", metav1.ConditionFalse, ""); !strings.Contains(message, "STO-020") {
		t.Error(message)
	}
	if len(w.virt.asked) != 0 || claimOf(t, missing) != nil || claimOf(t, stolen) != nil || claimOf(t, outside) != nil {
		t.Errorf("something was made: %v", w.virt.asked)
	}
}

func remove(t *testing.T, object client.Object) {
	t.Helper()
	if err := cluster.Client.Delete(t.Context(), object); client.IgnoreNotFound(err) != nil {
		t.Fatal(err)
	}
}
