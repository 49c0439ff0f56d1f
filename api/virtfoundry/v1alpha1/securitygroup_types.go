package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// SecurityGroupSpec is what a tenant's user asks for.
type SecurityGroupSpec struct {
	// name is the label shown to people; it names no object.
	// +required
	// +kubebuilder:validation:MaxLength=1024
	Name string `json:"name"`

	// description says what the group is for; it is stored only.
	// +optional
	// +kubebuilder:validation:MaxLength=4096
	Description string `json:"description,omitempty"`

	// vpcRef is the VPC, in the same namespace, that the group is meant for; an empty name means none.
	// +optional
	VPCRef *LocalObjectRef `json:"vpcRef,omitempty"`

	// tags are words of the tenant's own; they are stored only.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MaxLength=1024
	Tags []string `json:"tags,omitempty"`

	// rules are what is let through; a direction without a rule lets nothing through. They hold on the pod network only: no NetworkPolicy reaches the Networks of NICs.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=512
	Rules []SecurityRule `json:"rules,omitempty"`
}

// SecurityRule lets one kind of traffic through. Ports are read with tcp and udp only.
//
// +kubebuilder:validation:XValidation:rule="self.protocol == 'icmp' || !has(self.portFrom) || (self.portFrom >= 0 && self.portFrom <= 65535)",fieldPath=".portFrom",messageExpression="'portFrom %d is out of bounds: use 1 to 65535, or none for every port'.format([self.portFrom])",message="portFrom must be at most 65535"
// +kubebuilder:validation:XValidation:rule="self.protocol == 'icmp' || !has(self.portTo) || (self.portTo >= 0 && self.portTo <= 65535)",fieldPath=".portTo",messageExpression="'portTo %d is out of bounds: use 1 to 65535, or none for the single port'.format([self.portTo])",message="portTo must be at most 65535"
// +kubebuilder:validation:XValidation:rule="self.protocol == 'icmp' || !has(self.portTo) || self.portTo <= 0 || has(self.portFrom)",fieldPath=".portFrom",reason=FieldValueRequired,messageExpression="'portTo %d ends a range that has no start: set portFrom as well'.format([self.portTo])",message="portTo needs portFrom"
// +kubebuilder:validation:XValidation:rule="self.protocol == 'icmp' || !has(self.portTo) || self.portTo <= 0 || !has(self.portFrom) || self.portFrom <= self.portTo",fieldPath=".portTo",messageExpression="'portTo %d lies below portFrom %d: raise it to at least portFrom'.format([self.portTo, self.portFrom])",message="portTo must not lie below portFrom"
type SecurityRule struct {
	// direction is ingress (to the guest) or egress (from the guest).
	// +required
	Direction Direction `json:"direction"`

	// protocol is tcp, udp or icmp. A NetworkPolicy cannot name icmp, so the operator says in a condition what such a rule comes to.
	// +required
	Protocol RuleProtocol `json:"protocol"`

	// portFrom is the port, or the first of a range; absent, or 0 without portTo, means every port.
	// +optional
	PortFrom *int64 `json:"portFrom,omitempty"`

	// portTo is the last port of a range; absent or 0 means the single port.
	// +optional
	PortTo *int64 `json:"portTo,omitempty"`

	// cidr is the other side: where ingress comes from, where egress goes to; 0.0.0.0/0 is everywhere in IPv4.
	// +required
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="isCIDR(self)",messageExpression="isIP(self) ? 'cidr %s is an address: write %s/%s for that one host'.format([self, self, ip(self).family() == 4 ? '32' : '128']) : 'cidr \"' + self + '\" is no CIDR: write an address and the length of its prefix, for example 10.0.0.0/16'",message="cidr must be an address and the length of its prefix, for example 10.0.0.0/16"
	CIDR string `json:"cidr"`
}

// Direction is the direction of traffic as the guest sees it.
//
// +kubebuilder:validation:Enum=ingress;egress
type Direction string

// The directions.
const (
	// DirectionIngress is traffic to the guest.
	DirectionIngress Direction = "ingress"
	// DirectionEgress is traffic from the guest.
	DirectionEgress Direction = "egress"
)

// RuleProtocol is the protocol of a SecurityRule.
//
// +kubebuilder:validation:Enum=tcp;udp;icmp
type RuleProtocol string

// The protocols of a SecurityRule.
const (
	// RuleTCP is TCP.
	RuleTCP RuleProtocol = "tcp"
	// RuleUDP is UDP.
	RuleUDP RuleProtocol = "udp"
	// RuleICMP is ICMP, which has no ports.
	RuleICMP RuleProtocol = "icmp"
)

// SecurityGroupStatus is what the operator observed.
type SecurityGroupStatus struct {
	// phase is Pending, Ready, Failed or Terminating; conditions say why.
	// +optional
	Phase Phase `json:"phase,omitempty"`

	// networkPolicyName is the name of the NetworkPolicy that carries the rules.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	NetworkPolicyName string `json:"networkPolicyName,omitempty"`

	Observation `json:",inline"`
}

// SecurityGroup is a set of rules for the traffic of guests on the pod network.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,path=securitygroups,shortName=vf-sg
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="NetworkPolicy",type=string,JSONPath=`.status.networkPolicyName`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type SecurityGroup struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is what a tenant's user asks for.
	// +optional
	Spec SecurityGroupSpec `json:"spec,omitzero"`

	// status is what the operator observed; users do not write it.
	// +optional
	Status SecurityGroupStatus `json:"status,omitzero"`
}

// SecurityGroupList is a list of SecurityGroups.
//
// +kubebuilder:object:root=true
type SecurityGroupList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []SecurityGroup `json:"items"`
}
