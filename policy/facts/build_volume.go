package facts

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	snapshotv1beta1 "kubevirt.io/api/snapshot/v1beta1"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	volumesnapshotv1 "cato.dev/cato/api/volumesnapshot/v1"
)

// annotationDefaultClass with value `true` marks the default StorageClass.
const annotationDefaultClass = "storageclass.kubernetes.io/is-default-class"

const gibibyte = int64(1) << 30

func volumeSubject(v *VolumeObjects) (kind string, meta *metav1.ObjectMeta) {
	switch {
	case v.Disk != nil:
		return KindDisk, &v.Disk.ObjectMeta
	case v.DiskSnapshot != nil:
		return KindDiskSnapshot, &v.DiskSnapshot.ObjectMeta
	case v.InstanceSnapshot != nil:
		return KindInstanceSnapshot, &v.InstanceSnapshot.ObjectMeta
	default:
		return "", nil
	}
}

// DiskClaim is the name of the PersistentVolumeClaim behind a Disk of a name.
func DiskClaim(disk string) string { return disk }

// InstanceOf names the Instance that a Disk is to be attached to; empty for none.
func InstanceOf(disk *virtfoundryv1alpha1.Disk) string {
	if disk.Spec.InstanceRef == nil {
		return ""
	}
	return disk.Spec.InstanceRef.Name
}

// buildVolume fills in what a Disk or a snapshot asks for and what lies around it.
func buildVolume(v *VolumeObjects, object *Object) Volume {
	volume := Volume{
		Instances: []VolumeOwner{}, Machines: []VolumeMachine{}, Disks: []VolumeDisk{}, Claims: []VolumeClaim{},
		Uses: []VolumeUse{}, Classes: []VolumeClass{}, SnapshotClasses: []SnapshotClass{}, Snapshots: []Snapshot{},
	}
	object.Disk, object.DiskSnapshot, object.InstanceSnapshot = []DiskWish{}, []SnapshotWish{}, []SnapshotWish{}
	for i := range v.Instances {
		n := &v.Instances[i]
		volume.Instances = append(volume.Instances, VolumeOwner{Name: n.Name, UID: string(n.UID), Deleting: n.DeletionTimestamp != nil})
	}
	for i := range v.Claims {
		volume.Claims = append(volume.Claims, volumeClaim(&v.Claims[i]))
	}
	for i := range v.Disks {
		d := &v.Disks[i]
		volume.Disks = append(volume.Disks, VolumeDisk{Name: d.Name, UID: string(d.UID), Claim: DiskClaim(d.Name), Deleting: d.DeletionTimestamp != nil})
	}
	volume.Classes = volumeClasses(v.Classes)
	switch {
	case v.Disk != nil:
		d := v.Disk
		object.Disk = []DiskWish{{Bytes: diskBytes(d.Spec.SizeGi), Class: string(d.Spec.StorageClass), Instance: InstanceOf(d), Claim: DiskClaim(d.Name), Deleting: d.DeletionTimestamp != nil}}
		volume.Machines = machinesNamed(v.Machines, InstanceOf(d))
		volume.Uses = UsesOf(v.Machines, v.Running, DiskClaim(d.Name))
	case v.DiskSnapshot != nil:
		object.DiskSnapshot = []SnapshotWish{{Source: v.DiskSnapshot.Spec.DiskRef.Name, Deleting: v.DiskSnapshot.DeletionTimestamp != nil}}
		volume.SnapshotClasses = snapshotClasses(v.SnapshotClasses)
		for i := range v.VolumeSnapshots {
			volume.Snapshots = append(volume.Snapshots, volumeSnapshot(&v.VolumeSnapshots[i]))
		}
	case v.InstanceSnapshot != nil:
		object.InstanceSnapshot = []SnapshotWish{{Source: v.InstanceSnapshot.Spec.InstanceRef.Name, Deleting: v.InstanceSnapshot.DeletionTimestamp != nil}}
		volume.Machines = machinesNamed(v.Machines, v.InstanceSnapshot.Spec.InstanceRef.Name)
		for i := range v.MachineSnapshots {
			volume.Snapshots = append(volume.Snapshots, machineSnapshot(&v.MachineSnapshots[i]))
		}
	}
	return volume
}

func diskBytes(sizeGi int64) *int64 {
	const most = 1 << 20 // GiB: 1 PiB
	if sizeGi < 1 || sizeGi > most {
		return nil
	}
	bytes := sizeGi * gibibyte
	return &bytes
}

func volumeClaim(c *corev1.PersistentVolumeClaim) VolumeClaim {
	claim := VolumeClaim{Name: c.Name, UID: string(c.UID), Owners: owners(c.OwnerReferences), Modes: []string{}, Phase: string(c.Status.Phase)}
	if c.Spec.StorageClassName != nil {
		claim.Class = *c.Spec.StorageClassName
	}
	for _, mode := range c.Spec.AccessModes {
		claim.Modes = append(claim.Modes, string(mode))
	}
	claim.Bytes = storageAmount(c.Spec.Resources.Requests)
	claim.Capacity = storageAmount(c.Status.Capacity)
	return claim
}

func storageAmount(list corev1.ResourceList) *int64 {
	amount, found := list[corev1.ResourceStorage]
	if !found {
		return nil
	}
	bytes, exact := amount.AsInt64()
	if !exact {
		return nil
	}
	return &bytes
}

