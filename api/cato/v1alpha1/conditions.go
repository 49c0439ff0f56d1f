package v1alpha1

// Types of the conditions of cato.dev kinds.
const (
	// ConditionAccepted is True when a ComplianceProfile was read and is in force where no other wins.
	ConditionAccepted = "Accepted"
	// ConditionConflict is True when an older ComplianceProfile already holds for one of the same namespaces and kinds; the message names both.
	ConditionConflict = "Conflict"
	// ConditionReady is True when a ComplianceReport shows the posture of its revision and no evidence behind it is missing.
	ConditionReady = "Ready"
)

// Reasons of the conditions of cato.dev kinds.
const (
	// ReasonInForce: the profile's parameters are the ones that its namespaces are judged by.
	ReasonInForce = "InForce"
	// ReasonInvalidParameter: a parameter cannot be read; the message names field, value and remedy, and what cannot be read permits nothing.
	ReasonInvalidParameter = "InvalidParameter"
	// ReasonOverlap: an older profile wins for the namespaces and kinds in the message.
	ReasonOverlap = "Overlap"
	// ReasonNoOverlap: no other profile selects the same namespace and kind.
	ReasonNoOverlap = "NoOverlap"
	// ReasonCurrent: every verdict in the report is of fresh evidence.
	ReasonCurrent = "Current"
	// ReasonOlderRevision: some verdicts are of an earlier revision of the policy bundle and are being renewed.
	ReasonOlderRevision = "OlderRevision"
	// ReasonNotSwept: not every subject has been judged since the record began.
	ReasonNotSwept = "NotSwept"
	// ReasonEvidenceMissing: a watch is broken or a kind may not be read, so the verdicts that need it are unknown.
	ReasonEvidenceMissing = "EvidenceMissing"
)
