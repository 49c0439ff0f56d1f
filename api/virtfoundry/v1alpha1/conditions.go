package v1alpha1

// Types of the conditions in a Tenant's status.
const (
	// ConditionReady is True when the namespace and every isolation object are as they should be.
	ConditionReady = "Ready"
	// ConditionPolicyAllowed is False when a rule or grant refused, Unknown when one could not be decided; the message names them.
	ConditionPolicyAllowed = "PolicyAllowed"
	// ConditionIsolated is True when the policies in force in the namespace are no wider than the defaults.
	ConditionIsolated = "Isolated"
	// ConditionCompliant is True when every rule that judges the Tenant live passes.
	ConditionCompliant = "Compliant"
)

// Reasons of the conditions in a Tenant's status.
const (
	// ReasonReconciled: everything is written and was found as written.
	ReasonReconciled = "Reconciled"
	// ReasonSourceChanged: a disk was made from another source than is asked for now, and nothing is imported again.
	ReasonSourceChanged = "SourceChanged"
	// ReasonPending: the first decision is still to come.
	ReasonPending = "Pending"
	// ReasonPolicyAllowed: every rule that had to be asked passed and every grant was given.
	ReasonPolicyAllowed = "PolicyAllowed"
	// ReasonPolicyDenied: at least one enforcing rule fails or one grant was not given.
	ReasonPolicyDenied = "PolicyDenied"
	// ReasonPolicyUnknown: a rule lacks a fact, so nothing new is written until it has it.
	ReasonPolicyUnknown = "PolicyUnknown"
	// ReasonOwnedByOther: the namespace belongs to another Tenant or to nobody of ours and is left alone.
	ReasonOwnedByOther = "OwnedByOther"
	// ReasonForbidden: the API server refused a request for lack of a right that the message names.
	ReasonForbidden = "Forbidden"
	// ReasonApplyFailed: the API server refused or could not carry out a write; it is tried again.
	ReasonApplyFailed = "ApplyFailed"
	// ReasonTerminating: the Tenant was deleted and its namespace is going.
	ReasonTerminating = "Terminating"
	// ReasonRulesPass: every rule that judges the live objects passes.
	ReasonRulesPass = "RulesPass"
	// ReasonRulesFail: at least one rule fails on the live objects.
	ReasonRulesFail = "RulesFail"
	// ReasonRulesUnknown: no rule fails, and at least one could not be decided.
	ReasonRulesUnknown = "RulesUnknown"
)

// Types of the conditions that an Instance has beside those of a Tenant.
const (
	// ConditionRestartRequired is True when the guest that runs differs from what it is to be, until it is restarted.
	ConditionRestartRequired = "RestartRequired"
	// ConditionDedicatedCPU says what became of the wish for dedicated processors; it is absent without one.
	ConditionDedicatedCPU = "DedicatedCPU"
	// ConditionImported is True when CDI has filled every volume of the Instance; it is absent where none is imported.
	ConditionImported = "Imported"
	// ConditionImageVerified is True with evidence that the disk holds what the Template asks for; it is absent where none is imported.
	ConditionImageVerified = "ImageVerified"
)

// Reasons of the conditions that an Instance has beside those of a Tenant.
const (
	// ReasonRestartRequired: what is asked for reaches the guest at its next start.
	ReasonRestartRequired = "RestartRequired"
	// ReasonUpToDate: the guest runs as it is to.
	ReasonUpToDate = "UpToDate"
	// ReasonNotRunning: there is no guest to restart.
	ReasonNotRunning = "NotRunning"
	// ReasonGuestFailed: KubeVirt cannot run the guest, or it crashes.
	ReasonGuestFailed = "GuestFailed"
	// ReasonImported: every import has succeeded.
	ReasonImported = "Imported"
	// ReasonImporting: an import is under way; the message says how far it is.
	ReasonImporting = "Importing"
	// ReasonImportFailed: an import has failed; the message is CDI's.
	ReasonImportFailed = "ImportFailed"
)

// Types of the conditions of the tenants' networks.
const (
	// ConditionSeparated is True when the Network's segment is its own and no other attachment of the cluster leads there.
	ConditionSeparated = "Separated"
	// ConditionCoversNICs is False on every SecurityGroup: no NetworkPolicy reaches the Networks of NICs.
	ConditionCoversNICs = "CoversNetworksOfNICs"
	// ConditionRulesRendered is False when a rule of a SecurityGroup cannot be expressed by a NetworkPolicy, and so lets nothing through.
	ConditionRulesRendered = "RulesRendered"
)

// Reasons of the conditions of the tenants' networks.
const (
	// ReasonInUse: the object was deleted and stays until nothing uses it.
	ReasonInUse = "InUse"
	// ReasonPodNetworkOnly: what a NetworkPolicy says holds on the pod network alone.
	ReasonPodNetworkOnly = "PodNetworkOnly"
	// ReasonNotExpressible: the rules that the message names are left out.
	ReasonNotExpressible = "NotExpressible"
	// ReasonNoSegment: no VLAN is left for the Network.
	ReasonNoSegment = "NoSegment"
	// ReasonNoAddress: the Network has no free address.
	ReasonNoAddress = "NoAddress"
)

// Types and reasons of the conditions of Disks and snapshots.
const (
	// ConditionAttached is True when the machine of the Instance that a Disk names has the volume.
	ConditionAttached = "Attached"
	// ReasonDetached: the Disk names no Instance.
	ReasonDetached = "Detached"
	// ReasonVolumeLost: the volume behind the claim is gone.
	ReasonVolumeLost = "VolumeLost"
	// ReasonSnapshotFailed: KubeVirt or the storage driver could not make the snapshot; the message is theirs.
	ReasonSnapshotFailed = "SnapshotFailed"
)
