// Package v1 holds of k8s.cni.cncf.io/v1 the one kind that Cato reads and writes (Network Custom Resource Definition
// De-facto Standard, version 1). It is served by Multus, not by Cato: no manifest is generated from it.
//
// +kubebuilder:object:generate=true
// +kubebuilder:skip
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is k8s.cni.cncf.io/v1.
var GroupVersion = schema.GroupVersion{Group: "k8s.cni.cncf.io", Version: "v1"}

// KindNetworkAttachmentDefinition is the kind that pods attach to by annotation.
const KindNetworkAttachmentDefinition = "NetworkAttachmentDefinition"

// ResourceNetworkAttachmentDefinitions is its resource, as rights name it.
const ResourceNetworkAttachmentDefinitions = "network-attachment-definitions.k8s.cni.cncf.io"

// NetworkAttachmentDefinitionSpec holds a CNI configuration.
type NetworkAttachmentDefinitionSpec struct {
	// config is a CNI configuration (plugin or plugin list) as JSON; empty means a file of the node.
	// +optional
	Config string `json:"config,omitempty"`
}

// NetworkAttachmentDefinition is a network that pods can be attached to.
//
// +kubebuilder:object:root=true
type NetworkAttachmentDefinition struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec holds a CNI configuration.
	// +optional
	Spec NetworkAttachmentDefinitionSpec `json:"spec,omitempty"`
}

// NetworkAttachmentDefinitionList is a list of NetworkAttachmentDefinitions.
//
// +kubebuilder:object:root=true
type NetworkAttachmentDefinitionList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []NetworkAttachmentDefinition `json:"items"`
}

// AddToScheme registers the kind with a scheme.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion, &NetworkAttachmentDefinition{}, &NetworkAttachmentDefinitionList{})
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}
