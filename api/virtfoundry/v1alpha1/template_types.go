package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TemplateSpec is what instances boot from. Which images and URLs are allowed is judged by policy, not by this schema.
//
// +kubebuilder:validation:XValidation:rule=`self.sourceType != 'container' || !self.image.matches(r'^(?i:https?)://')`,fieldPath=".image",messageExpression="'image ' + self.image + ' is a URL, which sourceType container cannot boot: name a containerDisk such as quay.io/containerdisks/fedora@sha256:…, or set sourceType to iso or qcow2'",message="sourceType container takes the reference of a containerDisk, no URL"
// +kubebuilder:validation:XValidation:rule=`self.sourceType != 'iso' || self.image == "" || self.image.matches(r'^(?i:https?)://[^/]')`,fieldPath=".image",messageExpression="'image ' + self.image + ' is no http(s) URL, which sourceType iso needs: set image to the https URL of the installation medium'",message="sourceType iso takes an https URL"
// +kubebuilder:validation:XValidation:rule=`!has(self.checksum) || self.checksum == "" || self.image.matches(r'^(?i:https?)://')`,fieldPath=".checksum",messageExpression="'checksum is for a file of a web server, and image ' + self.image + ' is none: remove checksum, and write the image by its digest'",message="checksum is for the http(s) URL of an iso or a qcow2"
type TemplateSpec struct {
	// displayName is shown to people; it names no object and may be empty.
	// +required
	// +kubebuilder:validation:MaxLength=1024
	DisplayName string `json:"displayName"`

	// image is what is booted: for sourceType container the reference of a containerDisk, for iso an https URL, for qcow2 either. There is no default image.
	// +required
	// +kubebuilder:validation:MaxLength=4096
	// +kubebuilder:validation:XValidation:rule=`self.matches(r'^\S+$')`,messageExpression=`'image "%s" is blank or holds white space: set it to an image reference or URL'.format([self])`,message="image is blank or holds white space: set it to an image reference or URL"
	Image string `json:"image"`

	// sourceType says what image is: container, iso or qcow2. It never changes, since the disks that instances made from it would be orphaned.
	// +required
	SourceType TemplateSource `json:"sourceType"`

	// osType is the family of the guest's operating system, linux or windows; empty means linux.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	OSType string `json:"osType,omitempty"`

	// cloudInitSecretRef is user data for instances that bring none (key default: userData), looked for in the namespace of the Instance, then in that of the Template.
	// +optional
	CloudInitSecretRef *SecretKeyRef `json:"cloudInitSecretRef,omitempty"`

	// cloudInitUserData is user data in clear, at most 1 MiB; deprecated: use cloudInitSecretRef.
	// +optional
	// +kubebuilder:validation:MaxLength=1048576
	CloudInitUserData string `json:"cloudInitUserData,omitempty"`

	// isoSizeGi is the size in GiB of the volume that an iso is imported into; 0 or absent means the platform's storage.windowsISOSizeGi, 8 by default.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self >= 0 && self <= 65536",messageExpression="'isoSizeGi %d is out of bounds: use 1 to 65536 GiB, or 0 for the default'.format([self])",message="isoSizeGi must be 0 to 65536 GiB"
	ISOSizeGi int64 `json:"isoSizeGi,omitempty"`

	// bootDiskSizeGi is the size in GiB of the disk that an iso installs to or a qcow2 is imported into; 0 or absent means the platform's storage.windowsBootSizeGi, 32 by default.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self >= 0 && self <= 65536",messageExpression="'bootDiskSizeGi %d is out of bounds: use 1 to 65536 GiB, or 0 for the default'.format([self])",message="bootDiskSizeGi must be 0 to 65536 GiB"
	BootDiskSizeGi int64 `json:"bootDiskSizeGi,omitempty"`

	// checksum is the digest of the file that image leads to, sha256:<64 hex>: CDI compares what it fetches with it. It is for the URL of an iso or a qcow2; an image of a registry is pinned by its own digest.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:XValidation:rule=`self == "" || self.matches(r'^(sha256:[0-9a-fA-F]{64}|sha512:[0-9a-fA-F]{128})$')`,messageExpression=`'checksum "%s" is no digest of an approved hash function: use sha256:<64 hexadecimal digits> of the file'.format([self])`,message="checksum is sha256:<64 hexadecimal digits> of the file"
	Checksum string `json:"checksum,omitempty"`

	// storageClass is the StorageClass of the volumes made from this Template; empty means the platform's storage.defaultClass.
	// +optional
	StorageClass StorageClassName `json:"storageClass,omitempty"`

	// import records the system that this template was migrated from; it is stored only.
	// +optional
	Import *ImportMeta `json:"import,omitempty"`
}

