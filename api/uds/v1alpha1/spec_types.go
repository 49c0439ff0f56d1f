package v1alpha1

import (
	"cato.dev/cato/api/quantity"
)

// OSType is the family of a guest's operating system.
//
// +kubebuilder:validation:Enum=linux;windows
type OSType string

// The families of operating systems.
const (
	// OSLinux guests are configured by cloud-init.
	OSLinux OSType = "linux"
	// OSWindows guests are configured by an answer file.
	OSWindows OSType = "windows"
)

// RunStrategy says when a guest runs; the words are KubeVirt's.
//
// +kubebuilder:validation:Enum=Always;Halted;RerunOnFailure;Manual
type RunStrategy string

// The run strategies.
const (
	// RunAlways keeps the guest running.
	RunAlways RunStrategy = "Always"
	// RunHalted keeps the guest off.
	RunHalted RunStrategy = "Halted"
	// RunRerunOnFailure starts the guest again only after a failure.
	RunRerunOnFailure RunStrategy = "RerunOnFailure"
	// RunManual leaves start and stop to KubeVirt's subresources.
	RunManual RunStrategy = "Manual"
)

// SourceType says where a root disk comes from.
//
// +kubebuilder:validation:Enum=upload;http;registry;dataSource;pvc;blank
type SourceType string

// The sources of a root disk.
const (
	// SourceUpload waits for the disk to be uploaded to CDI.
	SourceUpload SourceType = "upload"
	// SourceHTTP imports the file at spec.url.
	SourceHTTP SourceType = "http"
	// SourceRegistry imports the containerDisk at spec.url.
	SourceRegistry SourceType = "registry"
	// SourceDataSource clones the golden image behind spec.dataSourceRef.
	SourceDataSource SourceType = "dataSource"
	// SourcePVC clones the claim spec.pvcRef.
	SourcePVC SourceType = "pvc"
	// SourceBlank makes an empty disk.
	SourceBlank SourceType = "blank"
)

// RetentionPolicy says what becomes of a data disk when its VM is deleted.
//
// +kubebuilder:validation:Enum=Retain;Delete
type RetentionPolicy string

// The retention policies.
const (
	// RetentionRetain keeps the claim: it has no owner and is attached again when the VM is made again.
	RetentionRetain RetentionPolicy = "Retain"
	// RetentionDelete deletes the claim with the VM.
	RetentionDelete RetentionPolicy = "Delete"
)

// CPU sizes the virtual processors.
type CPU struct {
	// cores is the number of virtual cores, 1 (default) to 256.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:XValidation:rule="self >= 1 && self <= 256",messageExpression="'cores %d is out of bounds: use 1 to 256'.format([self])",message="cores must be 1 to 256"
	Cores *int32 `json:"cores,omitempty"`

	// dedicated pins each core to a processor of the node; it needs a policy grant.
	// +optional
	Dedicated bool `json:"dedicated,omitempty"`
}

// ObjectRef names an object; a namespace other than the VM's own needs the grant cross-namespace-source.
type ObjectRef struct {
	// name is the name of the object.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// namespace is the object's namespace; absent means the VM's own.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Namespace string `json:"namespace,omitempty"`
}

// SecretKeyRef names one key of a Secret; a namespace other than the VM's own needs the grant cross-namespace-source.
type SecretKeyRef struct {
	// name is the name of the Secret.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// namespace is the Secret's namespace; absent means the VM's own.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Namespace string `json:"namespace,omitempty"`

	// key is the key in the Secret; absent means userdata, password or productKey, as the field asks for.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Key string `json:"key,omitempty"`
}

// DataDisk is a further disk of the VM.
type DataDisk struct {
	// name is unique in the VM and part of the claim's name.
	// +required
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule="size(self) <= 58 && self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",messageExpression="'data disk name \"' + self + '\" cannot be used: use 1 to 58 lower-case letters, digits and inner hyphens'",message="a data disk name has 1 to 58 lower-case letters, digits and inner hyphens"
	Name string `json:"name"`

	// size is the size of the disk, for example 20Gi.
	// +required
	Size quantity.Text `json:"size"`

	// storageClassName is the StorageClass of the disk; absent means the cluster's default class.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	StorageClassName *string `json:"storageClassName,omitempty"`

	// retentionPolicy is Retain (default: the claim survives the VM and is attached again) or Delete.
	// +optional
	// +kubebuilder:default=Retain
	RetentionPolicy RetentionPolicy `json:"retentionPolicy,omitempty"`
}
