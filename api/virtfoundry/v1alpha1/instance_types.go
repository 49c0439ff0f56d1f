package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// InstanceSpec is what a tenant's user asks for.
//
// +kubebuilder:validation:XValidation:rule="!has(self.nics) || self.nics.all(n, n.name == \"\" || self.nics.exists_one(m, m.name == n.name))",fieldPath=".nics",messageExpression="'two NICs are called \"%s\": give each a name of its own, or none'.format([self.nics.filter(n, n.name != \"\" && !self.nics.exists_one(m, m.name == n.name))[0].name])",message="two NICs have one name: give each a name of its own, or none"
type InstanceSpec struct {
	// displayName is shown to people; it names no object and may be empty.
	// +required
	// +kubebuilder:validation:MaxLength=1024
	DisplayName string `json:"displayName"`

	// offeringRef is the Offering (cluster-wide) that sizes the guest; absent means 1 CPU and 512 MiB. Another size reaches a running guest by a restart.
	// +optional
	// +kubebuilder:validation:XValidation:rule="size(self.name) > 0",fieldPath=".name",message="offeringRef names no Offering: set its name, or remove offeringRef for 1 CPU and 512 MiB"
	OfferingRef *LocalObjectRef `json:"offeringRef,omitempty"`

	// templateRef is the Template that the guest boots from: in the namespace of the Instance, else in the platform's catalogue, virtfoundry-system. An Instance without it is stored and does not start.
	// +optional
	// +kubebuilder:validation:XValidation:rule="size(self.name) > 0",fieldPath=".name",message="templateRef names no Template: set its name to a Template of this namespace or of virtfoundry-system"
	TemplateRef *LocalObjectRef `json:"templateRef,omitempty"`

	// nics are the guest's network interfaces, in the order that the guest sees. Without any, the Instance needs the annotation virtfoundry.io/allow-pod-network and the grant behind it.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	NICs []NIC `json:"nics,omitempty"`

	// sshKeyRefs are SSHKeys in the namespace of the Instance, put into the guest at its first boot; later changes do not reach it.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:XValidation:rule="size(self.name) > 0",fieldPath=".name",message="an entry of sshKeyRefs names no SSHKey: set its name, or remove the entry"
	SSHKeyRefs []LocalObjectRef `json:"sshKeyRefs,omitempty"`

	// cloudInitSecretRef is user data in a Secret in the namespace of the Instance (key default: userData); it comes before every other source.
	// +optional
	CloudInitSecretRef *SecretKeyRef `json:"cloudInitSecretRef,omitempty"`

	// cloudInitUserData is user data in clear, at most 1 MiB, readable by everyone who may read the Instance: prefer cloudInitSecretRef.
	// +optional
	// +kubebuilder:validation:MaxLength=1048576
	CloudInitUserData string `json:"cloudInitUserData,omitempty"`

	// dedicatedCPU pins each core to a processor of the node. It is granted only with an Offering that carries the label virtfoundry.io/platform-owned=true; without the grant the Instance runs unpinned.
	// +optional
	DedicatedCPU bool `json:"dedicatedCPU,omitempty"`

	// powerState is Running or Halted; empty means Running.
	// +optional
	PowerState PowerState `json:"powerState,omitempty"`

	// tags are words of the tenant's own; they are stored only.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MaxLength=1024
	Tags []string `json:"tags,omitempty"`

	// import records the system that this instance was migrated from; it is stored only.
	// +optional
	Import *ImportMeta `json:"import,omitempty"`
}

// PowerState says whether a guest runs; empty means Running.
//
// +kubebuilder:validation:Enum=Running;Halted;""
type PowerState string

// The power states.
const (
	// PowerRunning keeps the guest running.
	PowerRunning PowerState = "Running"
	// PowerHalted keeps the guest off.
	PowerHalted PowerState = "Halted"
)

