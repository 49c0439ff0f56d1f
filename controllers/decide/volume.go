package decide

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	snapshotv1beta1 "kubevirt.io/api/snapshot/v1beta1"

	volumesnapshotv1 "cato.dev/cato/api/volumesnapshot/v1"
	"cato.dev/cato/controllers/children"
	"cato.dev/cato/policy/facts"
)

// Disk judges the claim that would be written for a gathered Disk. One that is
// another's is judged as it stands.
func (j *Judge) Disk(ctx context.Context, g *facts.Gathered, moment facts.Moment) (Judgement, *corev1.PersistentVolumeClaim) {
	p := *g
	p.Moment = moment
	live := LiveClaim(g)
	planned := children.ForDisk(g.Volume.Disk, g.Platform.DefaultClass, g.Volume.Classes, live)
	written := planned.DeepCopy()
	if live != nil { // what a write leaves alone
		written.UID, written.OwnerReferences, written.Status = live.UID, live.OwnerReferences, live.Status
	}
	p.Volume.Claims = []corev1.PersistentVolumeClaim{*written}
	return j.Verdicts(ctx, &p), planned
}

// LiveClaim is the claim that was gathered; nil without one.
func LiveClaim(g *facts.Gathered) *corev1.PersistentVolumeClaim {
	if len(g.Volume.Claims) == 0 {
		return nil
	}
	return &g.Volume.Claims[0]
}

// InstanceSnapshot judges what KubeVirt would be asked to keep.
func (j *Judge) InstanceSnapshot(ctx context.Context, g *facts.Gathered, moment facts.Moment) (Judgement, *snapshotv1beta1.VirtualMachineSnapshot) {
	p := *g
	p.Moment = moment
	planned := children.ForInstanceSnapshot(g.Volume.InstanceSnapshot)
	if len(g.Volume.MachineSnapshots) == 0 {
		p.Volume.MachineSnapshots = []snapshotv1beta1.VirtualMachineSnapshot{*planned}
	}
	return j.Verdicts(ctx, &p), planned
}

// DiskSnapshot judges what the storage driver would be asked to keep.
func (j *Judge) DiskSnapshot(ctx context.Context, g *facts.Gathered, moment facts.Moment) (Judgement, *volumesnapshotv1.VolumeSnapshot) {
	p := *g
	p.Moment = moment
	planned := children.ForDiskSnapshot(g.Volume.DiskSnapshot, g.Platform.SnapshotClass, LiveClaim(g), g.Volume.Classes, g.Volume.SnapshotClasses)
	if len(g.Volume.VolumeSnapshots) == 0 {
		p.Volume.VolumeSnapshots = []volumesnapshotv1.VolumeSnapshot{*planned}
	}
	return j.Verdicts(ctx, &p), planned
}
