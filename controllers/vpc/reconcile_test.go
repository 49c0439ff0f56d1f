package vpc

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
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

func TestAVPCHoldsItsNetworksAndStaysUntilItIsEmpty(t *testing.T) {
	namespace := cluster.TenantNamespace(t, "vpc")
	events := &fixture.Events{}
	r := New(lifecycle.Deps{
		Client: cluster.Client, Uncached: cluster.Client, Judge: fixture.Judge(t, nil), Events: events, Now: time.Now,
		Gatherer: gather.FromReader(cluster.Client, time.Now), Record: func(context.Context, decide.Judgement, time.Time) {},
	})
	vpc := &virtfoundryv1alpha1.VPC{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "production"}, Spec: virtfoundryv1alpha1.VPCSpec{Name: "p", CIDR: "10.0.0.0/16"}}
	outside := &virtfoundryv1alpha1.Network{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "outside"}, Spec: virtfoundryv1alpha1.NetworkSpec{
		Name: "o", NetworkType: virtfoundryv1alpha1.NetworkIsolated, CIDR: "10.9.0.0/24", VPCRef: &virtfoundryv1alpha1.LocalObjectRef{Name: "production"},
	}}
	step := func() {
		t.Helper()
		if _, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKeyFromObject(vpc)}); err != nil {
			t.Fatal(err)
		}
		if err := cluster.Client.Get(t.Context(), client.ObjectKeyFromObject(vpc), vpc); client.IgnoreNotFound(err) != nil {
			t.Fatal(err)
		}
	}
	is := func(kind string, status metav1.ConditionStatus, text string) {
		t.Helper()
		c := meta.FindStatusCondition(vpc.Status.Conditions, kind)
		if c == nil || c.Status != status || !strings.Contains(c.Message, text) {
			t.Errorf("condition %s: %+v, want %s %q", kind, c, status, text)
		}
	}
	for _, object := range []client.Object{vpc, outside} {
		if err := cluster.Client.Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
		step()
	}
	if vpc.Status.Namespace != namespace || vpc.Status.Phase != virtfoundryv1alpha1.PhaseReady {
		t.Errorf("status %+v", vpc.Status)
	}
	is("Compliant", metav1.ConditionFalse, "NET-024")
	if err := cluster.Client.Delete(t.Context(), vpc); err != nil {
		t.Fatal(err)
	}
	step()
	is("Ready", metav1.ConditionFalse, "outside")
	if vpc.Status.Phase != virtfoundryv1alpha1.PhaseTerminating || !events.Has(lifecycle.EventInUse) {
		t.Errorf("phase %s, events %v", vpc.Status.Phase, events.Reasons())
	}
	if err := cluster.Client.Delete(t.Context(), outside); err != nil {
		t.Fatal(err)
	}
	step()
	if err := cluster.Client.Get(t.Context(), client.ObjectKeyFromObject(vpc), vpc); !apierrors.IsNotFound(err) {
		t.Errorf("nothing is in it, and it is still there: %v", err)
	}
}
