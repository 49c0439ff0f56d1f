package oscal

// Names of properties of observations and findings.
const (
	propRule    = "assessment-rule-id"  // trestle
	propCheck   = "assessment-check-id" // trestle
	propSubject = "resource-id"         // trestle, on a subject
	propTested  = "evaluated-on"        // trestle, on a subject
	propReason  = "reason"              // trestle, on a subject

	propResult             = "result" // ours: pass, fail, unknown, not-applicable; trestle's has error for unknown
	propMoment             = "moment"
	propSeverity           = "severity"
	propRevision           = "policy-revision"
	propCoverage           = "coverage"
	propSince              = "since"
	propPassCount          = "pass-count"
	propFailCount          = "fail-count"
	propUnknownCount       = "unknown-count"
	propNotApplicableCount = "not-applicable-count"
	propExpiredCount       = "expired-count"
	propPlannedCount       = "planned-count"
	propSubjectCount       = "subject-count" // on a result, with the kind as class
	propPath               = "field-path"
	propVersion            = "resource-version"
)