// NIC attaches the guest to one Network.
type NIC struct {
	// name becomes the name of KubeVirt's interface: letters, digits, hyphens and underscores, unique in the Instance; blank means nic and the index, nic0 for the first.
	// +required
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^([a-zA-Z0-9_-]+|\s*)$')`,messageExpression=`'NIC name "' + self + '" is none that KubeVirt takes: use letters, digits, hyphens and underscores'`,message="a NIC's name has letters, digits, hyphens and underscores"
	Name string `json:"name"`

	// networkRef is the Network to attach to, by its metadata.name, in the namespace of the Instance.
	// +required
	// +kubebuilder:validation:XValidation:rule="size(self.name) > 0",fieldPath=".name",message="networkRef names no Network: set its name to the metadata.name of a Network in this namespace"
	NetworkRef LocalObjectRef `json:"networkRef"`

	// address is the address that the guest is to have on an isolated Network, as RFC 5952 writes it, for example 10.0.0.7; empty means that the smallest free one of the Network is allocated. Another address reaches the guest after it was halted.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self == \"\" || isIP(self)",messageExpression="'address \"' + self + '\" is no IP address: write one such as 10.0.0.7 without a prefix length, or leave it out to have one allocated'",message="address must be an IP address such as 10.0.0.7, or empty"
	// +kubebuilder:validation:XValidation:rule="!isIP(self) || ip.isCanonical(self)",messageExpression="'address %s is not written as RFC 5952 does: write %s'.format([self, string(ip(self))])",message="address must be written as RFC 5952 does"
	Address string `json:"address,omitempty"`
}

// InstanceStatus is what the operator observed.
type InstanceStatus struct {
	// phase is the one-word summary of the guest; conditions say why.
	// +optional
	Phase InstancePhase `json:"phase,omitempty"`

	// kubevirtName is the name of the KubeVirt VirtualMachine: shown, never read.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	KubeVirtName string `json:"kubevirtName,omitempty"`

	// ip is the guest's primary address; interfaces hold all.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	IP string `json:"ip,omitempty"`

	// errorMessage is the last error, empty when there is none.
	// +optional
	// +kubebuilder:validation:MaxLength=32768
	ErrorMessage string `json:"errorMessage,omitempty"`

	// interfaces are the guest's network interfaces with every address that KubeVirt reports.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Interfaces []InterfaceStatus `json:"interfaces,omitempty"`

	Observation `json:",inline"`
}

// InterfaceStatus is one network interface of a running guest.
type InterfaceStatus struct {
	// name is that of the NIC; empty for an interface that only the guest knows.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name,omitempty"`

	// mac is the hardware address, for example 02:00:00:12:34:56.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	MAC string `json:"mac,omitempty"`

	// ipAddresses are all its addresses, IPv4 and IPv6.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=64
	IPAddresses []string `json:"ipAddresses,omitempty"`
}

// InstancePhase is the one-word summary of an Instance.
//
// +kubebuilder:validation:Enum=Pending;Starting;Running;Stopping;Stopped;Error;Failed;Terminating;Ready
type InstancePhase string

// The phases of an Instance. Ready is only read: statuses of before say it for Running.
const (
	// InstancePending: nothing was decided yet, or a decision waits for a fact.
	InstancePending InstancePhase = "Pending"
	// InstanceStarting: the guest is being scheduled or started.
	InstanceStarting InstancePhase = "Starting"
	// InstanceRunning: the guest runs as asked.
	InstanceRunning InstancePhase = "Running"
	// InstanceStopping: the guest is being stopped.
	InstanceStopping InstancePhase = "Stopping"
	// InstanceStopped: the guest is off.
	InstanceStopped InstancePhase = "Stopped"
	// InstanceError: KubeVirt cannot run the guest, or it crashes.
	InstanceError InstancePhase = "Error"
	// InstanceFailed: a rule or grant refused, or a reference leads nowhere.
	InstanceFailed InstancePhase = "Failed"
	// InstanceTerminating: the Instance was deleted and its guest is going.
	InstanceTerminating InstancePhase = "Terminating"
)

// Instance is a virtual machine of a tenant: sized by an Offering, booted from a Template, attached to Networks.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,path=instances,shortName=vf-instance
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="IP",type=string,JSONPath=`.status.ip`
// +kubebuilder:printcolumn:name="Offering",type=string,JSONPath=`.spec.offeringRef.name`,priority=1
// +kubebuilder:printcolumn:name="Template",type=string,JSONPath=`.spec.templateRef.name`,priority=1
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="oldSelf.hasValue() || size(self.metadata.name) <= 63",optionalOldSelf=true,messageExpression="'metadata.name \"%s\" has %d characters: use at most 63, since it is the value of label virtfoundry.io/instance'.format([self.metadata.name, size(self.metadata.name)])",message="metadata.name must have at most 63 characters"
type Instance struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is what a tenant's user asks for.
	// +optional
	Spec InstanceSpec `json:"spec,omitzero"`

	// status is what the operator observed; users do not write it.
	// +optional
	Status InstanceStatus `json:"status,omitzero"`
}

// InstanceList is a list of Instances.
//
// +kubebuilder:object:root=true
type InstanceList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Instance `json:"items"`
}
