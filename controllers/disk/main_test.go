package disk

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	kubevirtv1 "kubevirt.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/decide"
	"cato.dev/cato/controllers/gather"
	"cato.dev/cato/controllers/hotplug"
	"cato.dev/cato/controllers/internal/fixture"
	"cato.dev/cato/controllers/lifecycle"
)

var cluster fixture.Cluster

func TestMain(m *testing.M) { os.Exit(fixture.Main(m, "../..", &cluster)) }

// virtAPI stands for KubeVirt's: it changes the VirtualMachine as the real one does.
type virtAPI struct {
	writes *fixture.Writes
	asked  []string
}

func (v *virtAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := v.writes.Do(r.Method+" "+r.URL.Path, func() error { return v.change(r) }); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.WriteHeader(http.StatusAccepted)
}

func (v *virtAPI) change(r *http.Request) error {
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/apis/subresources.kubevirt.io/v1/namespaces/"), "/")
	if r.Method != http.MethodPut || len(parts) != 4 || parts[1] != "virtualmachines" {
		return errors.New("no such request: " + r.Method + " " + r.URL.Path)
	}
	var vm kubevirtv1.VirtualMachine
	if err := cluster.Client.Get(r.Context(), client.ObjectKey{Namespace: parts[0], Name: parts[2]}, &vm); err != nil {
		return err
	}
	spec := &vm.Spec.Template.Spec
	switch parts[3] {
	case "addvolume":
		var options kubevirtv1.AddVolumeOptions
		if err := json.NewDecoder(r.Body).Decode(&options); err != nil {
			return err
		}
		v.asked = append(v.asked, "add "+options.VolumeSource.PersistentVolumeClaim.ClaimName+" to "+parts[2])
		spec.Volumes = append(spec.Volumes, kubevirtv1.Volume{Name: options.Name, VolumeSource: kubevirtv1.VolumeSource{PersistentVolumeClaim: options.VolumeSource.PersistentVolumeClaim}})
		options.Disk.Name = options.Name
		spec.Domain.Devices.Disks = append(spec.Domain.Devices.Disks, *options.Disk)
	case "removevolume":
		var options kubevirtv1.RemoveVolumeOptions
		if err := json.NewDecoder(r.Body).Decode(&options); err != nil {
			return err
		}
		v.asked = append(v.asked, "remove from "+parts[2])
		spec.Volumes = slices.DeleteFunc(spec.Volumes, func(volume kubevirtv1.Volume) bool { return volume.Name == options.Name })
		spec.Domain.Devices.Disks = slices.DeleteFunc(spec.Domain.Devices.Disks, func(disk kubevirtv1.Disk) bool { return disk.Name == options.Name })
	}
	return cluster.Client.Update(r.Context(), &vm)
}

// world is one reconciler and what it does.
type world struct {
	*Reconciler
	events *fixture.Events
	writes *fixture.Writes
	virt   *virtAPI
	found  []decide.Judgement
}

func newWorld(t *testing.T) *world {
	t.Helper()
	return newWorldAt(t, fixture.Judge(t, nil), &fixture.Writes{})
}

func newWorldAt(t *testing.T, judge *decide.Judge, writes *fixture.Writes) *world {
	t.Helper()
	w := &world{events: &fixture.Events{}, writes: writes, virt: &virtAPI{writes: writes}}
	server := httptest.NewServer(w.virt)
	t.Cleanup(server.Close)
	plugs, err := hotplug.New(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	w.Reconciler = New(lifecycle.Deps{
		Client: w.writes.Through(cluster.Client), Uncached: cluster.Client, Judge: judge, Events: w.events, Now: time.Now,
		Gatherer: gather.FromReader(cluster.Client, time.Now),
		Record:   func(_ context.Context, found decide.Judgement, _ time.Time) { w.found = append(w.found, found) },
	}, plugs)
	return w
}

// settle reconciles until only events would wake it.
func (w *world) settle(t *testing.T, disk *virtfoundryv1alpha1.Disk) *virtfoundryv1alpha1.Disk {
	t.Helper()
	if err := w.live(t, disk); err != nil {
		t.Fatalf("Disk %s: %v", disk.Name, err)
	}
	return fresh(t, disk)
}

func (w *world) live(t *testing.T, disk *virtfoundryv1alpha1.Disk) error {
	t.Helper()
	return fixture.LiveUntilEvents(t, func() (reconcile.Result, error) {
		return w.Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKeyFromObject(disk)})
	})
}

