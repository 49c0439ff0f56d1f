package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// APIKeySpec is a key to the product's REST API. The key's hash is never in the spec.
type APIKeySpec struct {
	// userRef is the User that the key acts for.
	// +required
	// +kubebuilder:validation:XValidation:rule="size(self.name) > 0",fieldPath=".name",message="userRef names no User: set its name to the metadata.name of a User"
	UserRef LocalObjectRef `json:"userRef"`

	// name is the label shown to people; it names no object.
	// +required
	// +kubebuilder:validation:MaxLength=1024
	Name string `json:"name"`

	// prefix is the start of the key, by which people tell keys apart; it is no secret.
	// +required
	// +kubebuilder:validation:MaxLength=253
	Prefix string `json:"prefix"`

	// scopes are the permissions that the key is limited to, in words of the REST API.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=1024
	// +kubebuilder:validation:items:MaxLength=1024
	Scopes []string `json:"scopes,omitempty"`

	// expiresAt is when the key ends, for example 2027-01-31T12:00:00Z; absent means never, which is a finding.
	// +optional
	ExpiresAt Timestamp `json:"expiresAt,omitempty"`

	// secretRef is the Secret in the namespace of the APIKey, by custom vf-apikey-<name>, that holds the hash of the key (key default: secret_hash).
	// +required
	SecretRef SecretKeyRef `json:"secretRef"`
}

// APIKeyStatus is what the REST API and the operator observed.
type APIKeyStatus struct {
	// phase is Pending, Ready, Failed or Terminating; conditions say why.
	// +optional
	Phase Phase `json:"phase,omitempty"`

	// lastUsedAt is when the key was used last, as RFC 3339 writes it.
	// +optional
	LastUsedAt Timestamp `json:"lastUsedAt,omitempty"`

	// revokedAt is when the key was revoked, as RFC 3339 writes it; absent means that it was not.
	// +optional
	RevokedAt Timestamp `json:"revokedAt,omitempty"`

	Observation `json:",inline"`
}

// APIKey is a key to the product's REST API; Cato serves and judges it and makes nothing from it.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,path=apikeys,shortName=vf-apikey
// +kubebuilder:printcolumn:name="User",type=string,JSONPath=`.spec.userRef.name`
// +kubebuilder:printcolumn:name="Prefix",type=string,JSONPath=`.spec.prefix`
// +kubebuilder:printcolumn:name="Expires",type=string,JSONPath=`.spec.expiresAt`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type APIKey struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is a key to the REST API.
	// +optional
	Spec APIKeySpec `json:"spec,omitzero"`

	// status is what the REST API and the operator observed; users do not write it.
	// +optional
	Status APIKeyStatus `json:"status,omitzero"`
}

// APIKeyList is a list of APIKeys.
//
// +kubebuilder:object:root=true
type APIKeyList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []APIKey `json:"items"`
}
