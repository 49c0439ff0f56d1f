package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TenantSpec is what a platform administrator asks for.
type TenantSpec struct {
	// name is the display name of the tenant; it names no object.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	Name string `json:"name"`

	// slug becomes the tenant's namespace, virtfoundry-tenant-<slug>: lower-case letters, digits and inner hyphens, at most 44 characters, unique among Tenants, never changed.
	// +required
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",messageExpression="'slug \"' + self + '\" is no valid part of a namespace name: use lower-case letters, digits and inner hyphens'",message="slug must consist of lower-case letters, digits and inner hyphens"
	// +kubebuilder:validation:XValidation:rule="size(self) <= 44",messageExpression="'slug \"%s\" has %d characters: shorten it to at most 44, so that virtfoundry-tenant-<slug> fits into 63'.format([self, size(self)])",message="slug must have at most 44 characters"
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",messageExpression="'slug \"' + oldSelf + '\" cannot become \"' + self + '\": it names the namespace; create another Tenant instead'",message="slug is immutable: create another Tenant instead"
	Slug string `json:"slug"`

	// import records the system that this tenant was migrated from; it is stored only.
	// +optional
	Import *ImportMeta `json:"import,omitempty"`
}

// TenantStatus is what the operator observed.
type TenantStatus struct {
	// phase is Pending, Ready, Failed or Terminating; conditions say why.
	// +optional
	Phase TenantPhase `json:"phase,omitempty"`

	// namespace is the namespace that belongs to this tenant.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Namespace string `json:"namespace,omitempty"`

	// observedGeneration is the metadata.generation that this status describes.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// policyRevision is the revision of the policy bundle that judged the tenant last.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	PolicyRevision string `json:"policyRevision,omitempty"`

	// conditions are Ready, PolicyAllowed and Isolated, each with reason and message.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:XValidation:rule="self.all(c, c.lastTransitionTime < timestamp('9999-12-31T23:59:59Z'))",message="lastTransitionTime must be a time as RFC 3339 writes it, such as 2027-01-31T12:00:00Z"
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// TenantPhase is the one-word summary of a Tenant.
//
// +kubebuilder:validation:Enum=Pending;Ready;Failed;Terminating
type TenantPhase string

// The phases of a Tenant.
const (
	// TenantPending: nothing was decided yet, or a decision waits for a fact.
	TenantPending TenantPhase = "Pending"
	// TenantReady: the namespace and its isolation objects are as they should be.
	TenantReady TenantPhase = "Ready"
	// TenantFailed: a rule or grant refused; condition PolicyAllowed names it.
	TenantFailed TenantPhase = "Failed"
	// TenantTerminating: the Tenant was deleted and its namespace is going.
	TenantTerminating TenantPhase = "Terminating"
)

// Tenant is an organisation with a namespace of its own, isolated by network policy, quota and limits.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,path=tenants,shortName=vf-tenant
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Namespace",type=string,JSONPath=`.status.namespace`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type Tenant struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is what a platform administrator asks for.
	// +required
	Spec TenantSpec `json:"spec"`

	// status is what the operator observed; users do not write it.
	// +optional
	Status TenantStatus `json:"status,omitempty"`
}

// TenantList is a list of Tenants.
//
// +kubebuilder:object:root=true
type TenantList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Tenant `json:"items"`
}