// fresh reads a Disk again, empty when it is gone.
func fresh(t *testing.T, disk *virtfoundryv1alpha1.Disk) *virtfoundryv1alpha1.Disk {
	t.Helper()
	now := &virtfoundryv1alpha1.Disk{}
	if err := cluster.Client.Get(t.Context(), client.ObjectKeyFromObject(disk), now); client.IgnoreNotFound(err) != nil {
		t.Fatal(err)
	}
	return now
}

func create[T client.Object](t *testing.T, object T) T {
	t.Helper()
	if err := cluster.Client.Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	return object
}

func update(t *testing.T, object client.Object) {
	t.Helper()
	if err := cluster.Client.Update(t.Context(), object, client.FieldOwner("somebody")); err != nil {
		t.Fatal(err)
	}
}

func diskNamed(namespace, name, class, instance string) *virtfoundryv1alpha1.Disk {
	disk := &virtfoundryv1alpha1.Disk{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec:       virtfoundryv1alpha1.DiskSpec{Name: name, SizeGi: 2, StorageClass: virtfoundryv1alpha1.StorageClassName(class)},
	}
	if instance != "" {
		disk.Spec.InstanceRef = &virtfoundryv1alpha1.LocalObjectRef{Name: instance}
	}
	return disk
}

// instanceNamed makes an Instance and the VirtualMachine that its reconciler would make.
func instanceNamed(t *testing.T, namespace, name string) *virtfoundryv1alpha1.Instance {
	t.Helper()
	instance := create(t, &virtfoundryv1alpha1.Instance{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Spec: virtfoundryv1alpha1.InstanceSpec{
		TemplateRef: &virtfoundryv1alpha1.LocalObjectRef{Name: "linux"},
	}})
	strategy := kubevirtv1.RunStrategyHalted
	create(t, &kubevirtv1.VirtualMachine{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(instance, virtfoundryv1alpha1.GroupVersion.WithKind("Instance"))}},
		Spec:       kubevirtv1.VirtualMachineSpec{RunStrategy: &strategy, Template: &kubevirtv1.VirtualMachineInstanceTemplateSpec{}},
	})
	return instance
}

func claimOf(t *testing.T, disk *virtfoundryv1alpha1.Disk) *corev1.PersistentVolumeClaim {
	t.Helper()
	claim := &corev1.PersistentVolumeClaim{}
	err := cluster.Client.Get(t.Context(), client.ObjectKeyFromObject(disk), claim)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return claim
}

// bind plays the storage driver, which no test cluster has: it makes the volume.
func bind(t *testing.T, claim *corev1.PersistentVolumeClaim) {
	t.Helper()
	create(t, &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: "pv-" + string(claim.UID)},
		Spec: corev1.PersistentVolumeSpec{
			Capacity: claim.Spec.Resources.Requests, AccessModes: claim.Spec.AccessModes, StorageClassName: *claim.Spec.StorageClassName,
			PersistentVolumeSource: corev1.PersistentVolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/nowhere"}},
			ClaimRef:               &corev1.ObjectReference{Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID},
		},
	})
	fixture.Eventually(t, "the claim is bound", func() bool {
		err := cluster.Client.Get(t.Context(), client.ObjectKeyFromObject(claim), claim)
		return err == nil && claim.Status.Phase == corev1.ClaimBound
	})
}

// is checks a condition's status and reason, and returns its message.
func is(t *testing.T, disk *virtfoundryv1alpha1.Disk, kind string, status metav1.ConditionStatus, reason string) string {
	t.Helper()
	c := meta.FindStatusCondition(disk.Status.Conditions, kind)
	if c == nil || c.Status != status || reason != "" && c.Reason != reason {
		t.Errorf("condition %s: %+v, want %s %s; all: %+v", kind, c, status, reason, disk.Status.Conditions)
		return ""
	}
	return c.Message
}
