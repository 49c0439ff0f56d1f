package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// UDSVirtualMachineStatus is what the operator observed.
type UDSVirtualMachineStatus struct {
	// phase is the one-word summary of the VM; conditions say why.
	// +optional
	Phase Phase `json:"phase,omitempty"`

	// source is the sourceType that the root disk was made from.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Source string `json:"source,omitempty"`

	// pvcSize is the requested size of the root disk's claim, for example 11Mi.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	PVCSize string `json:"pvcSize,omitempty"`

	// checksumVerified is true only when imageVerification holds evidence for the claim that the VM boots.
	// +optional
	ChecksumVerified bool `json:"checksumVerified"`

	// zeroTrust is true when the policies in force admit no ingress and no egress but cluster DNS and what was granted.
	// +optional
	ZeroTrust bool `json:"zeroTrust"`

	// reconciledBy names the controller that wrote this status.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	ReconciledBy string `json:"reconciledBy,omitempty"`

	// policyRevision is the revision of the policy bundle that judged the VM last.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	PolicyRevision string `json:"policyRevision,omitempty"`

	// observedGeneration is the metadata.generation that this status describes.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// import is the progress of the root disk's import.
	// +optional
	Import *ImportStatus `json:"import,omitempty"`

	// imageVerification is the evidence behind checksumVerified; absent means that nothing verified the disk.
	// +optional
	ImageVerification *ImageVerification `json:"imageVerification,omitempty"`

	// conditions are Ready, ImageVerified, Isolated, GuestHardened, PolicyAllowed and Compliant, each with reason and message.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:XValidation:rule="self.all(c, c.lastTransitionTime < timestamp('9999-12-31T23:59:59Z'))",message="lastTransitionTime must be a time as RFC 3339 writes it, such as 2027-01-31T12:00:00Z"
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// Phase is the one-word summary of a UDSVirtualMachine.
//
// +kubebuilder:validation:Enum=Pending;WaitingForUpload;Importing;Provisioning;Ready;Stopped;Failed;Terminating
type Phase string

// The phases of a UDSVirtualMachine.
const (
	// PhasePending: nothing was decided yet, or a decision waits for a fact.
	PhasePending Phase = "Pending"
	// PhaseWaitingForUpload: CDI waits for the disk to be uploaded.
	PhaseWaitingForUpload Phase = "WaitingForUpload"
	// PhaseImporting: the root disk is being imported or cloned.
	PhaseImporting Phase = "Importing"
	// PhaseProvisioning: the disk is there, the guest is not up yet.
	PhaseProvisioning Phase = "Provisioning"
	// PhaseReady: the guest runs as asked.
	PhaseReady Phase = "Ready"
	// PhaseStopped: the guest is off as asked, or held back until its disk is verified.
	PhaseStopped Phase = "Stopped"
	// PhaseFailed: a rule or grant refused, or the disk is not what it should be.
	PhaseFailed Phase = "Failed"
	// PhaseTerminating: the VM was deleted and its children are going.
	PhaseTerminating Phase = "Terminating"
)

// ImportStatus is the progress of an import.
type ImportStatus struct {
	// progress is the percentage as CDI prints it, for example 42.00%.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Progress string `json:"progress,omitempty"`

	// restarts is how often the importer pod restarted.
	// +optional
	Restarts int32 `json:"restarts,omitempty"`
}

// VerificationMethod says what verified a disk.
//
// +kubebuilder:validation:Enum=cdi-http;cdi-upload;registry-digest;content;golden
type VerificationMethod string

// The methods that verify a disk.
const (
	// VerifiedByCDIHTTP: CDI compared spec.checksum during an http import that succeeded.
	VerifiedByCDIHTTP VerificationMethod = "cdi-http"
	// VerifiedByCDIUpload: CDI compared spec.checksum during an upload that succeeded.
	VerifiedByCDIUpload VerificationMethod = "cdi-upload"
	// VerifiedByRegistryDigest: the image was fetched by the digest in its reference.
	VerifiedByRegistryDigest VerificationMethod = "registry-digest"
	// VerifiedByContent: Cato hashed this very claim against spec.contentChecksum.
	VerifiedByContent VerificationMethod = "content"
	// VerifiedByGolden: the disk is a clone of a golden image with evidence of its own.
	VerifiedByGolden VerificationMethod = "golden"
)

// ImageVerification is the evidence that a disk is what it should be.
type ImageVerification struct {
	// method says what verified the disk.
	// +required
	Method VerificationMethod `json:"method"`

	// digest is the digest that was compared, sha256:<64 hex>.
	// +required
	// +kubebuilder:validation:MaxLength=256
	Digest string `json:"digest"`

	// time is when the verification ended.
	// +required
	// +kubebuilder:validation:XValidation:rule="self < timestamp('9999-12-31T23:59:59Z')",message="must be a time as RFC 3339 writes it, such as 2027-01-31T12:00:00Z"
	Time metav1.Time `json:"time"`

	// claimUID is the uid of the verified claim; evidence holds for no other.
	// +required
	ClaimUID types.UID `json:"claimUID"`
}
