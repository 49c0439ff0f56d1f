package virtualmachine

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	kubevirtv1 "kubevirt.io/api/core/v1"
	cdiv1beta1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	"cato.dev/cato/compliance/metrics"
	"cato.dev/cato/controllers/decide"
	"cato.dev/cato/controllers/gather"
	"cato.dev/cato/controllers/internal/fixture"
)

var cluster fixture.Cluster

func TestMain(m *testing.M) { os.Exit(fixture.Main(m, "../..", &cluster)) }

// world is one reconciler and what it does. KubeVirt and CDI do not run here:
// their part is played by imported and running.
type world struct {
	*Reconciler
	namespace string
	events    *fixture.Events
	writes    *fixture.Writes
	found     []decide.Judgement
}

func newWorld(judge *decide.Judge, namespace string, writes *fixture.Writes) *world {
	w := &world{events: &fixture.Events{}, writes: writes, namespace: namespace}
	w.Reconciler = New(Deps{
		Client: writes.Through(cluster.Client), Uncached: cluster.Client, Judge: judge, Events: w.events, Now: time.Now, Reconciled: func(metrics.Outcome) {},
		Gatherer: gather.FromReader(cluster.Client, time.Now),
		Record:   func(_ context.Context, found decide.Judgement, _ time.Time) { w.found = append(w.found, found) },
	})
	return w
}

// start makes a namespace of its own for a test and a reconciler.
func start(t *testing.T, judge *decide.Judge) *world {
	t.Helper()
	name := strings.ToLower(t.Name())
	name = strings.NewReplacer("/", "-", "_", "-").Replace(name)
	if len(name) > 60 {
		name = strings.TrimRight(name[:60], "-")
	}
	create(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"cato.dev/vm-namespace": "true"}}})
	return newWorld(judge, name, &fixture.Writes{})
}

func (w *world) reconcile(t *testing.T, name string) reconcile.Result {
	t.Helper()
	result, err := w.Reconcile(t.Context(), w.request(name))
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func (w *world) request(name string) reconcile.Request {
	return reconcile.Request{NamespacedName: types.NamespacedName{Namespace: w.namespace, Name: name}}
}

// settle reconciles until nothing is left to do.
func (w *world) settle(t *testing.T, name string) *udsv1alpha1.UDSVirtualMachine {
	t.Helper()
	if err := w.live(t, name); err != nil {
		t.Fatalf("UDSVirtualMachine %s: %v: %+v", name, err, w.machine(t, name).Status)
	}
	return w.machine(t, name)
}

func (w *world) live(t *testing.T, name string) error {
	t.Helper()
	return fixture.Live(t, func() (reconcile.Result, error) { return w.Reconcile(t.Context(), w.request(name)) })
}

func (w *world) machine(t *testing.T, name string) *udsv1alpha1.UDSVirtualMachine {
	t.Helper()
	return get(t, &udsv1alpha1.UDSVirtualMachine{}, w.namespace, name)
}

func (w *world) vm(t *testing.T, name string) *kubevirtv1.VirtualMachine {
	t.Helper()
	return get(t, &kubevirtv1.VirtualMachine{}, w.namespace, name)
}

const digestOfFile = "sha256:1c07402df0875df0e98ab47eced10405f060751becadb1db37bb37c0444bff67"

// make stores a machine with a disk from a web server.
func (w *world) make(t *testing.T, name string, change ...func(*udsv1alpha1.UDSVirtualMachine)) *udsv1alpha1.UDSVirtualMachine {
	t.Helper()
	machine := &udsv1alpha1.UDSVirtualMachine{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: w.namespace},
		Spec: udsv1alpha1.UDSVirtualMachineSpec{
			SourceType: udsv1alpha1.SourceHTTP, URL: "https://images.example.com/linux.qcow2", Checksum: digestOfFile,
			Memory: "1Gi", DiskSize: "10Gi",
		},
	}
	for _, f := range change {
		f(machine)
	}
	create(t, machine)
	return machine
}

func from(source udsv1alpha1.SourceType) func(*udsv1alpha1.UDSVirtualMachine) {
	return func(m *udsv1alpha1.UDSVirtualMachine) {
		m.Spec.SourceType, m.Spec.URL, m.Spec.Checksum = source, "", ""
	}
}

