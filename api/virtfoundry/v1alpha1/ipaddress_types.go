package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// IPAddressSpec claims one address of a Network. That it lies in the Network and is claimed once is judged by policy, not by this schema.
//
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.address) || oldSelf.address == \"\" || (has(self.address) && self.address == oldSelf.address)",fieldPath=".address",messageExpression="'address %s cannot become \"%s\", since it is claimed by this object: delete it and create another IPAddress instead'.format([oldSelf.address, has(self.address) ? self.address : \"\"])",message="a claimed address never changes: delete the IPAddress and create another"
type IPAddressSpec struct {
	// networkRef is the Network, in the same namespace, that the address belongs to; it never changes.
	// +required
	// +kubebuilder:validation:XValidation:rule="size(self.name) > 0",fieldPath=".name",message="networkRef names no Network: set its name to the metadata.name of a Network in this namespace"
	// +kubebuilder:validation:XValidation:rule="self.name == oldSelf.name",fieldPath=".name",messageExpression="'networkRef \"%s\" cannot become \"%s\", since the address is claimed in it: create another IPAddress instead'.format([oldSelf.name, self.name])",message="networkRef never changes: create another IPAddress instead"
	NetworkRef LocalObjectRef `json:"networkRef"`

	// address is the claimed address, for example 10.0.0.7, as RFC 5952 writes it; once set it never changes. Empty means that the smallest free address of the Network is filled in.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self == \"\" || isIP(self)",messageExpression="'address \"' + self + '\" is no IP address: write one such as 10.0.0.7 without a prefix length, or leave it empty to have one allocated'",message="address must be an IP address such as 10.0.0.7, or empty"
	// +kubebuilder:validation:XValidation:rule="!isIP(self) || ip.isCanonical(self)",messageExpression="'address %s is not written as RFC 5952 does, so a second claim of it could not be seen: write %s'.format([self, string(ip(self))])",message="address must be written as RFC 5952 does"
	// +kubebuilder:validation:XValidation:rule="!isIP(self) || ip(self).isGlobalUnicast() || ip(self).isLinkLocalUnicast()",messageExpression="'address ' + self + ' is one that no guest can have (unspecified, loopback or multicast): use one of the Network'",message="no guest can have an unspecified, loopback or multicast address"
	Address string `json:"address,omitempty"`
}

// IPAddressStatus is what the operator observed.
type IPAddressStatus struct {
	// phase is Pending, Ready, Failed or Terminating; conditions say why.
	// +optional
	Phase Phase `json:"phase,omitempty"`

	// instanceNicRef is the NIC that uses the address, as <instance>/<nic>; empty means free.
	// +optional
	// +kubebuilder:validation:MaxLength=507
	InstanceNICRef string `json:"instanceNicRef,omitempty"`

	Observation `json:",inline"`
}

// IPAddress is one address of a Network, claimed by this very object.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,path=ipaddresses,shortName=vf-ip
// +kubebuilder:printcolumn:name="Address",type=string,JSONPath=`.spec.address`
// +kubebuilder:printcolumn:name="Network",type=string,JSONPath=`.spec.networkRef.name`
// +kubebuilder:printcolumn:name="NIC",type=string,JSONPath=`.status.instanceNicRef`
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.spec) || has(self.spec)",fieldPath=".spec",message="spec cannot be removed, since it claims an address: delete the IPAddress instead"
type IPAddress struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec claims one address.
	// +optional
	Spec IPAddressSpec `json:"spec,omitzero"`

	// status is what the operator observed; users do not write it.
	// +optional
	Status IPAddressStatus `json:"status,omitzero"`
}

// IPAddressList is a list of IPAddresses.
//
// +kubebuilder:object:root=true
type IPAddressList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []IPAddress `json:"items"`
}