// TemplateSource says what the image of a Template is.
//
// +kubebuilder:validation:Enum=container;iso;qcow2
// +kubebuilder:validation:XValidation:rule="self == oldSelf",messageExpression="'sourceType ' + oldSelf + ' cannot become ' + self + ', since the disks of instances would be orphaned: create another Template instead'",message="sourceType never changes: create another Template instead"
type TemplateSource string

// The sources of a Template.
const (
	// TemplateContainer boots a containerDisk, whose changes are lost at a restart.
	TemplateContainer TemplateSource = "container"
	// TemplateISO installs from a medium to a blank boot disk.
	TemplateISO TemplateSource = "iso"
	// TemplateQCOW2 imports a disk image.
	TemplateQCOW2 TemplateSource = "qcow2"
)

// StorageClassName names a StorageClass; empty means the platform's default.
//
// +kubebuilder:validation:MaxLength=253
// +kubebuilder:validation:XValidation:rule=`self == "" || self.matches(r'^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')`,messageExpression=`'"' + self + '" can be the name of no StorageClass: use lower-case letters, digits, hyphens and dots, or leave it empty for the default'`,message="the name of a StorageClass has lower-case letters, digits, hyphens and dots"
type StorageClassName string

// TemplateStatus is what the operator observed.
type TemplateStatus struct {
	// phase is Pending, Ready, Failed or Terminating; conditions say why.
	// +optional
	Phase Phase `json:"phase,omitempty"`

	// importState is the progress of the import of an iso: pending, importing, ready or failed.
	// +optional
	ImportState ImportState `json:"importState,omitempty"`

	// isoVolumeName is the name of the DataVolume that holds the iso.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	ISOVolumeName string `json:"isoVolumeName,omitempty"`

	Observation `json:",inline"`
}

// ImportState is the progress of an import.
//
// +kubebuilder:validation:Enum=pending;importing;ready;failed
type ImportState string

// The states of an import.
const (
	// ImportPending: the import has not begun.
	ImportPending ImportState = "pending"
	// ImportImporting: CDI is at work.
	ImportImporting ImportState = "importing"
	// ImportReady: the volume holds the whole medium.
	ImportReady ImportState = "ready"
	// ImportFailed: CDI gave up, or a rule refused the source.
	ImportFailed ImportState = "failed"
)

// Template is an image of the catalogue that instances boot from.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,path=templates,shortName=vf-template
// +kubebuilder:printcolumn:name="Source",type=string,JSONPath=`.spec.sourceType`
// +kubebuilder:printcolumn:name="OS",type=string,JSONPath=`.spec.osType`
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Image",type=string,JSONPath=`.spec.image`,priority=1
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.spec) || has(self.spec)",fieldPath=".spec",message="spec cannot be removed, since its sourceType never changes: delete the Template instead"
type Template struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec is what instances boot from.
	// +optional
	Spec TemplateSpec `json:"spec,omitzero"`

	// status is what the operator observed; users do not write it.
	// +optional
	Status TemplateStatus `json:"status,omitzero"`
}

// TemplateList is a list of Templates.
//
// +kubebuilder:object:root=true
type TemplateList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Template `json:"items"`
}
