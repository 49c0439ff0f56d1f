package vpc

import (
	"fmt"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/gather"
	"cato.dev/cato/controllers/internal/fixture"
	"cato.dev/cato/controllers/lifecycle"
)

// Killed before and after each write of its making and of its removal, a new
// process has the VPC Ready, and lets it go when its Network is gone and not before.
func TestKilledAtAnyWriteAVPCIsReadyAndStaysUntilItIsEmpty(t *testing.T) {
	namespace := cluster.TenantNamespace(t, "killed")
	judge := fixture.Judge(t, nil)
	start := func(writes *fixture.Writes) *Reconciler {
		return New(lifecycle.Deps{
			Client: writes.Through(cluster.Client), Uncached: cluster.Client, Judge: judge, Events: &fixture.Events{}, Now: time.Now,
			Gatherer: gather.FromReader(cluster.Client, time.Now),
		})
	}
	made := 0
	life := func(writes *fixture.Writes) {
		made++
		name := fmt.Sprintf("k-%d", made)
		vpc := &virtfoundryv1alpha1.VPC{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Spec: virtfoundryv1alpha1.VPCSpec{Name: name, CIDR: "10.0.0.0/16"}}
		network := &virtfoundryv1alpha1.Network{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Spec: virtfoundryv1alpha1.NetworkSpec{
			Name: name, NetworkType: virtfoundryv1alpha1.NetworkIsolated, CIDR: "10.0.1.0/24", VPCRef: &virtfoundryv1alpha1.LocalObjectRef{Name: name},
		}}
		key := client.ObjectKeyFromObject(vpc)
		process := fixture.Start(writes, start)
		settle := func() {
			t.Helper()
			process.Settle(t, func(r *Reconciler) error {
				return fixture.LiveUntilEvents(t, func() (reconcile.Result, error) {
					return r.Reconcile(t.Context(), reconcile.Request{NamespacedName: key})
				})
			})
		}
		do := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		do(cluster.Client.Create(t.Context(), vpc))
		do(cluster.Client.Create(t.Context(), network))
		settle()
		do(cluster.Client.Get(t.Context(), key, vpc))
		if vpc.Status.Phase != virtfoundryv1alpha1.PhaseReady || vpc.Status.Namespace != namespace || !lifecycle.Held(vpc) {
			t.Errorf("%s: status %+v, finalizers %v", name, vpc.Status, vpc.Finalizers)
		}
		do(cluster.Client.Delete(t.Context(), vpc))
		settle()
		do(cluster.Client.Get(t.Context(), key, vpc))
		if vpc.Status.Phase != virtfoundryv1alpha1.PhaseTerminating {
			t.Errorf("%s: it has a Network, and its phase is %s", name, vpc.Status.Phase)
		}
		do(cluster.Client.Delete(t.Context(), network))
		settle()
		if err := cluster.Client.Get(t.Context(), key, vpc); !apierrors.IsNotFound(err) {
			t.Errorf("%s: nothing is in it, and it is still there: %v", name, err)
		}
		process.MustHaveDied(t)
	}
	fixture.KillAtEach(t, 4, life)
}
