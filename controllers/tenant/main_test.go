package tenant

import (
	"context"
	"os"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/decide"
	"cato.dev/cato/controllers/gather"
	"cato.dev/cato/controllers/internal/fixture"
)

var cluster fixture.Cluster

func TestMain(m *testing.M) { os.Exit(fixture.Main(m, "../..", &cluster)) }

// world is one reconciler and what it does.
type world struct {
	*Reconciler
	client client.WithWatch
	events *fixture.Events
	writes *fixture.Writes
	found  []decide.Judgement
}

func newWorld(t *testing.T, judge *decide.Judge) *world {
	t.Helper()
	return newWorldAt(judge, &fixture.Writes{})
}

func newWorldAt(judge *decide.Judge, writes *fixture.Writes) *world {
	w := &world{events: &fixture.Events{}, writes: writes, client: cluster.Client}
	through := writes.Through(cluster.Client)
	w.Reconciler = New(Deps{
		Client: through, Uncached: cluster.Client, Judge: judge, Events: w.events, Now: time.Now,
		Gatherer: gather.FromReader(cluster.Client, time.Now),
		Record:   func(_ context.Context, found decide.Judgement, _ time.Time) { w.found = append(w.found, found) },
	})
	return w
}

func (w *world) reconcile(t *testing.T, name string) reconcile.Result {
	t.Helper()
	result, err := w.Reconcile(t.Context(), reconcile.Request{NamespacedName: types.NamespacedName{Name: name}})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// settle reconciles until nothing is left to do.
func (w *world) settle(t *testing.T, name string) *virtfoundryv1alpha1.Tenant {
	t.Helper()
	if err := w.live(t, name); err != nil {
		t.Fatalf("Tenant %s: %v: %+v", name, err, w.tenant(t, name).Status)
	}
	return w.tenant(t, name)
}

func (w *world) live(t *testing.T, name string) error {
	t.Helper()
	return fixture.Live(t, func() (reconcile.Result, error) {
		return w.Reconcile(t.Context(), reconcile.Request{NamespacedName: types.NamespacedName{Name: name}})
	})
}

func (w *world) tenant(t *testing.T, name string) *virtfoundryv1alpha1.Tenant {
	t.Helper()
	var tenant virtfoundryv1alpha1.Tenant
	if err := w.client.Get(t.Context(), types.NamespacedName{Name: name}, &tenant); err != nil {
		t.Fatal(err)
	}
	return &tenant
}

// tenantNamed stores a Tenant whose slug is its name.
func tenantNamed(t *testing.T, name string) *virtfoundryv1alpha1.Tenant {
	t.Helper()
	tenant := &virtfoundryv1alpha1.Tenant{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: virtfoundryv1alpha1.TenantSpec{Name: name, Slug: name}}
	create(t, tenant)
	return tenant
}

func namespaceOf(t *testing.T, slug string, labels map[string]string, owners ...metav1.OwnerReference) *corev1.Namespace {
	t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "virtfoundry-tenant-" + slug, Labels: labels, OwnerReferences: owners}}
	create(t, namespace)
	return namespace
}

func create(t *testing.T, object client.Object) {
	t.Helper()
	if err := cluster.Client.Create(t.Context(), object); err != nil {
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

func condition(t *testing.T, conditions []metav1.Condition, kind string) metav1.Condition {
	t.Helper()
	at := slices.IndexFunc(conditions, func(c metav1.Condition) bool { return c.Type == kind })
	if at < 0 {
		t.Fatalf("no condition %s among %+v", kind, conditions)
	}
	return conditions[at]
}
