// Package v1 holds of snapshot.storage.k8s.io/v1 the two kinds that Cato reads and writes, with the fields that it
// needs. They are served by the cluster's snapshot controller, not by Cato: no manifest is generated from them.
//
// +kubebuilder:object:generate=true
// +kubebuilder:skip
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is snapshot.storage.k8s.io/v1.
var GroupVersion = schema.GroupVersion{Group: "snapshot.storage.k8s.io", Version: "v1"}

// The kinds.
const (
	KindVolumeSnapshot      = "VolumeSnapshot"
	KindVolumeSnapshotClass = "VolumeSnapshotClass"
)

// AnnotationDefaultClass with value `true` marks the class that a driver's snapshots have without one.
const AnnotationDefaultClass = "snapshot.storage.kubernetes.io/is-default-class"

// VolumeSnapshotSource says what is kept.
type VolumeSnapshotSource struct {
	// persistentVolumeClaimName is the claim, in the same namespace, whose content is kept.
	// +optional
	PersistentVolumeClaimName *string `json:"persistentVolumeClaimName,omitempty"`

	// volumeSnapshotContentName is content that exists already.
	// +optional
	VolumeSnapshotContentName *string `json:"volumeSnapshotContentName,omitempty"`
}

// VolumeSnapshotSpec says what is kept, and how.
type VolumeSnapshotSpec struct {
	// source never changes.
	Source VolumeSnapshotSource `json:"source"`

	// volumeSnapshotClassName is the class; absent means the default one of the claim's driver.
	// +optional
	VolumeSnapshotClassName *string `json:"volumeSnapshotClassName,omitempty"`
}

// VolumeSnapshotError is why no snapshot could be made.
type VolumeSnapshotError struct {
	// +optional
	Message *string `json:"message,omitempty"`
}

// VolumeSnapshotStatus is what the snapshot controller observed.
type VolumeSnapshotStatus struct {
	// +optional
	ReadyToUse *bool `json:"readyToUse,omitempty"`
	// +optional
	Error *VolumeSnapshotError `json:"error,omitempty"`
}

// VolumeSnapshot keeps the content of a claim.
//
// +kubebuilder:object:root=true
type VolumeSnapshot struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec VolumeSnapshotSpec `json:"spec"`
	// +optional
	Status *VolumeSnapshotStatus `json:"status,omitempty"`
}

// VolumeSnapshotList is a list of VolumeSnapshots.
//
// +kubebuilder:object:root=true
type VolumeSnapshotList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []VolumeSnapshot `json:"items"`
}

// VolumeSnapshotClass says which driver keeps snapshots.
//
// +kubebuilder:object:root=true
type VolumeSnapshotClass struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// driver is the name of the CSI driver.
	Driver string `json:"driver"`
}

// VolumeSnapshotClassList is a list of VolumeSnapshotClasses.
//
// +kubebuilder:object:root=true
type VolumeSnapshotClassList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []VolumeSnapshotClass `json:"items"`
}

// AddToScheme registers the kinds with a scheme.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion, &VolumeSnapshot{}, &VolumeSnapshotList{}, &VolumeSnapshotClass{}, &VolumeSnapshotClassList{})
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}
