package network

import (
	"context"
	"os"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	cniv1 "cato.dev/cato/api/cni/v1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/decide"
	"cato.dev/cato/controllers/gather"
	"cato.dev/cato/controllers/internal/fixture"
	"cato.dev/cato/controllers/lifecycle"
)

var cluster fixture.Cluster

func TestMain(m *testing.M) { os.Exit(fixture.Main(m, "../..", &cluster)) }

// world is one reconciler and what it does.
type world struct {
	*Reconciler
	events *fixture.Events
	writes *fixture.Writes
	found  []decide.Judgement
}

func newWorld(judge *decide.Judge) *world { return newWorldAt(judge, &fixture.Writes{}) }

func newWorldAt(judge *decide.Judge, writes *fixture.Writes) *world {
	w := &world{events: &fixture.Events{}, writes: writes}
	w.Reconciler = New(lifecycle.Deps{
		Client: writes.Through(cluster.Client), Uncached: cluster.Client, Judge: judge, Events: w.events, Now: time.Now,
		Gatherer: gather.FromReader(cluster.Client, time.Now),
		Record:   func(_ context.Context, found decide.Judgement, _ time.Time) { w.found = append(w.found, found) },
	})
	return w
}

// live reconciles until nothing is left to do.
func (w *world) live(t *testing.T, n *virtfoundryv1alpha1.Network) error {
	t.Helper()
	return fixture.Live(t, func() (reconcile.Result, error) { return w.once(t, n) })
}

func (w *world) once(t *testing.T, n *virtfoundryv1alpha1.Network) (reconcile.Result, error) {
	t.Helper()
	return w.Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKeyFromObject(n)})
}

func (w *world) settle(t *testing.T, n *virtfoundryv1alpha1.Network) *virtfoundryv1alpha1.Network {
	t.Helper()
	if err := w.live(t, n); err != nil {
		t.Fatal(err)
	}
	return read(t, n)
}

func isolatedNamed(namespace, name, cidr string) *virtfoundryv1alpha1.Network {
	return &virtfoundryv1alpha1.Network{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec:       virtfoundryv1alpha1.NetworkSpec{Name: name, NetworkType: virtfoundryv1alpha1.NetworkIsolated, CIDR: virtfoundryv1alpha1.CIDR(cidr)},
	}
}

func create[T client.Object](t *testing.T, object T) T {
	t.Helper()
	if err := cluster.Client.Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	return object
}

// read reads an object again.
func read[T client.Object](t *testing.T, object T) T {
	t.Helper()
	if err := cluster.Client.Get(t.Context(), client.ObjectKeyFromObject(object), object); err != nil {
		t.Fatal(err)
	}
	return object
}

func gone(t *testing.T, object client.Object) bool {
	t.Helper()
	err := cluster.Client.Get(t.Context(), client.ObjectKeyFromObject(object), object)
	if err != nil && !apierrors.IsNotFound(err) {
		t.Fatal(err)
	}
	return err != nil
}

func remove(t *testing.T, object client.Object) {
	t.Helper()
	if err := cluster.Client.Delete(t.Context(), object); client.IgnoreNotFound(err) != nil {
		t.Fatal(err)
	}
}

func update(t *testing.T, object client.Object) {
	t.Helper()
	if err := cluster.Client.Update(t.Context(), object, client.FieldOwner("somebody")); err != nil {
		t.Fatal(err)
	}
}

func attachmentOf(n *virtfoundryv1alpha1.Network) *cniv1.NetworkAttachmentDefinition {
	return &cniv1.NetworkAttachmentDefinition{ObjectMeta: metav1.ObjectMeta{Namespace: n.Namespace, Name: n.Name}}
}

// is checks a condition's status and reason, and returns its message.
func is(t *testing.T, conditions []metav1.Condition, kind string, status metav1.ConditionStatus, reason string) string {
	t.Helper()
	c := meta.FindStatusCondition(conditions, kind)
	if c == nil || c.Status != status || reason != "" && c.Reason != reason {
		t.Errorf("condition %s: %+v, want %s %s; all: %+v", kind, c, status, reason, conditions)
		return ""
	}
	return c.Message
}
