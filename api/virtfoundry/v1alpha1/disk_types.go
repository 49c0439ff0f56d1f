package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// DiskSpec is what a tenant's user asks for.
//
// +kubebuilder:validation:XValidation:rule="(has(self.storageClass) ? self.storageClass : \"\") == (has(oldSelf.storageClass) ? oldSelf.storageClass : \"\")",fieldPath=".storageClass",messageExpression="'storageClass \"%s\" cannot become \"%s\", since a volume never changes its class: create another Disk and copy the data'.format([has(oldSelf.storageClass) ? oldSelf.storageClass : \"\", has(self.storageClass) ? self.storageClass : \"\"])",message="storageClass never changes: create another Disk and copy the data"
type DiskSpec struct {
	// name is the label shown to people; it names no object.
	// +required
	// +kubebuilder:validation:MaxLength=1024
	Name string `json:"name"`

	// sizeGi is the size in GiB, 1 to 1048576 (1 PiB). A disk grows where its StorageClass can, and never shrinks.
	// +required
	// +kubebuilder:validation:XValidation:rule="self >= 1 && self <= 1048576",messageExpression="'sizeGi %d is out of bounds: use 1 to 1048576 GiB'.format([self])",message="sizeGi must be 1 to 1048576 GiB"
	// +kubebuilder:validation:XValidation:rule="self >= oldSelf",messageExpression="'sizeGi %d cannot shrink to %d, which would cut off data: create another Disk and copy the data'.format([oldSelf, self])",message="sizeGi never shrinks: create another Disk and copy the data"
	SizeGi int64 `json:"sizeGi"`

	// storageClass is the StorageClass of the volume; it never changes. Empty means the platform's storage.defaultClass.
	// +optional
	StorageClass StorageClassName `json:"storageClass,omitempty"`

	// instanceRef is the Instance, in the same namespace, that the disk is attached to; absent or an empty name means that it is detached.
	// +optional
	InstanceRef *LocalObjectRef `json:"instanceRef,omitempty"`
}

// DiskStatus is what the operator observed.
type DiskStatus struct {
	// phase is Pending, Ready, Failed or Terminating; conditions say why.
	// +optional
	Phase Phase `json:"phase,omitempty"`

	// pvcName is the name of the PersistentVolumeClaim behind the disk.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	PVCName string `json:"pvcName,omitempty"`

	Observation `json:",inline"`
}

// Disk is a volume that outlives the Instance it is attached to.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,path=disks,shortName=vf-disk
// +kubebuilder:printcolumn:name="Size-Gi",type=integer,JSONPath=`.spec.sizeGi`
// +kubebuilder:printcolumn:name="Instance",type=string,JSONPath=`.spec.instanceRef.name`
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.spec) || has(self.spec)",fieldPath=".spec",message="spec cannot be removed, since a volume keeps its size and class: delete the Disk instead"
type Disk struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is what a tenant's user asks for.
	// +optional
	Spec DiskSpec `json:"spec,omitzero"`

	// status is what the operator observed; users do not write it.
	// +optional
	Status DiskStatus `json:"status,omitzero"`
}

// DiskList is a list of Disks.
//
// +kubebuilder:object:root=true
type DiskList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Disk `json:"items"`
}
