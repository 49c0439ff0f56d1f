package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// OfferingSpec is a size that instances can have.
type OfferingSpec struct {
	// displayName is shown to people; it names no object and may be empty.
	// +required
	// +kubebuilder:validation:MaxLength=1024
	DisplayName string `json:"displayName"`

	// cpu is the number of virtual cores, 1 to 256.
	// +required
	// +kubebuilder:validation:XValidation:rule="self >= 1 && self <= 256",messageExpression="'cpu %d is out of bounds: use 1 to 256 cores'.format([self])",message="cpu must be 1 to 256 cores"
	CPU int32 `json:"cpu"`

	// memoryMi is the guest's memory in MiB, 64 to 1048576 (1 TiB).
	// +required
	// +kubebuilder:validation:XValidation:rule="self >= 64 && self <= 1048576",messageExpression="'memoryMi %d is out of bounds: use 64 to 1048576 MiB'.format([self])",message="memoryMi must be 64 to 1048576 MiB"
	MemoryMi int64 `json:"memoryMi"`

	// dedicatedCPU pins each core to a processor of the node. It is granted only if the Offering carries the label virtfoundry.io/platform-owned=true.
	// +optional
	DedicatedCPU bool `json:"dedicatedCPU,omitempty"`

	// storageTags are words for storage, separated by commas; they are stored only.
	// +optional
	// +kubebuilder:validation:MaxLength=4096
	StorageTags string `json:"storageTags,omitempty"`

	// import records the system that this offering was migrated from; it is stored only.
	// +optional
	Import *ImportMeta `json:"import,omitempty"`
}

// Offering is a size of the catalogue: cores and memory that an Instance asks for by name.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,path=offerings,shortName=vf-offering
// +kubebuilder:printcolumn:name="CPU",type=integer,JSONPath=`.spec.cpu`
// +kubebuilder:printcolumn:name="Memory-Mi",type=integer,JSONPath=`.spec.memoryMi`
// +kubebuilder:printcolumn:name="Dedicated",type=boolean,JSONPath=`.spec.dedicatedCPU`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type Offering struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the size.
	// +optional
	Spec OfferingSpec `json:"spec,omitzero"`

	// status is what the operator observed; users do not write it.
	// +optional
	Status ObjectStatus `json:"status,omitzero"`
}

// OfferingList is a list of Offerings.
//
// +kubebuilder:object:root=true
type OfferingList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Offering `json:"items"`
}
