package instance

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	kubevirtv1 "kubevirt.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/children"
	"cato.dev/cato/controllers/decide"
	"cato.dev/cato/controllers/gather"
	"cato.dev/cato/controllers/internal/fixture"
)

var cluster fixture.Cluster

func TestMain(m *testing.M) { os.Exit(fixture.Main(m, "../..", &cluster)) }

const (
	digestOfImage = "sha256:1c07402df0875df0e98ab47eced10405f060751becadb1db37bb37c0444bff67"
	imageOfTests  = "quay.io/containerdisks/ubuntu@" + digestOfImage
	keyOfAlice    = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIG+VLRDLyMHXrwnn3a0AfyOkfUH3KgXrjtebZ190W9X5 alice@acme"
)

// world is one reconciler in a tenant's namespace, and what it does. KubeVirt
// does not run here: its part is played by running.
type world struct {
	*Reconciler
	namespace string
	tenant    *virtfoundryv1alpha1.Tenant
	events    *fixture.Events
	writes    *fixture.Writes
	found     []decide.Judgement
}

func newWorld(judge *decide.Judge, namespace string, writes *fixture.Writes) *world {
	w := &world{events: &fixture.Events{}, writes: writes, namespace: namespace}
	w.Reconciler = New(Deps{
		Client: writes.Through(cluster.Client), Uncached: cluster.Client, Judge: judge, Events: w.events, Now: time.Now,
		Gatherer: gather.FromReader(cluster.Client, time.Now),
		Record:   func(_ context.Context, found decide.Judgement, _ time.Time) { w.found = append(w.found, found) },
	})
	return w
}

// start makes a Tenant with its namespace, as its controller would, a Template,
// an Offering and a Network that is ready.
func start(t *testing.T, judge *decide.Judge) *world {
	t.Helper()
	slug := strings.ToLower(strings.NewReplacer("/", "-", "_", "-").Replace(strings.TrimPrefix(t.Name(), "Test")))
	slug = strings.Trim(slug[:min(len(slug), virtfoundryv1alpha1.MaxSlugLength)], "-")
	tenant := &virtfoundryv1alpha1.Tenant{ObjectMeta: metav1.ObjectMeta{Name: slug}, Spec: virtfoundryv1alpha1.TenantSpec{Name: slug, Slug: slug}}
	create(t, tenant)
	planned, err := children.ForTenant(tenant, &catov1alpha1.ComplianceProfileParameters{})
	if err != nil {
		t.Fatal(err)
	}
	create(t, planned.Namespace)
	for _, policy := range planned.NetworkPolicies {
		create(t, policy)
	}
	create(t, planned.ResourceQuota)
	create(t, planned.LimitRange)
	w := newWorld(judge, planned.Namespace.Name, &fixture.Writes{})
	w.tenant = tenant
	w.template(t, "ubuntu", imageOfTests)
	w.network(t, "web", true)
	return w
}

func (w *world) template(t *testing.T, name, image string, change ...func(*virtfoundryv1alpha1.Template)) *virtfoundryv1alpha1.Template {
	t.Helper()
	template := &virtfoundryv1alpha1.Template{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: w.namespace},
		Spec:       virtfoundryv1alpha1.TemplateSpec{DisplayName: name, Image: image, SourceType: virtfoundryv1alpha1.TemplateContainer},
	}
	for _, f := range change {
		f(template)
	}
	create(t, template)
	return template
}

// network plays the controller of Networks: with ready its NAD is there.
func (w *world) network(t *testing.T, name string, ready bool) *virtfoundryv1alpha1.Network {
	t.Helper()
	network := &virtfoundryv1alpha1.Network{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: w.namespace},
		Spec:       virtfoundryv1alpha1.NetworkSpec{Name: name, NetworkType: virtfoundryv1alpha1.NetworkIsolated, CIDR: "10.0.1.0/24"},
	}
	create(t, network)
	if ready {
		w.attach(t, network)
	}
	return network
}

func (w *world) attach(t *testing.T, network *virtfoundryv1alpha1.Network) {
	t.Helper()
	before := network.DeepCopy()
	network.Status.NADName, network.Status.NADNamespace = network.Name, network.Namespace
	if err := cluster.Client.Status().Patch(t.Context(), network, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
}

// offering stores one of a name of its own and removes it with the test.
func offering(t *testing.T, name string, platform bool, change ...func(*virtfoundryv1alpha1.Offering)) *virtfoundryv1alpha1.Offering {
	t.Helper()
	o := &virtfoundryv1alpha1.Offering{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: virtfoundryv1alpha1.OfferingSpec{CPU: 2, MemoryMi: 4096}}
	if platform {
		o.Labels = map[string]string{virtfoundryv1alpha1.LabelPlatformOwned: "true"}
	}
	for _, f := range change {
		f(o)
	}
	create(t, o)
	return o
}

// make stores an Instance of the template ubuntu on the network web.
func (w *world) make(t *testing.T, name string, change ...func(*virtfoundryv1alpha1.Instance)) *virtfoundryv1alpha1.Instance {
	t.Helper()
	instance := &virtfoundryv1alpha1.Instance{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: w.namespace},
		Spec: virtfoundryv1alpha1.InstanceSpec{
			TemplateRef: &virtfoundryv1alpha1.LocalObjectRef{Name: "ubuntu"},
			NICs:        []virtfoundryv1alpha1.NIC{{Name: "lan", NetworkRef: virtfoundryv1alpha1.LocalObjectRef{Name: "web"}}},
		},
	}
	for _, f := range change {
		f(instance)
	}
	create(t, instance)
	return instance
}

