package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// UserSpec is an account of the product's REST API. The password's hash is never in the spec.
type UserSpec struct {
	// username is what the user logs in with; the REST API keeps it unique.
	// +required
	// +kubebuilder:validation:MaxLength=1024
	Username string `json:"username"`

	// email is where the user is written to; it is stored only.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Email string `json:"email,omitempty"`

	// roleRef is the Role that lists the user's permissions; it makes no Kubernetes RBAC.
	// +required
	// +kubebuilder:validation:XValidation:rule="size(self.name) > 0",fieldPath=".name",message="roleRef names no Role: set its name to the metadata.name of a Role"
	RoleRef LocalObjectRef `json:"roleRef"`

	// tenantRef is the Tenant that the user belongs to; absent means a user of the platform, above all tenants.
	// +optional
	// +kubebuilder:validation:XValidation:rule="size(self.name) > 0",fieldPath=".name",message="tenantRef names no Tenant: set its name, or remove tenantRef to make this a user of the platform"
	TenantRef *LocalObjectRef `json:"tenantRef,omitempty"`

	// state is the state of the account in the REST API's words, for example enabled.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	State string `json:"state,omitempty"`

	// secretRef is the Secret in virtfoundry-system, by custom vf-user-<name>, that holds the hash of the password (key default: password_hash).
	// +required
	SecretRef SecretKeyRef `json:"secretRef"`
}

// User is an account of the product's REST API; Cato serves and judges it and makes nothing from it.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,path=users,shortName=vf-user
// +kubebuilder:printcolumn:name="Username",type=string,JSONPath=`.spec.username`
// +kubebuilder:printcolumn:name="Tenant",type=string,JSONPath=`.spec.tenantRef.name`
// +kubebuilder:printcolumn:name="Role",type=string,JSONPath=`.spec.roleRef.name`
// +kubebuilder:printcolumn:name="State",type=string,JSONPath=`.spec.state`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type User struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is the account.
	// +optional
	Spec UserSpec `json:"spec,omitzero"`

	// status is what the operator observed; users do not write it.
	// +optional
	Status ObjectStatus `json:"status,omitzero"`
}

// UserList is a list of Users.
//
// +kubebuilder:object:root=true
type UserList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []User `json:"items"`
}
