package v1alpha1

// Types of the conditions in a UDSVirtualMachine's status.
const (
	// ConditionReady is True when the guest is in the state that spec.runStrategy asks for and every child is as it should be.
	ConditionReady = "Ready"
	// ConditionImageVerified is True only with evidence for the very claim that the VM boots.
	ConditionImageVerified = "ImageVerified"
	// ConditionIsolated is True when the policies in force admit no ingress and no egress but cluster DNS and what was granted.
	ConditionIsolated = "Isolated"
	// ConditionGuestHardened is True when what the guest is configured with in the end permits no password and no login of root.
	ConditionGuestHardened = "GuestHardened"
	// ConditionPolicyAllowed is False when a rule or grant refused, Unknown when one could not be decided; the message names them.
	ConditionPolicyAllowed = "PolicyAllowed"
	// ConditionCompliant is True when every rule that judges the VM live passes.
	ConditionCompliant = "Compliant"
)

// Reasons of the conditions in a UDSVirtualMachine's status.
const (
	// ReasonReconciled: everything is written and was found as written.
	ReasonReconciled = "Reconciled"
	// ReasonPending: the first decision or evidence is still to come.
	ReasonPending = "Pending"
	// ReasonImporting: the root disk is being imported or cloned.
	ReasonImporting = "Importing"
	// ReasonWaitingForUpload: CDI waits for the disk to be uploaded.
	ReasonWaitingForUpload = "WaitingForUpload"
	// ReasonImportFailed: CDI gave up; the message carries its own words.
	ReasonImportFailed = "ImportFailed"
	// ReasonStopped: the guest is off as asked.
	ReasonStopped = "Stopped"
	// ReasonTerminating: the VM was deleted and its children are going.
	ReasonTerminating = "Terminating"

	// ReasonVerified: imageVerification holds the evidence.
	ReasonVerified = "Verified"
	// ReasonNotApplicable: a blank disk has no content to verify.
	ReasonNotApplicable = "NotApplicable"
	// ReasonUploadChecksumUnsupported: the served CDI cannot compare an upload's checksum and no contentChecksum is given.
	ReasonUploadChecksumUnsupported = "UploadChecksumUnsupported"
	// ReasonChecksumMissing: no checksum, contentChecksum or digest reference was given.
	ReasonChecksumMissing = "ChecksumMissing"
	// ReasonChecksumMismatch: the disk is not what its checksum says, so the guest never starts.
	ReasonChecksumMismatch = "ChecksumMismatch"
	// ReasonWeakAlgorithm: the checksum's algorithm is no evidence against tampering.
	ReasonWeakAlgorithm = "WeakAlgorithm"
	// ReasonSourceChanged: the source was edited after the import, so the evidence is of another disk.
	ReasonSourceChanged = "SourceChanged"

	// ReasonPolicyAllowed: every rule that had to be asked passed and every grant was given.
	ReasonPolicyAllowed = "PolicyAllowed"
	// ReasonPolicyDenied: at least one enforcing rule fails or one grant was not given.
	ReasonPolicyDenied = "PolicyDenied"
	// ReasonPolicyUnknown: a rule lacks a fact, so nothing new is written until it has it.
	ReasonPolicyUnknown = "PolicyUnknown"
	// ReasonOwnedByOther: a child's name is taken by an object that this VM does not own, and that is left alone.
	ReasonOwnedByOther = "OwnedByOther"
	// ReasonForbidden: the API server refused a request for lack of a right that the message names.
	ReasonForbidden = "Forbidden"
	// ReasonApplyFailed: the API server refused or could not carry out a write; it is tried again.
	ReasonApplyFailed = "ApplyFailed"

	// ReasonRulesPass: every rule that judges the live objects passes.
	ReasonRulesPass = "RulesPass"
	// ReasonRulesFail: at least one rule fails on the live objects.
	ReasonRulesFail = "RulesFail"
	// ReasonRulesUnknown: no rule fails, and at least one could not be decided.
	ReasonRulesUnknown = "RulesUnknown"
)
