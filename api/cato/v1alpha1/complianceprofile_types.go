package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ProfileBase names one of the two built-in profiles.
//
// +kubebuilder:validation:Enum=uds;virtfoundry
type ProfileBase string

// The built-in profiles.
const (
	// BaseUDS enforces every rule; it is the default for UDSVirtualMachines.
	BaseUDS ProfileBase = "uds"
	// BaseVirtFoundry keeps what users of VirtFoundry know; it is the default in tenant namespaces.
	BaseVirtFoundry ProfileBase = "virtfoundry"
)

// ComplianceProfileSpec says by which parameters which namespaces are judged.
type ComplianceProfileSpec struct {
	// base is the built-in profile that the parameters change: uds or virtfoundry; absent chooses by the kind that is judged.
	// +optional
	Base ProfileBase `json:"base,omitempty"`

	// scope says where the profile holds; absent means everywhere.
	// +optional
	Scope ProfileScope `json:"scope,omitzero"`

	// parameters replace the built-in values one by one; what is absent keeps its built-in value.
	// +optional
	Parameters ComplianceProfileParameters `json:"parameters,omitzero"`
}

// ProfileScope says where a profile holds; for one namespace and kind the oldest profile wins.
type ProfileScope struct {
	// namespaceSelector selects namespaces by label; absent or empty selects all.
	// +optional
	NamespaceSelector *metav1.LabelSelector `json:"namespaceSelector,omitempty"`

	// kinds are the kinds that the profile holds for; absent means all.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=32
	Kinds []SubjectKind `json:"kinds,omitempty"`
}

// SubjectKind is a kind that rules judge.
//
// +kubebuilder:validation:Enum=Tenant;UDSVirtualMachine;VirtualMachine;Instance;Template;Offering;Network;VPC;IPAddress;SecurityGroup;SSHKey;Disk;DiskSnapshot;InstanceSnapshot;User;Role;APIKey;ConfigMap
type SubjectKind string

// The kinds that rules judge.
const (
	// SubjectTenant is virtfoundry.io Tenant.
	SubjectTenant SubjectKind = "Tenant"
	// SubjectUDSVirtualMachine is uds.dev UDSVirtualMachine.
	SubjectUDSVirtualMachine SubjectKind = "UDSVirtualMachine"
	// SubjectVirtualMachine is kubevirt.io VirtualMachine, also one that Cato does not manage.
	SubjectVirtualMachine SubjectKind = "VirtualMachine"
	// SubjectInstance is virtfoundry.io Instance.
	SubjectInstance SubjectKind = "Instance"
	// SubjectTemplate is virtfoundry.io Template.
	SubjectTemplate SubjectKind = "Template"
	// SubjectOffering is virtfoundry.io Offering.
	SubjectOffering SubjectKind = "Offering"
	// SubjectNetwork is virtfoundry.io Network.
	SubjectNetwork SubjectKind = "Network"
	// SubjectVPC is virtfoundry.io VPC.
	SubjectVPC SubjectKind = "VPC"
	// SubjectIPAddress is virtfoundry.io IPAddress.
	SubjectIPAddress SubjectKind = "IPAddress"
	// SubjectSecurityGroup is virtfoundry.io SecurityGroup.
	SubjectSecurityGroup SubjectKind = "SecurityGroup"
	// SubjectSSHKey is virtfoundry.io SSHKey.
	SubjectSSHKey SubjectKind = "SSHKey"
	// SubjectDisk is virtfoundry.io Disk.
	SubjectDisk SubjectKind = "Disk"
	// SubjectDiskSnapshot is virtfoundry.io DiskSnapshot.
	SubjectDiskSnapshot SubjectKind = "DiskSnapshot"
	// SubjectInstanceSnapshot is virtfoundry.io InstanceSnapshot.
	SubjectInstanceSnapshot SubjectKind = "InstanceSnapshot"
	// SubjectUser is virtfoundry.io User.
	SubjectUser SubjectKind = "User"
	// SubjectRole is virtfoundry.io Role.
	SubjectRole SubjectKind = "Role"
	// SubjectAPIKey is virtfoundry.io APIKey.
	SubjectAPIKey SubjectKind = "APIKey"
	// SubjectPlatform is the platform's configuration, ConfigMap virtfoundry-platform of the operator's namespace.
	SubjectPlatform SubjectKind = "ConfigMap"
)

// ComplianceProfileStatus is what the operator made of the profile.
type ComplianceProfileStatus struct {
	// observedGeneration is the metadata.generation that this status describes.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// conditions are Accepted and Conflict, each with reason and message.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:XValidation:rule="self.all(c, c.lastTransitionTime < timestamp('9999-12-31T23:59:59Z'))",message="lastTransitionTime must be a time as RFC 3339 writes it, such as 2027-01-31T12:00:00Z"
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// ComplianceProfile says by which parameters the namespaces in its scope are judged.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,path=complianceprofiles,shortName=cprofile
// +kubebuilder:printcolumn:name="Base",type=string,JSONPath=`.spec.base`
// +kubebuilder:printcolumn:name="Accepted",type=string,JSONPath=`.status.conditions[?(@.type=="Accepted")].status`
// +kubebuilder:printcolumn:name="Conflict",type=string,JSONPath=`.status.conditions[?(@.type=="Conflict")].status`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type ComplianceProfile struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec says by which parameters which namespaces are judged.
	// +required
	Spec ComplianceProfileSpec `json:"spec"`

	// status is what the operator made of the profile.
	// +optional
	Status ComplianceProfileStatus `json:"status,omitempty"`
}

// ComplianceProfileList is a list of ComplianceProfiles.
//
// +kubebuilder:object:root=true
type ComplianceProfileList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ComplianceProfile `json:"items"`
}
