package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"cato.dev/cato/api/quantity"
)

// UDSVirtualMachineSpec is what a user asks for. Bounds of quantities and the form of checksums are judged by policy, not by this schema.
//
// +kubebuilder:validation:XValidation:rule="!(self.sourceType in ['http', 'registry']) || (has(self.url) && size(self.url) > 0)",fieldPath=".url",reason=FieldValueRequired,messageExpression="'sourceType ' + self.sourceType + ' has no url: set spec.url to the image to import'",message="sourceType http and registry need spec.url"
// +kubebuilder:validation:XValidation:rule="!(self.sourceType in ['upload', 'blank']) || !has(self.url) || size(self.url) == 0",fieldPath=".url",reason=FieldValueForbidden,messageExpression="'sourceType ' + self.sourceType + ' reads no url: remove spec.url, or set sourceType to http or registry'",message="sourceType upload and blank take no spec.url"
// +kubebuilder:validation:XValidation:rule="self.sourceType != 'dataSource' || has(self.dataSourceRef)",fieldPath=".dataSourceRef",reason=FieldValueRequired,message="sourceType dataSource has no dataSourceRef: set spec.dataSourceRef to the DataSource to clone"
// +kubebuilder:validation:XValidation:rule="self.sourceType != 'pvc' || has(self.pvcRef)",fieldPath=".pvcRef",reason=FieldValueRequired,message="sourceType pvc has no pvcRef: set spec.pvcRef to the claim to clone"
// +kubebuilder:validation:XValidation:rule="!has(self.windows) || (has(self.osType) && self.osType == 'windows')",fieldPath=".windows",reason=FieldValueForbidden,messageExpression="'osType ' + (has(self.osType) ? self.osType : 'linux') + ' takes no windows settings: remove spec.windows, or set osType to windows'",message="spec.windows needs osType windows"
type UDSVirtualMachineSpec struct {
	// osType is the family of the guest's operating system: linux (default) or windows.
	// +optional
	// +kubebuilder:default=linux
	OSType OSType `json:"osType,omitempty"`

	// runStrategy says when the guest runs: Always (default), Halted, RerunOnFailure or Manual; power commands move it between Always and Halted.
	// +optional
	// +kubebuilder:default=Always
	RunStrategy RunStrategy `json:"runStrategy,omitempty"`

	// cpu sizes the virtual processors.
	// +optional
	// +kubebuilder:default={}
	CPU CPU `json:"cpu,omitzero"`

	// memory is the guest's memory, for example 4Gi; policy bounds it to 64Mi..1Ti.
	// +required
	Memory quantity.Text `json:"memory"`

	// sourceType says where the root disk comes from: upload, http, registry, dataSource, pvc or blank.
	// +required
	SourceType SourceType `json:"sourceType"`

	// url is the image to import for sourceType http (https://…) and registry (docker://…@sha256:…); it must carry no credentials.
	// +optional
	// +kubebuilder:validation:MaxLength=4096
	URL string `json:"url,omitempty"`

	// checksum is the digest of the transferred file, sha256:<64 hex>; policy requires it for http and upload.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Checksum string `json:"checksum,omitempty"`

	// contentChecksum is the digest of the raw disk's first virtual-size bytes, sha256:<64 hex>, as `uds-vmctl prep` prints it; Cato verifies the disk with it before first boot.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	ContentChecksum string `json:"contentChecksum,omitempty"`

	// dataSourceRef is the CDI DataSource to clone for sourceType dataSource.
	// +optional
	DataSourceRef *ObjectRef `json:"dataSourceRef,omitempty"`

	// pvcRef is the PersistentVolumeClaim to clone for sourceType pvc.
	// +optional
	PVCRef *ObjectRef `json:"pvcRef,omitempty"`

	// diskSize is the virtual size of the root disk, not of its claim: the claim also holds the file system's overhead.
	// +optional
	DiskSize quantity.Text `json:"diskSize,omitempty"`

	// storageClassName is the StorageClass of the root disk; absent means the cluster's default class.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	StorageClassName *string `json:"storageClassName,omitempty"`

	// volumeMode is Filesystem or Block; absent leaves it to CDI's storage profile.
	// +optional
	// +kubebuilder:validation:Enum=Filesystem;Block
	VolumeMode corev1.PersistentVolumeMode `json:"volumeMode,omitempty"`

	// accessModes are the access modes of the root disk's claim; absent leaves them to CDI's storage profile.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=4
	// +kubebuilder:validation:items:Enum=ReadWriteOnce;ReadOnlyMany;ReadWriteMany;ReadWriteOncePod
	AccessModes []corev1.PersistentVolumeAccessMode `json:"accessModes,omitempty"`

	// dataDisks are further disks, each with a name of its own.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=64
	DataDisks []DataDisk `json:"dataDisks,omitempty"`

	// guest is merged into the hardened cloud-init of a linux guest; hardening always wins.
	// +optional
	Guest *Guest `json:"guest,omitempty"`

	// windows configures the unattended setup of a windows guest.
	// +optional
	Windows *Windows `json:"windows,omitempty"`

	// network asks for traffic beyond cluster DNS; every entry needs a policy grant.
	// +optional
	Network *Network `json:"network,omitempty"`
}

// UDSVirtualMachine is a hardened virtual machine: verified disk, isolated network, guest without passwords.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,path=udsvirtualmachines,shortName=udsvm,categories=uds
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Source",type=string,JSONPath=`.status.source`
// +kubebuilder:printcolumn:name="PVC-Size",type=string,JSONPath=`.status.pvcSize`
// +kubebuilder:printcolumn:name="Checksum-Verified",type=boolean,JSONPath=`.status.checksumVerified`
// +kubebuilder:printcolumn:name="Zero-Trust",type=boolean,JSONPath=`.status.zeroTrust`
// +kubebuilder:printcolumn:name="Reconciler",type=string,JSONPath=`.status.reconciledBy`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 63",messageExpression="'metadata.name \"%s\" has %d characters: use at most 63, since it is the value of label uds.dev/vm'.format([self.metadata.name, size(self.metadata.name)])",message="metadata.name must have at most 63 characters"
type UDSVirtualMachine struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is what a user asks for.
	// +required
	Spec UDSVirtualMachineSpec `json:"spec"`

	// status is what the operator observed; users do not write it.
	// +optional
	Status UDSVirtualMachineStatus `json:"status,omitempty"`
}

// UDSVirtualMachineList is a list of UDSVirtualMachines.
//
// +kubebuilder:object:root=true
type UDSVirtualMachineList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []UDSVirtualMachine `json:"items"`
}
