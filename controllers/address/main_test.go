package address

import (
	"context"
	"os"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/decide"
	"cato.dev/cato/controllers/gather"
	"cato.dev/cato/controllers/internal/fixture"
	"cato.dev/cato/controllers/lifecycle"
)

var cluster fixture.Cluster

func TestMain(m *testing.M) { os.Exit(fixture.Main(m, "../..", &cluster)) }

// world is one process.
type world struct {
	*Reconciler
	events *fixture.Events
	writes *fixture.Writes
}

func newWorld(judge *decide.Judge) *world { return newWorldAt(judge, &fixture.Writes{}) }

func newWorldAt(judge *decide.Judge, writes *fixture.Writes) *world {
	w := &world{events: &fixture.Events{}, writes: writes}
	w.Reconciler = New(lifecycle.Deps{
		Client: writes.Through(cluster.Client), Uncached: cluster.Client, Judge: judge, Events: w.events, Now: time.Now,
		Gatherer: gather.FromReader(cluster.Client, time.Now),
		Record:   func(context.Context, decide.Judgement, time.Time) {},
	})
	return w
}

// live reconciles until nothing is left to do.
func (w *world) live(t *testing.T, a *virtfoundryv1alpha1.IPAddress) error {
	t.Helper()
	return fixture.Live(t, func() (reconcile.Result, error) { return w.once(t, a) })
}

func (w *world) once(t *testing.T, a *virtfoundryv1alpha1.IPAddress) (reconcile.Result, error) {
	t.Helper()
	return w.Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKeyFromObject(a)})
}

func (w *world) settle(t *testing.T, a *virtfoundryv1alpha1.IPAddress) *virtfoundryv1alpha1.IPAddress {
	t.Helper()
	if err := w.live(t, a); err != nil {
		t.Fatal(err)
	}
	return read(t, a)
}

// networkIn makes a namespace with a Network of a range.
func networkIn(t *testing.T, slug, cidr, gateway string) string {
	t.Helper()
	namespace := cluster.TenantNamespace(t, slug)
	create(t, &virtfoundryv1alpha1.Network{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "web"},
		Spec:       virtfoundryv1alpha1.NetworkSpec{Name: "web", NetworkType: virtfoundryv1alpha1.NetworkIsolated, CIDR: virtfoundryv1alpha1.CIDR(cidr), Gateway: gateway},
	})
	return namespace
}

func claim(namespace, name, address string) *virtfoundryv1alpha1.IPAddress {
	return &virtfoundryv1alpha1.IPAddress{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec:       virtfoundryv1alpha1.IPAddressSpec{NetworkRef: virtfoundryv1alpha1.LocalObjectRef{Name: "web"}, Address: address},
	}
}

func create[T client.Object](t *testing.T, object T) T {
	t.Helper()
	if err := cluster.Client.Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	return object
}

func read[T client.Object](t *testing.T, object T) T {
	t.Helper()
	if err := cluster.Client.Get(t.Context(), client.ObjectKeyFromObject(object), object); err != nil {
		t.Fatal(err)
	}
	return object
}

func remove(t *testing.T, object client.Object) {
	t.Helper()
	if err := cluster.Client.Delete(t.Context(), object); client.IgnoreNotFound(err) != nil {
		t.Fatal(err)
	}
}

// all are the IPAddresses of a namespace.
func all(t *testing.T, namespace string) []virtfoundryv1alpha1.IPAddress {
	t.Helper()
	var list virtfoundryv1alpha1.IPAddressList
	if err := cluster.Client.List(t.Context(), &list, client.InNamespace(namespace)); err != nil {
		t.Fatal(err)
	}
	return list.Items
}

func is(t *testing.T, a *virtfoundryv1alpha1.IPAddress, kind string, status metav1.ConditionStatus, reason string) string {
	t.Helper()
	c := meta.FindStatusCondition(a.Status.Conditions, kind)
	if c == nil || c.Status != status || reason != "" && c.Reason != reason {
		t.Errorf("%s: condition %s: %+v, want %s %s", a.Name, kind, c, status, reason)
		return ""
	}
	return c.Message
}
