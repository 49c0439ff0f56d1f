package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

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

// LocalObjectRef names an object by its metadata.name, never by its display name: in the namespace of the object that refers, or cluster-wide where the kind is.
type LocalObjectRef struct {
	// name is the metadata.name of the object: lower-case letters, digits, inner hyphens and dots.
	// +required
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule=`self == "" || self.matches(r'^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')`,messageExpression=`'"' + self + '" can be the name of no object: use its metadata.name (not its display name), of lower-case letters, digits, hyphens and dots'`,message="a reference holds the metadata.name of an object: lower-case letters, digits, hyphens and dots"
	Name string `json:"name"`
}

// SecretKeyRef names one key of a Secret.
//
// +kubebuilder:validation:XValidation:rule="size(self.name) > 0",fieldPath=".name",message="the reference has an empty name: name the Secret, or remove the reference where it is optional"
type SecretKeyRef struct {
	// name is the metadata.name of the Secret.
	// +required
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule=`self == "" || self.matches(r'^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')`,messageExpression=`'"' + self + '" can be the name of no Secret: use lower-case letters, digits, hyphens and dots'`,message="the name of a Secret has lower-case letters, digits, hyphens and dots"
	Name string `json:"name"`

	// key is the key in the Secret's data; empty means what the field that refers says.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^[-._a-zA-Z0-9]*$')`,messageExpression=`'"' + self + '" can be the key of no Secret: use letters, digits, hyphens, underscores and dots'`,message="the key of a Secret has letters, digits, hyphens, underscores and dots"
	Key string `json:"key,omitempty"`
}

// CIDR is the range of a network, for example 10.0.0.0/16: IPv4 or IPv6, written from its first address. It never changes, since addresses that were given out of it would then lie in no network; the empty text, which means no range, may be filled in once.
//
// +kubebuilder:validation:MaxLength=64
// +kubebuilder:validation:XValidation:rule="self == \"\" || isCIDR(self)",messageExpression="'\"' + self + '\" is no CIDR: write an address and the length of its prefix, for example 10.0.0.0/16'",message="write an address and the length of its prefix, for example 10.0.0.0/16"
// +kubebuilder:validation:XValidation:rule="!isCIDR(self) || cidr(self).masked() == cidr(self)",messageExpression="'%s has bits beyond its prefix: write %s'.format([self, string(cidr(self).masked())])",message="a CIDR has no bits beyond its prefix"
// +kubebuilder:validation:XValidation:rule="!isCIDR(self) || cidr(self).prefixLength() <= (cidr(self).ip().family() == 4 ? 30 : 126)",messageExpression="'%s has no room for a guest beside its gateway: use a prefix of at most /%d'.format([self, cidr(self).ip().family() == 4 ? 30 : 126])",message="the prefix is too long to hold a guest: use at most /30, for IPv6 /126"
// +kubebuilder:validation:XValidation:rule="!isCIDR(self) || cidr(self).ip().isGlobalUnicast() || cidr(self).ip().isLinkLocalUnicast()",messageExpression="self + ' holds addresses that no guest can have (unspecified, loopback or multicast): use a private range such as 10.0.0.0/16'",message="unspecified, loopback and multicast addresses are for no guest: use a private range such as 10.0.0.0/16"
// +kubebuilder:validation:XValidation:rule="oldSelf == \"\" || self == oldSelf",messageExpression="'the range %s cannot become \"%s\", since addresses were given out of it: create another object with that range instead'.format([oldSelf, self])",message="the range never changes: create another object instead"
type CIDR string

// Timestamp is a time as RFC 3339 writes it, for example 2027-01-31T12:00:00Z.
//
// It is text, not metav1.Time: the API server's date-time also admits what time.Parse does not, such as a
// lower-case `t`, and one such stored object would make the typed decode of a whole list fail and blind the
// watch behind it.
//
// +kubebuilder:validation:Format=date-time
// +kubebuilder:validation:MaxLength=64
// +kubebuilder:validation:Pattern=`^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})$`
type Timestamp string

// Phase is the one-word summary of an object; conditions say why.
//
// +kubebuilder:validation:Enum=Pending;Ready;Failed;Terminating
type Phase string

// The phases of every kind but Tenant and Instance, which have their own.
const (
	// PhasePending: nothing was decided yet, or a decision waits for a fact.
	PhasePending Phase = "Pending"
	// PhaseReady: everything that the object stands for is as it should be.
	PhaseReady Phase = "Ready"
	// PhaseFailed: a rule or grant refused, or the cluster cannot do what is asked.
	PhaseFailed Phase = "Failed"
	// PhaseTerminating: the object was deleted and what was made for it is going.
	PhaseTerminating Phase = "Terminating"
)

// Observation is what the status of each kind says besides its phase.
type Observation struct {
	// observedGeneration is the metadata.generation that this status describes.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// policyRevision is the revision of the policy bundle that judged the object last.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	PolicyRevision string `json:"policyRevision,omitempty"`

	// conditions are Ready, PolicyAllowed and what else the kind has, each with reason and message.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:XValidation:rule="self.all(c, c.lastTransitionTime < timestamp('9999-12-31T23:59:59Z'))",message="lastTransitionTime must be a time as RFC 3339 writes it, such as 2027-01-31T12:00:00Z"
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// ObjectStatus is the status of a kind that shows a phase and no more.
type ObjectStatus struct {
	// phase is Pending, Ready, Failed or Terminating; conditions say why.
	// +optional
	Phase Phase `json:"phase,omitempty"`

	Observation `json:",inline"`
}
