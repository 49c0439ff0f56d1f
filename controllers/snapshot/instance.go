// Package snapshot has KubeVirt keep Instances, and storage drivers keep Disks.
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

// Instances reconciles InstanceSnapshots. What is kept goes with the object: the
// garbage collector takes what it controls.
type Instances struct{ lifecycle.Deps }

// NewInstances returns the reconciler of InstanceSnapshots.
func NewInstances(deps lifecycle.Deps) *Instances { return &Instances{deps} }

// Reconcile has one Instance kept, once.
func (r *Instances) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	snapshot := &virtfoundryv1alpha1.InstanceSnapshot{}
	if err := r.Client.Get(ctx, request.NamespacedName, snapshot); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if snapshot.DeletionTimestamp != nil {
		return reconcile.Result{}, nil
	}
	found, err := r.Gatherer.InstanceSnapshot(ctx, snapshot, facts.Live)
	if err != nil {
		return reconcile.Result{}, err
	}
	before := snapshot.DeepCopy()
	s := lifecycle.Subject{Object: snapshot, Phase: &snapshot.Status.Phase, Observation: &snapshot.Status.Observation}
	judgement, planned := r.Judge.InstanceSnapshot(ctx, found, facts.Plan)
	child := apply.Child{Desired: planned}
	if len(found.Volume.MachineSnapshots) > 0 {
		child.Live = &found.Volume.MachineSnapshots[0]
	}
	end, decision, w := keep(ctx, r.Deps, s, found, outcome.OfRules(judgement), child, snapshotOf(found))
	snapshot.Status.KubeVirtSnapshotName = ""
	if child.Live != nil && metav1.IsControlledBy(child.Live, snapshot) {
		snapshot.Status.KubeVirtSnapshotName = planned.Name
	}
	return r.Report(ctx, before, s, decision, w, end)
}

// snapshotOf is what is kept, as it reads; nil while there is nothing.
func snapshotOf(found *facts.Gathered) *facts.Snapshot {
	if kept := facts.Build(found).Volume.Snapshots; len(kept) > 0 {
		return &kept[0]
	}
	return nil
}

// keep writes the child where there is none. One that is there is left as it is:
// it keeps a moment that is past, whatever the rules say of a new one.
func keep(ctx context.Context, deps lifecycle.Deps, s lifecycle.Subject, found *facts.Gathered, decision outcome.Decision, child apply.Child, kept *facts.Snapshot) (outcome.Failure, outcome.Decision, lifecycle.Written) {
	w := lifecycle.Written{Found: deps.Judge.Verdicts(ctx, found)}
	switch {
	case child.Live != nil && metav1.IsControlledBy(child.Live, s.Object):
		decision = outcome.Allowed()
	case child.Live == nil && s.Stood():
		decision = outcome.Denied("what was kept is gone, and its moment with it: delete the snapshot and create another one")
	case decision.Status == metav1.ConditionTrue:
		w = deps.Write(ctx, s, w.Found, []apply.Child{child}, false, false)
	}
	end := lifecycle.Conclude(s, decision, w, "it is kept and can be restored from")
	switch {
	case end.Decision.Status != metav1.ConditionTrue || end.Quiet:
	case kept == nil:
		end = lifecycle.Pending("the snapshot is being made")
	case kept.Problem != "":
		end = outcome.Failure{Decision: lifecycle.Failed(virtfoundryv1alpha1.ReasonSnapshotFailed, kept.Problem), Terminal: true}
	case !kept.Ready:
		end = outcome.Failure{Decision: lifecycle.Failed(virtfoundryv1alpha1.ReasonPending, "the snapshot is being made")} // its events wake it
	}
	return end, decision, w
}
