package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// NetworkSpec is what a tenant's user asks for. Overlap with other networks is judged by policy, not by this schema.
//
// +kubebuilder:validation:XValidation:rule="self.networkType != 'isolated' || size(self.cidr) > 0",fieldPath=".cidr",message="an isolated Network has an empty cidr: set spec.cidr to its range, for example 10.0.0.0/16"
// +kubebuilder:validation:XValidation:rule="!has(self.gateway) || !isIP(self.gateway) || !isCIDR(self.cidr) || (cidr(self.cidr).containsIP(ip(self.gateway)) && !(cidr(self.cidr).ip() == ip(self.gateway)))",fieldPath=".gateway",messageExpression="'gateway %s is no address of a host in %s: use one of them, for example the first after the address of the network'.format([self.gateway, self.cidr])",message="the gateway must be the address of a host in cidr"
type NetworkSpec struct {
	// name is the label shown to people; it names no object, and NICs do not refer to it.
	// +required
	// +kubebuilder:validation:MaxLength=1024
	Name string `json:"name"`

	// networkType is isolated (a layer-2 segment of its own, for this tenant) or shared (the platform's network, used by grant). It never changes, since what was made for it would be orphaned.
	// +required
	NetworkType NetworkType `json:"networkType"`

	// cidr is the range that guests get their addresses from, for example 10.0.0.0/16; it never changes. A shared Network may leave it empty when the addresses come from outside.
	// +required
	CIDR CIDR `json:"cidr"`

	// gateway is the guests' default route, an address of a host in cidr; empty means none.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self == \"\" || isIP(self)",messageExpression="'gateway \"' + self + '\" is no IP address: write one such as 10.0.0.1, without a prefix length'",message="gateway must be an IP address such as 10.0.0.1"
	Gateway string `json:"gateway,omitempty"`

	// vpcRef is the VPC, in the same namespace, that contains this Network; an empty name means none.
	// +optional
	VPCRef *LocalObjectRef `json:"vpcRef,omitempty"`

	// tags are words of the tenant's own; they are stored only.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MaxLength=1024
	Tags []string `json:"tags,omitempty"`

	// import records the system that this network was migrated from; it is stored only.
	// +optional
	Import *ImportMeta `json:"import,omitempty"`
}

// NetworkType says how far a Network reaches.
//
// +kubebuilder:validation:Enum=isolated;shared
// +kubebuilder:validation:XValidation:rule="self == oldSelf",messageExpression="'networkType ' + oldSelf + ' cannot become ' + self + ', since what was made for the network would be orphaned: create another Network, move the NICs, then delete this one'",message="networkType never changes: create another Network instead"
type NetworkType string

// The types of a Network.
const (
	// NetworkIsolated is a segment of its own.
	NetworkIsolated NetworkType = "isolated"
	// NetworkShared is the platform's network.
	NetworkShared NetworkType = "shared"
)

// NetworkStatus is what the operator observed.
type NetworkStatus struct {
	// phase is Pending, Ready, Failed or Terminating; conditions say why.
	// +optional
	Phase Phase `json:"phase,omitempty"`

	// nadNamespace is the namespace of the NetworkAttachmentDefinition.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	NADNamespace string `json:"nadNamespace,omitempty"`

	// nadName is the name of the NetworkAttachmentDefinition.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	NADName string `json:"nadName,omitempty"`

	// bridge is the bridge on each node that carries the network.
	// +optional
	// +kubebuilder:validation:MaxLength=15
	Bridge string `json:"bridge,omitempty"`

	// vlan is the 802.1Q VLAN that keeps an isolated network apart on its bridge, 1 to 4094; absent means untagged.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=4094
	VLAN int32 `json:"vlan,omitempty"`

	Observation `json:",inline"`
}

// Network is what an Instance's NIC attaches to.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,path=networks,shortName=vf-network
// +kubebuilder:printcolumn:name="Type",type=string,JSONPath=`.spec.networkType`
// +kubebuilder:printcolumn:name="CIDR",type=string,JSONPath=`.spec.cidr`
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="VLAN",type=integer,JSONPath=`.status.vlan`,priority=1
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.spec) || has(self.spec)",fieldPath=".spec",message="spec cannot be removed, since networkType and cidr never change: delete the Network instead"
type Network struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is what a tenant's user asks for.
	// +optional
	Spec NetworkSpec `json:"spec,omitzero"`

	// status is what the operator observed; users do not write it.
	// +optional
	Status NetworkStatus `json:"status,omitzero"`
}

// NetworkList is a list of Networks.
//
// +kubebuilder:object:root=true
type NetworkList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Network `json:"items"`
}
