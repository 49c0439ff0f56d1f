package facts

import (
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	snapshotv1beta1 "kubevirt.io/api/snapshot/v1beta1"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	volumesnapshotv1 "cato.dev/cato/api/volumesnapshot/v1"
)

// The kinds of subjects that are volumes and what is kept of them.
const (
	KindDisk             = "Disk"
	KindDiskSnapshot     = "DiskSnapshot"
	KindInstanceSnapshot = "InstanceSnapshot"
)

// VolumeObjects are a Disk or a snapshot and what lies around it. At most one
// of the first three is set: the subject.
type VolumeObjects struct {
	Disk             *virtfoundryv1alpha1.Disk
	DiskSnapshot     *virtfoundryv1alpha1.DiskSnapshot
	InstanceSnapshot *virtfoundryv1alpha1.InstanceSnapshot

	Tenants          []virtfoundryv1alpha1.Tenant   // whose slug names the subject's namespace
	Instances        []virtfoundryv1alpha1.Instance // that the subject names: none or one
	Disks            []virtfoundryv1alpha1.Disk     // that a DiskSnapshot names: none or one
	Claims           []corev1.PersistentVolumeClaim // of the Disk's name: none or one
	Machines         []kubevirtv1.VirtualMachine    // of the subject's namespace
	Running          []kubevirtv1.VirtualMachineInstance
	Classes          []storagev1.StorageClass
	SnapshotClasses  []volumesnapshotv1.VolumeSnapshotClass
	VolumeSnapshots  []volumesnapshotv1.VolumeSnapshot        // of the subject's name: none or one
	MachineSnapshots []snapshotv1beta1.VirtualMachineSnapshot // of the subject's name: none or one
}

// Volume is what lies around a Disk, a DiskSnapshot or an InstanceSnapshot. All
// of it is empty for other subjects.
type Volume struct {
	Instances       []VolumeOwner   `json:"instances"` // that the subject names
	Machines        []VolumeMachine `json:"machines"`  // of the Instance that the subject names
	Disks           []VolumeDisk    `json:"disks"`     // that a DiskSnapshot names
	Claims          []VolumeClaim   `json:"claims"`    // of the Disk
	Uses            []VolumeUse     `json:"uses"`      // machines that have the Disk's claim
	Classes         []VolumeClass   `json:"classes"`   // all StorageClasses
	SnapshotClasses []SnapshotClass `json:"snapshotClasses"`
	Snapshots       []Snapshot      `json:"snapshots"` // that keep what the subject says
}

// DiskWish is what a virtfoundry.io Disk asks for.
type DiskWish struct {
	Bytes    *int64 `json:"bytes"` // null when the size is none
	Class    string `json:"class"` // empty for the default
	Instance string `json:"instance"`
	Claim    string `json:"claim"` // the name of its PersistentVolumeClaim
	Deleting bool   `json:"deleting"`
}

// SnapshotWish is what a DiskSnapshot or an InstanceSnapshot asks for.
type SnapshotWish struct {
	Source   string `json:"source"` // the Disk or the Instance
	Deleting bool   `json:"deleting"`
}

// VolumeOwner is an Instance seen from a volume.
type VolumeOwner struct {
	Name     string `json:"name"`
	UID      string `json:"uid"`
	Deleting bool   `json:"deleting"`
}

// VolumeMachine is the VirtualMachine of an Instance's name.
type VolumeMachine struct {
	Name   string  `json:"name"`
	UID    string  `json:"uid"`
	Owners []Owner `json:"owners"`
}

// VolumeDisk is a Disk seen from its snapshot.
type VolumeDisk struct {
	Name     string `json:"name"`
	UID      string `json:"uid"`
	Claim    string `json:"claim"`
	Deleting bool   `json:"deleting"`
}

// VolumeClaim is a PersistentVolumeClaim.
type VolumeClaim struct {
	Name     string   `json:"name"`
	UID      string   `json:"uid"` // empty where it is planned
	Owners   []Owner  `json:"owners"`
	Class    string   `json:"class"`
	Modes    []string `json:"modes"` // ReadWriteOnce, …
	Bytes    *int64   `json:"bytes"` // that are asked for; null when it cannot be told
	Capacity *int64   `json:"capacity"`
	Phase    string   `json:"phase"`
}

// VolumeUse is a machine that has a claim among its volumes.
type VolumeUse struct {
	Kind       string `json:"kind"` // VirtualMachine or VirtualMachineInstance
	Name       string `json:"name"`
	Volume     string `json:"volume"`
	HotPlugged bool   `json:"hotPlugged"` // it can be taken out by KubeVirt's subresource
}

// VolumeClass is a StorageClass.
type VolumeClass struct {
	Name        string `json:"name"`
	Provisioner string `json:"provisioner"`
	Default     bool   `json:"default"` // is annotated as the default
	Expandable  bool   `json:"expandable"`
	Late        bool   `json:"late"` // binds when a pod first uses the claim
}

// SnapshotClass is a VolumeSnapshotClass.
type SnapshotClass struct {
	Name    string `json:"name"`
	Driver  string `json:"driver"`
	Default bool   `json:"default"`
}

// Snapshot is a VolumeSnapshot or a VirtualMachineSnapshot.
type Snapshot struct {
	Name           string  `json:"name"`
	UID            string  `json:"uid"` // empty where it is planned
	Owners         []Owner `json:"owners"`
	SourceKind     string  `json:"sourceKind"` // PersistentVolumeClaim, VirtualMachine or empty
	Source         string  `json:"source"`
	Class          string  `json:"class"`          // of a VolumeSnapshot; empty for the default
	DeletionPolicy string  `json:"deletionPolicy"` // of a VirtualMachineSnapshot
	Ready          bool    `json:"ready"`
	Problem        string  `json:"problem"`
}
