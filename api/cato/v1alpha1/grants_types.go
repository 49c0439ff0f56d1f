package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Grants permit what is privileged. A Rego grant reads them; what no grant gives is not given.
type Grants struct {
	// dedicatedCPU lets the VMs of the selected namespaces pin processors.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	DedicatedCPU []NamespaceGrant `json:"dedicatedCPU,omitempty"`

	// egress opens destinations beyond cluster DNS.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Egress []EgressGrant `json:"egress,omitempty"`

	// secondaryNetworks lets VMs onto networks that go around NetworkPolicy.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	SecondaryNetworks []NetworkGrant `json:"secondaryNetworks,omitempty"`

	// crossNamespaceSources lets VMs use images, Secrets and networks of other namespaces. A namespace with the label cato.dev/golden-catalogue=true needs no entry for its images.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	CrossNamespaceSources []SourceGrant `json:"crossNamespaceSources,omitempty"`

	// sharedNetworks let Instances attach to shared Networks of another namespace, such as virtfoundry-system/public.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	SharedNetworks []NetworkGrant `json:"sharedNetworks,omitempty"`

	// securityGroups let SecurityGroups open what the isolation of their tenant keeps closed.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	SecurityGroups []SecurityGroupGrant `json:"securityGroups,omitempty"`
}

// SecurityGroupGrant permits the SecurityGroups of the selected namespaces to open address blocks.
type SecurityGroupGrant struct {
	// namespaceSelector selects the namespaces that are permitted; an empty selector selects all.
	// +required
	NamespaceSelector metav1.LabelSelector `json:"namespaceSelector"`

	// cidrs are the other sides; a rule may name these or parts of them, in either direction, with every port.
	// +required
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=64
	CIDRs []string `json:"cidrs"`

	// reason says why, for the assessor; it is shown with every verdict that rests on this grant.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	Reason string `json:"reason"`
}

// NamespaceGrant permits something to all VMs of the selected namespaces.
type NamespaceGrant struct {
	// namespaceSelector selects the namespaces that are permitted; an empty selector selects all.
	// +required
	NamespaceSelector metav1.LabelSelector `json:"namespaceSelector"`

	// reason says why, for the assessor; it is shown with every verdict that rests on this grant.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	Reason string `json:"reason"`
}

// EgressGrant permits destinations to the VMs of the selected namespaces.
type EgressGrant struct {
	// namespaceSelector selects the namespaces that are permitted; an empty selector selects all.
	// +required
	NamespaceSelector metav1.LabelSelector `json:"namespaceSelector"`

	// cidrs are the destinations; a VM may ask for these or for parts of them.
	// +required
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=64
	CIDRs []string `json:"cidrs"`

	// ports are the ports that may be asked for; absent means every port and protocol.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Ports []GrantPort `json:"ports,omitempty"`

	// reason says why, for the assessor; it is shown with every verdict that rests on this grant.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	Reason string `json:"reason"`
}

// Protocol is a transport protocol.
//
// +kubebuilder:validation:Enum=TCP;UDP;SCTP
type Protocol string

// ProtocolTCP is the protocol of a GrantPort that names none.
const ProtocolTCP Protocol = "TCP"

// GrantPort is a port or a range of ports of one protocol.
//
// +kubebuilder:validation:XValidation:rule="!has(self.endPort) || self.endPort >= self.port",fieldPath=".endPort",messageExpression="'endPort %d lies below port %d: raise it to at least the port'.format([self.endPort, self.port])",message="endPort must not lie below port"
type GrantPort struct {
	// protocol is TCP (default), UDP or SCTP.
	// +optional
	// +kubebuilder:default=TCP
	Protocol Protocol `json:"protocol,omitempty"`

	// port is the port, or the first of a range.
	// +required
	// +kubebuilder:validation:XValidation:rule="self >= 1 && self <= 65535",messageExpression="'port %d is out of bounds: use 1 to 65535'.format([self])",message="port must be 1 to 65535"
	Port int32 `json:"port"`

	// endPort is the last port of a range; absent means the single port.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self >= 1 && self <= 65535",messageExpression="'endPort %d is out of bounds: use 1 to 65535'.format([self])",message="endPort must be 1 to 65535"
	EndPort *int32 `json:"endPort,omitempty"`
}

// NetworkGrant permits secondary networks to the VMs of the selected namespaces.
type NetworkGrant struct {
	// namespaceSelector selects the namespaces that are permitted; an empty selector selects all.
	// +required
	NamespaceSelector metav1.LabelSelector `json:"namespaceSelector"`

	// networks are the NetworkAttachmentDefinitions or, for sharedNetworks, the Networks, each <namespace>/<name>.
	// +required
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=317
	Networks []string `json:"networks"`

	// reason says why, for the assessor; it is shown with every verdict that rests on this grant.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	Reason string `json:"reason"`
}

// SourceGrant permits the VMs of the selected namespaces to use objects of others.
type SourceGrant struct {
	// namespaceSelector selects the namespaces that are permitted; an empty selector selects all.
	// +required
	NamespaceSelector metav1.LabelSelector `json:"namespaceSelector"`

	// sourceNamespaces are the namespaces whose objects may be used.
	// +required
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=63
	SourceNamespaces []string `json:"sourceNamespaces"`

	// reason says why, for the assessor; it is shown with every verdict that rests on this grant.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	Reason string `json:"reason"`
}
