package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// RoleSpec is a set of permissions of the product's REST API.
type RoleSpec struct {
	// description says what the role is for; it is stored only.
	// +optional
	// +kubebuilder:validation:MaxLength=4096
	Description string `json:"description,omitempty"`

	// isSystem marks a role that the product brings.
	// +optional
	IsSystem bool `json:"isSystem,omitempty"`

	// permissions are words of the REST API, for example instances:read; one that covers everything is a finding. They make no Kubernetes RBAC.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=1024
	// +kubebuilder:validation:items:MaxLength=1024
	Permissions []string `json:"permissions,omitempty"`
}

// Role is a set of permissions of the product's REST API; Cato serves and judges it and makes nothing from it.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,path=roles,shortName=vf-role
// +kubebuilder:printcolumn:name="System",type=boolean,JSONPath=`.spec.isSystem`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type Role struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is a set of permissions.
	// +optional
	Spec RoleSpec `json:"spec,omitzero"`

	// status is what the operator observed; users do not write it.
	// +optional
	Status ObjectStatus `json:"status,omitzero"`
}

// RoleList is a list of Roles.
//
// +kubebuilder:object:root=true
type RoleList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Role `json:"items"`
}
