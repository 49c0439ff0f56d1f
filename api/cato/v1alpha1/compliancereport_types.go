package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Ceilings that keep a ComplianceReport small, whatever the number of subjects.
const (
	// MaxReportBytes is the most that a report may take as JSON.
	MaxReportBytes = 32 << 10
	// MaxFailing is the most entries in status.failing; the rest is counted in status.omittedFailures.
	MaxFailing = 50
	// MaxFailureMessage is the most bytes of a failure's message.
	MaxFailureMessage = 200
)

// Verdict is what a rule says of a subject; unknown is never a pass.
//
// +kubebuilder:validation:Enum=pass;fail;unknown;not-applicable
type Verdict string

// The verdicts.
const (
	// VerdictPass: every target of the rule is proven.
	VerdictPass Verdict = "pass"
	// VerdictFail: at least one target is refuted.
	VerdictFail Verdict = "fail"
	// VerdictUnknown: it cannot be determined; counted as not satisfied.
	VerdictUnknown Verdict = "unknown"
	// VerdictNotApplicable: the rule has nothing to judge on the subject.
	VerdictNotApplicable Verdict = "not-applicable"
)

// VerdictCounts counts the verdicts of rules on subjects.
type VerdictCounts struct {
	// pass is the number of verdicts pass.
	// +optional
	Pass int32 `json:"pass"`

	// fail is the number of verdicts fail.
	// +optional
	Fail int32 `json:"fail"`

	// unknown is the number of verdicts unknown.
	// +optional
	Unknown int32 `json:"unknown"`

	// notApplicable is the number of verdicts not-applicable.
	// +optional
	NotApplicable int32 `json:"notApplicable"`
}

// ControlSummary is the posture of one control in the namespace.
type ControlSummary struct {
	// framework is the catalogue that the control is of, for example nist-800-53r5.
	// +required
	// +kubebuilder:validation:MaxLength=63
	Framework string `json:"framework"`

	// control is the control's id, for example sc-7.
	// +required
	// +kubebuilder:validation:MaxLength=63
	Control string `json:"control"`

	// verdict is the verdict on the part of the control that rules test.
	// +required
	Verdict Verdict `json:"verdict"`

	// satisfied is the OSCAL finding; absent where the rules do not cover the control whole.
	// +optional
	Satisfied *bool `json:"satisfied,omitempty"`

	VerdictCounts `json:",inline"`
}

// RuleSummary is the posture of one rule in the namespace.
type RuleSummary struct {
	// id is the rule's id, for example NET-001.
	// +required
	// +kubebuilder:validation:MaxLength=63
	ID string `json:"id"`

	// topic is what the rule judges, for example network-isolation.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Topic string `json:"topic,omitempty"`

	// severity is the rule's severity: low, medium, high or critical.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Severity string `json:"severity,omitempty"`

	VerdictCounts `json:",inline"`
}

// Failure is one rule that does not pass on one subject.
type Failure struct {
	// rule is the rule's id, for example NET-001.
	// +required
	// +kubebuilder:validation:MaxLength=63
	Rule string `json:"rule"`

	// kind is the subject's kind.
	// +required
	// +kubebuilder:validation:MaxLength=63
	Kind string `json:"kind"`

	// name is the subject's name; its namespace is the report's.
	// +required
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// verdict is fail or unknown.
	// +required
	Verdict Verdict `json:"verdict"`

	// message says what was found, cut to 200 bytes.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Message string `json:"message,omitempty"`

	// since is when the verdict became what it is.
	// +required
	// +kubebuilder:validation:XValidation:rule="self < timestamp('9999-12-31T23:59:59Z')",message="must be a time as RFC 3339 writes it, such as 2027-01-31T12:00:00Z"
	Since metav1.Time `json:"since"`
}

// ComplianceReportStatus is the posture of one namespace, bounded; the full record is the OSCAL endpoint.
//
// Its lists are atomic: keyed ones would double the stored object by managedFields, and only one controller writes them.
type ComplianceReportStatus struct {
	// policyRevision is the revision of the policy bundle that gave the verdicts.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	PolicyRevision string `json:"policyRevision,omitempty"`

	// evidenceTime is the time of the oldest evidence behind a verdict of this report.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self < timestamp('9999-12-31T23:59:59Z')",message="must be a time as RFC 3339 writes it, such as 2027-01-31T12:00:00Z"
	EvidenceTime *metav1.Time `json:"evidenceTime,omitempty"`

	// assumptions are what the verdicts rest on without evidence, for example that the network enforces NetworkPolicy.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MaxLength=256
	Assumptions []string `json:"assumptions,omitempty"`

	// subjects is the number of objects that were judged.
	// +optional
	Subjects int32 `json:"subjects"`

	// summary counts all verdicts of all rules.
	// +optional
	Summary VerdictCounts `json:"summary"`

	// controls is the posture by control, in the order of framework and id.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=512
	Controls []ControlSummary `json:"controls,omitempty"`

	// rules is the posture by rule, in the order of ids.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=512
	Rules []RuleSummary `json:"rules,omitempty"`

	// failing are the first 50 verdicts fail or unknown, gravest first.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=50
	Failing []Failure `json:"failing,omitempty"`

	// omittedFailures is how many more verdicts fail or unknown there are than failing shows.
	// +optional
	OmittedFailures int32 `json:"omittedFailures"`

	// conditions are Ready, with reason and message.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:XValidation:rule="self.all(c, c.lastTransitionTime < timestamp('9999-12-31T23:59:59Z'))",message="lastTransitionTime must be a time as RFC 3339 writes it, such as 2027-01-31T12:00:00Z"
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// ComplianceReport is the posture of a namespace as the compliance controller sees it.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Namespaced,path=compliancereports,shortName=creport
// +kubebuilder:printcolumn:name="Pass",type=integer,JSONPath=`.status.summary.pass`
// +kubebuilder:printcolumn:name="Fail",type=integer,JSONPath=`.status.summary.fail`
// +kubebuilder:printcolumn:name="Unknown",type=integer,JSONPath=`.status.summary.unknown`
// +kubebuilder:printcolumn:name="Revision",type=string,JSONPath=`.status.policyRevision`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type ComplianceReport struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// status is the posture; only the compliance controller writes it.
	// +optional
	Status ComplianceReportStatus `json:"status,omitempty"`
}

// ComplianceReportList is a list of ComplianceReports.
//
// +kubebuilder:object:root=true
type ComplianceReportList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ComplianceReport `json:"items"`
}
