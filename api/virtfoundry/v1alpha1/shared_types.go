package v1alpha1

// ImportMeta says where an object came from when it was migrated from another system. It is kept, never acted on.
type ImportMeta struct {
	// externalUUID is the identifier of the object in the system it was imported from.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	ExternalUUID string `json:"externalUUID,omitempty"`

	// source names the system that the object was imported from.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Source string `json:"source,omitempty"`
}