// imported plays CDI: the DataVolume has the phase, and its claim is there.
func (w *world) imported(t *testing.T, name string, phase cdiv1beta1.DataVolumePhase, reason string) {
	t.Helper()
	volume := get(t, &cdiv1beta1.DataVolume{}, w.namespace, name+"-dv")
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{
		Name: name + "-dv", Namespace: w.namespace,
		OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(volume, cdiv1beta1.SchemeGroupVersion.WithKind("DataVolume"))},
	}}
	if !exists(t, claim, w.namespace, name+"-dv") {
		claim.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}
		claim.Spec.Resources.Requests = corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("11382369485")}
		create(t, claim)
	}
	before := volume.DeepCopy()
	volume.Status.Phase, volume.Status.Progress = phase, "100.0%"
	volume.Status.Conditions = []cdiv1beta1.DataVolumeCondition{{Type: cdiv1beta1.DataVolumeRunning, Status: corev1.ConditionFalse, Reason: reason, LastTransitionTime: metav1.Now(), LastHeartbeatTime: metav1.Now()}}
	if err := cluster.Client.Status().Patch(t.Context(), volume, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
	if now := get(t, &cdiv1beta1.DataVolume{}, w.namespace, name+"-dv"); now.Status.Phase != phase {
		t.Fatalf("the status of the DataVolume did not take: %+v", now.Status)
	}
}

// running plays KubeVirt: the guest is there, in the phase.
func (w *world) running(t *testing.T, name string, phase kubevirtv1.VirtualMachineInstancePhase) {
	t.Helper()
	vm := w.vm(t, name)
	vmi := &kubevirtv1.VirtualMachineInstance{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: w.namespace, Labels: vm.Spec.Template.ObjectMeta.Labels,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(vm, kubevirtv1.VirtualMachineGroupVersionKind)},
		},
		Spec: vm.Spec.Template.Spec, Status: kubevirtv1.VirtualMachineInstanceStatus{Phase: phase},
	}
	create(t, vmi)
	if now := get(t, &kubevirtv1.VirtualMachineInstance{}, w.namespace, name); now.Status.Phase != phase {
		t.Fatalf("the status of the guest did not take: %+v", now.Status)
	}
}

// up makes a machine whose guest runs from a verified disk.
func (w *world) up(t *testing.T, name string) *udsv1alpha1.UDSVirtualMachine {
	t.Helper()
	w.make(t, name)
	w.settle(t, name)
	w.imported(t, name, cdiv1beta1.Succeeded, "Completed")
	w.settle(t, name)
	w.running(t, name, kubevirtv1.Running)
	machine := w.settle(t, name)
	if machine.Status.Phase != udsv1alpha1.PhaseReady {
		t.Fatalf("the guest is not up: %+v", machine.Status)
	}
	return machine
}

func strategy(t *testing.T, vm *kubevirtv1.VirtualMachine) kubevirtv1.VirtualMachineRunStrategy {
	t.Helper()
	if vm.Spec.RunStrategy == nil {
		t.Fatal("no runStrategy")
	}
	return *vm.Spec.RunStrategy
}

func create(t *testing.T, object client.Object) {
	t.Helper()
	if err := cluster.Client.Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, object client.Object) {
	t.Helper()
	if err := cluster.Client.Delete(t.Context(), object); err != nil {
		t.Fatal(err)
	}
}

func update(t *testing.T, object client.Object) {
	t.Helper()
	if err := cluster.Client.Update(t.Context(), object); err != nil {
		t.Fatal(err)
	}
}

func get[T client.Object](t *testing.T, object T, namespace, name string) T {
	t.Helper()
	if err := cluster.Client.Get(t.Context(), types.NamespacedName{Namespace: namespace, Name: name}, object); err != nil {
		t.Fatal(err)
	}
	return object
}

func exists(t *testing.T, object client.Object, namespace, name string) bool {
	t.Helper()
	err := cluster.Client.Get(t.Context(), types.NamespacedName{Namespace: namespace, Name: name}, object.DeepCopyObject().(client.Object))
	if err != nil && !apierrors.IsNotFound(err) {
		t.Fatal(err)
	}
	return err == nil
}

func condition(t *testing.T, machine *udsv1alpha1.UDSVirtualMachine, kind string) metav1.Condition {
	t.Helper()
	at := slices.IndexFunc(machine.Status.Conditions, func(c metav1.Condition) bool { return c.Type == kind })
	if at < 0 {
		t.Fatalf("no condition %s among %+v", kind, machine.Status.Conditions)
	}
	return machine.Status.Conditions[at]
}

func expect(t *testing.T, machine *udsv1alpha1.UDSVirtualMachine, phase udsv1alpha1.Phase, kind string, status metav1.ConditionStatus, reason, message string) {
	t.Helper()
	c := condition(t, machine, kind)
	if machine.Status.Phase != phase || c.Status != status || c.Reason != reason || !strings.Contains(c.Message, message) {
		t.Errorf("phase %s, %s=%s %s: %s\nwant phase %s, %s %s: …%s…", machine.Status.Phase, kind, c.Status, c.Reason, c.Message, phase, status, reason, message)
	}
}
