package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// VPCSpec is what a tenant's user asks for.
type VPCSpec struct {
	// name is the label shown to people; it names no object.
	// +required
	// +kubebuilder:validation:MaxLength=1024
	Name string `json:"name"`

	// cidr is the range that the ranges of the VPC's Networks lie in, for example 10.0.0.0/16; it never changes. Empty means no common range.
	// +required
	CIDR CIDR `json:"cidr"`

	// tags are words of the tenant's own; they are stored only.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MaxLength=1024
	Tags []string `json:"tags,omitempty"`

	// import records the system that this VPC was migrated from; it is stored only.
	// +optional
	Import *ImportMeta `json:"import,omitempty"`
}

// VPCStatus is what the operator observed.
type VPCStatus struct {
	// phase is Pending, Ready, Failed or Terminating; conditions say why.
	// +optional
	Phase Phase `json:"phase,omitempty"`

	// namespace is the namespace that holds the VPC's Networks.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Namespace string `json:"namespace,omitempty"`

	Observation `json:",inline"`
}

// VPC is a container of Networks with one plan of addresses.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,path=vpcs,shortName=vf-vpc
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Namespace",type=string,JSONPath=`.status.namespace`
// +kubebuilder:printcolumn:name="CIDR",type=string,JSONPath=`.spec.cidr`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.spec) || has(self.spec)",fieldPath=".spec",message="spec cannot be removed, since its cidr never changes: delete the VPC instead"
type VPC struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is what a tenant's user asks for.
	// +optional
	Spec VPCSpec `json:"spec,omitzero"`

	// status is what the operator observed; users do not write it.
	// +optional
	Status VPCStatus `json:"status,omitzero"`
}

// VPCList is a list of VPCs.
//
// +kubebuilder:object:root=true
type VPCList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []VPC `json:"items"`
}