func (w *world) request(name string) reconcile.Request {
	return reconcile.Request{NamespacedName: types.NamespacedName{Namespace: w.namespace, Name: name}}
}

func (w *world) reconcile(t *testing.T, name string) reconcile.Result {
	t.Helper()
	result, err := w.Reconcile(t.Context(), w.request(name))
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// settle reconciles until nothing is left to do.
func (w *world) settle(t *testing.T, name string) *virtfoundryv1alpha1.Instance {
	t.Helper()
	if err := w.live(t, name); err != nil {
		t.Fatalf("Instance %s: %v: %+v", name, err, w.instance(t, name).Status)
	}
	return w.instance(t, name)
}

func (w *world) live(t *testing.T, name string) error {
	t.Helper()
	return fixture.Live(t, func() (reconcile.Result, error) {
		result, err := w.Reconcile(t.Context(), w.request(name))
		if w.allocate(t) {
			return reconcile.Result{RequeueAfter: time.Nanosecond}, err
		}
		return result, err
	})
}

func (w *world) instance(t *testing.T, name string) *virtfoundryv1alpha1.Instance {
	t.Helper()
	return get(t, &virtfoundryv1alpha1.Instance{}, w.namespace, name)
}

func (w *world) vm(t *testing.T, name string) *kubevirtv1.VirtualMachine {
	t.Helper()
	return get(t, &kubevirtv1.VirtualMachine{}, w.namespace, name)
}

func (w *world) userData(t *testing.T, name string) string {
	t.Helper()
	return string(get(t, &corev1.Secret{}, w.namespace, name+"-cloudinit").Data["userdata"])
}

// running plays KubeVirt: the guest is there as its VirtualMachine says.
func (w *world) running(t *testing.T, name string, change ...func(*kubevirtv1.VirtualMachineInstance)) *kubevirtv1.VirtualMachineInstance {
	t.Helper()
	vm := w.vm(t, name)
	vmi := &kubevirtv1.VirtualMachineInstance{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: w.namespace, Labels: vm.Spec.Template.ObjectMeta.Labels, Annotations: vm.Spec.Template.ObjectMeta.Annotations,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(vm, kubevirtv1.VirtualMachineGroupVersionKind)},
		},
		Spec: vm.Spec.Template.Spec, Status: kubevirtv1.VirtualMachineInstanceStatus{Phase: kubevirtv1.Running},
	}
	for _, f := range change {
		f(vmi)
	}
	create(t, vmi)
	return vmi
}

func create(t *testing.T, object client.Object) {
	t.Helper()
	if err := cluster.Client.Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	if object.GetNamespace() == "" || object.GetNamespace() == virtfoundryv1alpha1.SystemNamespace {
		t.Cleanup(func() { _ = cluster.Client.Delete(context.Background(), object) })
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
	err := cluster.Client.Get(t.Context(), types.NamespacedName{Namespace: namespace, Name: name}, object)
	if err != nil && !apierrors.IsNotFound(err) {
		t.Fatal(err)
	}
	return err == nil
}

func condition(t *testing.T, instance *virtfoundryv1alpha1.Instance, kind string) metav1.Condition {
	t.Helper()
	at := slices.IndexFunc(instance.Status.Conditions, func(c metav1.Condition) bool { return c.Type == kind })
	if at < 0 {
		t.Fatalf("no condition %s among %+v", kind, instance.Status.Conditions)
	}
	return instance.Status.Conditions[at]
}

func expect(t *testing.T, instance *virtfoundryv1alpha1.Instance, phase virtfoundryv1alpha1.InstancePhase, kind string, status metav1.ConditionStatus, reason, message string) {
	t.Helper()
	c := condition(t, instance, kind)
	if instance.Status.Phase != phase || c.Status != status || c.Reason != reason || !strings.Contains(c.Message, message) {
		t.Errorf("phase %s, %s=%s %s: %s\nwant phase %s, %s %s: …%s…", instance.Status.Phase, kind, c.Status, c.Reason, c.Message, phase, status, reason, message)
	}
}