func machinesNamed(machines []kubevirtv1.VirtualMachine, name string) []VolumeMachine {
	found := []VolumeMachine{}
	for i := range machines {
		if m := &machines[i]; m.Name == name && name != "" {
			found = append(found, VolumeMachine{Name: m.Name, UID: string(m.UID), Owners: owners(m.OwnerReferences)})
		}
	}
	return found
}

// UsesOf are the volumes of a namespace's machines that are a claim.
func UsesOf(machines []kubevirtv1.VirtualMachine, running []kubevirtv1.VirtualMachineInstance, claim string) []VolumeUse {
	uses := []VolumeUse{}
	add := func(kind, name string, volumes []kubevirtv1.Volume) {
		for i := range volumes {
			if ClaimName(&volumes[i].VolumeSource) == claim {
				uses = append(uses, VolumeUse{Kind: kind, Name: name, Volume: volumes[i].Name, HotPlugged: hotPlugged(&volumes[i].VolumeSource)})
			}
		}
	}
	for i := range machines {
		if template := machines[i].Spec.Template; template != nil {
			add(KindVirtualMachine, machines[i].Name, template.Spec.Volumes)
		}
	}
	for i := range running {
		add("VirtualMachineInstance", running[i].Name, running[i].Spec.Volumes)
	}
	slices.SortFunc(uses, func(a, b VolumeUse) int { return strings.Compare(a.Kind+"/"+a.Name, b.Kind+"/"+b.Name) })
	return uses
}

func hotPlugged(v *kubevirtv1.VolumeSource) bool {
	return v.PersistentVolumeClaim != nil && v.PersistentVolumeClaim.Hotpluggable || v.DataVolume != nil && v.DataVolume.Hotpluggable
}

func volumeClasses(classes []storagev1.StorageClass) []VolumeClass {
	all := []VolumeClass{}
	for i := range classes {
		c := &classes[i]
		all = append(all, VolumeClass{
			Name: c.Name, Provisioner: c.Provisioner, Default: c.Annotations[annotationDefaultClass] == "true",
			Expandable: c.AllowVolumeExpansion != nil && *c.AllowVolumeExpansion,
			Late:       c.VolumeBindingMode != nil && *c.VolumeBindingMode == storagev1.VolumeBindingWaitForFirstConsumer,
		})
	}
	slices.SortFunc(all, func(a, b VolumeClass) int { return strings.Compare(a.Name, b.Name) })
	return all
}

func snapshotClasses(classes []volumesnapshotv1.VolumeSnapshotClass) []SnapshotClass {
	all := []SnapshotClass{}
	for i := range classes {
		c := &classes[i]
		all = append(all, SnapshotClass{Name: c.Name, Driver: c.Driver, Default: c.Annotations[volumesnapshotv1.AnnotationDefaultClass] == "true"})
	}
	slices.SortFunc(all, func(a, b SnapshotClass) int { return strings.Compare(a.Name, b.Name) })
	return all
}

func volumeSnapshot(s *volumesnapshotv1.VolumeSnapshot) Snapshot {
	snapshot := Snapshot{Name: s.Name, UID: string(s.UID), Owners: owners(s.OwnerReferences)}
	if name := s.Spec.Source.PersistentVolumeClaimName; name != nil {
		snapshot.SourceKind, snapshot.Source = "PersistentVolumeClaim", *name
	}
	if s.Spec.VolumeSnapshotClassName != nil {
		snapshot.Class = *s.Spec.VolumeSnapshotClassName
	}
	if s.Status != nil {
		snapshot.Ready = s.Status.ReadyToUse != nil && *s.Status.ReadyToUse
		if s.Status.Error != nil {
			snapshot.Problem = "the driver gives no reason"
			if s.Status.Error.Message != nil {
				snapshot.Problem = bounded(*s.Status.Error.Message)
			}
		}
	}
	return snapshot
}

func machineSnapshot(s *snapshotv1beta1.VirtualMachineSnapshot) Snapshot {
	snapshot := Snapshot{Name: s.Name, UID: string(s.UID), Owners: owners(s.OwnerReferences), SourceKind: s.Spec.Source.Kind, Source: s.Spec.Source.Name}
	if group := s.Spec.Source.APIGroup; group == nil || *group != kubevirtv1.GroupVersion.Group {
		snapshot.SourceKind = ""
	}
	if s.Spec.DeletionPolicy != nil {
		snapshot.DeletionPolicy = string(*s.Spec.DeletionPolicy)
	}
	if s.Status != nil {
		snapshot.Ready = s.Status.ReadyToUse != nil && *s.Status.ReadyToUse
		if s.Status.Error != nil {
			snapshot.Problem = "KubeVirt gives no reason"
			if s.Status.Error.Message != nil {
				snapshot.Problem = bounded(*s.Status.Error.Message)
			}
		}
		if s.Status.Phase == snapshotv1beta1.Failed && snapshot.Problem == "" {
			snapshot.Problem = "KubeVirt says that it failed"
		}
	}
	return snapshot
}

func volumeSnapshots(g *Gathered) *bool {
	if _, unknown := g.Gaps["cluster.volumeSnapshots"]; unknown {
		return nil
	}
	return &g.Cluster.VolumeSnapshots
}
