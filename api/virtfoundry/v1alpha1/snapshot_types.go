package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// DiskSnapshotSpec is what a tenant's user asks for.
type DiskSnapshotSpec struct {
	// name is the label shown to people; it names no object.
	// +required
	// +kubebuilder:validation:MaxLength=1024
	Name string `json:"name"`

	// diskRef is the Disk, in the same namespace, whose content is kept; it never changes.
	// +required
	// +kubebuilder:validation:XValidation:rule="size(self.name) > 0",fieldPath=".name",message="diskRef names no Disk: set its name to the metadata.name of a Disk in this namespace"
	// +kubebuilder:validation:XValidation:rule="self.name == oldSelf.name",fieldPath=".name",messageExpression="'diskRef \"%s\" cannot become \"%s\", since the snapshot is of that disk: create another DiskSnapshot instead'.format([oldSelf.name, self.name])",message="diskRef never changes: create another DiskSnapshot instead"
	DiskRef LocalObjectRef `json:"diskRef"`
}

// DiskSnapshotStatus is what the operator observed.
type DiskSnapshotStatus struct {
	// phase is Pending, Ready, Failed or Terminating; conditions say why.
	// +optional
	Phase Phase `json:"phase,omitempty"`

	// volumeSnapshotName is the name of the VolumeSnapshot (snapshot.storage.k8s.io/v1) that holds the content.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	VolumeSnapshotName string `json:"volumeSnapshotName,omitempty"`

	Observation `json:",inline"`
}

// DiskSnapshot keeps the content of a Disk as it was at one moment.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,path=disksnapshots,shortName=vf-disksnap
// +kubebuilder:printcolumn:name="Disk",type=string,JSONPath=`.spec.diskRef.name`
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.spec) || has(self.spec)",fieldPath=".spec",message="spec cannot be removed, since its diskRef never changes: delete the DiskSnapshot instead"
type DiskSnapshot struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is what a tenant's user asks for.
	// +optional
	Spec DiskSnapshotSpec `json:"spec,omitzero"`

	// status is what the operator observed; users do not write it.
	// +optional
	Status DiskSnapshotStatus `json:"status,omitzero"`
}

// DiskSnapshotList is a list of DiskSnapshots.
//
// +kubebuilder:object:root=true
type DiskSnapshotList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []DiskSnapshot `json:"items"`
}

// InstanceSnapshotSpec is what a tenant's user asks for.
type InstanceSnapshotSpec struct {
	// name is the label shown to people; it names no object.
	// +required
	// +kubebuilder:validation:MaxLength=1024
	Name string `json:"name"`

	// instanceRef is the Instance, in the same namespace, that is kept with its disks; it never changes.
	// +required
	// +kubebuilder:validation:XValidation:rule="size(self.name) > 0",fieldPath=".name",message="instanceRef names no Instance: set its name to the metadata.name of an Instance in this namespace"
	// +kubebuilder:validation:XValidation:rule="self.name == oldSelf.name",fieldPath=".name",messageExpression="'instanceRef \"%s\" cannot become \"%s\", since the snapshot is of that instance: create another InstanceSnapshot instead'.format([oldSelf.name, self.name])",message="instanceRef never changes: create another InstanceSnapshot instead"
	InstanceRef LocalObjectRef `json:"instanceRef"`
}

// InstanceSnapshotStatus is what the operator observed.
type InstanceSnapshotStatus struct {
	// phase is Pending, Ready, Failed or Terminating; conditions say why.
	// +optional
	Phase Phase `json:"phase,omitempty"`

	// kubevirtSnapshotName is the name of the VirtualMachineSnapshot (snapshot.kubevirt.io) that holds the content.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	KubeVirtSnapshotName string `json:"kubevirtSnapshotName,omitempty"`

	Observation `json:",inline"`
}

// InstanceSnapshot keeps an Instance and its disks as they were at one moment.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,path=instancesnapshots,shortName=vf-isnap
// +kubebuilder:printcolumn:name="Instance",type=string,JSONPath=`.spec.instanceRef.name`
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.spec) || has(self.spec)",fieldPath=".spec",message="spec cannot be removed, since its instanceRef never changes: delete the InstanceSnapshot instead"
type InstanceSnapshot struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is what a tenant's user asks for.
	// +optional
	Spec InstanceSnapshotSpec `json:"spec,omitzero"`

	// status is what the operator observed; users do not write it.
	// +optional
	Status InstanceSnapshotStatus `json:"status,omitzero"`
}

// InstanceSnapshotList is a list of InstanceSnapshots.
//
// +kubebuilder:object:root=true
type InstanceSnapshotList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []InstanceSnapshot `json:"items"`
}
