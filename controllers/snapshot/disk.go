package snapshot

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/apply"
	"cato.dev/cato/controllers/lifecycle"
	"cato.dev/cato/controllers/outcome"
	"cato.dev/cato/policy/facts"
)

// Disks reconciles DiskSnapshots.
type Disks struct{ lifecycle.Deps }

// NewDisks returns the reconciler of DiskSnapshots.
func NewDisks(deps lifecycle.Deps) *Disks { return &Disks{deps} }

// Reconcile has one Disk kept, once.
func (r *Disks) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	snapshot := &virtfoundryv1alpha1.DiskSnapshot{}
	if err := r.Client.Get(ctx, request.NamespacedName, snapshot); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if snapshot.DeletionTimestamp != nil {
		return reconcile.Result{}, nil
	}
	found, err := r.Gatherer.DiskSnapshot(ctx, snapshot, facts.Live)
	if err != nil {
		return reconcile.Result{}, err
	}
	before := snapshot.DeepCopy()
	s := lifecycle.Subject{Object: snapshot, Phase: &snapshot.Status.Phase, Observation: &snapshot.Status.Observation}
	judgement, planned := r.Judge.DiskSnapshot(ctx, found, facts.Plan)
	child := apply.Child{Desired: planned}
	if len(found.Volume.VolumeSnapshots) > 0 {
		child.Live = &found.Volume.VolumeSnapshots[0]
	}
	end, decision, w := keep(ctx, r.Deps, s, found, outcome.OfRules(judgement), child, snapshotOf(found))
	snapshot.Status.VolumeSnapshotName = ""
	if child.Live != nil && metav1.IsControlledBy(child.Live, snapshot) {
		snapshot.Status.VolumeSnapshotName = planned.Name
	}
	return r.Report(ctx, before, s, decision, w, end)
}
