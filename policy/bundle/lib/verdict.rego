# METADATA
# title: Verdict
# description: |
#   The fold of a rule's two documents into one word, for the tests of rules. The engine folds in Go and never
#   asks this package; a property test holds the two together.
package cato.lib.verdict

# METADATA
# description: The first condition that holds decides; whatever is neither refuted nor proven whole is unknown.
of(judged, report) := "fail" if {
	some entry in report
	entry.verdict == "fail"
} else := "unknown" if {
	some entry in report
	not _wellformed(entry)
} else := "unknown" if {
	some entry in report
	entry.verdict == "unknown"
} else := "not-applicable" if {
	judged == set()
	count(report) > 0
	every entry in report {
		entry.verdict == "not-applicable"
	}
} else := "pass" if {
	_proven(judged, report)
} else := "unknown"

# Every entry a pass of a judged target, every target passed: no other word may stand beside them.
_proven(judged, report) if {
	count(judged) > 0
	every target in judged {
		is_string(target)
	}
	every entry in report {
		entry.verdict == "pass"
		entry.target in judged
	}
	{entry.target | some entry in report} == judged
}

_wellformed(entry) if {
	entry.verdict == "pass"
	object.keys(entry) == {"verdict", "target", "evidence"}
	is_string(entry.target)
}

_wellformed(entry) if {
	entry.verdict == "unknown"
	object.keys(entry) == {"verdict", "target", "message"}
	is_string(entry.target)
	is_string(entry.message)
}

_wellformed(entry) if {
	entry.verdict == "not-applicable"
	object.keys(entry) == {"verdict", "message"}
	is_string(entry.message)
}
