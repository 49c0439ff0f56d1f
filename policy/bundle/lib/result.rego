# METADATA
# title: Result
# description: |
#   The only way to make an entry of a rule's report. Evidence takes whole fact objects, never picked fields:
#   one undefined argument would make the entry vanish.
package cato.lib.result

# METADATA
# description: The target is proven to comply.
pass(target, evidence) := {
	"verdict": "pass",
	"target": target,
	"evidence": evidence,
}

# METADATA
# description: The target does not comply; the message says why, for the user who has to mend it.
fail(target, message, evidence) := {
	"verdict": "fail",
	"target": target,
	"message": message,
	"evidence": evidence,
}

# METADATA
# description: The facts do not suffice to decide the target; counts as not satisfied.
unknown(target, reason) := {
	"verdict": "unknown",
	"target": target,
	"message": reason,
}

# METADATA
# description: The rule has nothing to judge on this subject. Holds only when no target is judged and nothing else is said.
not_applicable(reason) := {
	"verdict": "not-applicable",
	"message": reason,
}
