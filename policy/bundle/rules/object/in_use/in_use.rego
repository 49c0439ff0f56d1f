# METADATA
# title: What is used is not deleted
# description: |
#   A Template, an Offering, an SSHKey, a Network or a VPC is not deleted while another object names it: an Instance would
#   not start again, and a Network's addresses would be given to others. A namespace that goes as a whole takes with it
#   what is used in it alone.
# custom:
#   id: USE-001
#   topic: deletion
#   severity: medium
#   subjects: [Template, Offering, SSHKey, Network, VPC]
#   judges: [admission, live]
#   enforces: [admission]
#   controls:
#     - {id: cm-3, statements: [cm-3_smt.b], objectives: [cm-3_obj.b-2]}
#   remediation: |
#     Delete what uses it first, or have that name another; then delete it again.
package cato.rules.object.in_use

import data.cato.lib.result

# METADATA
# description: Who names the object, once it is to be deleted.
judged contains "users" if input.object.deleting == true

# METADATA
# description: Nobody does.
report contains result.pass("users", {"subject": input.subject, "users": input.fabric.users}) if {
	input.object.deleting == true
	input.fabric.users == []
}

# METADATA
# description: Only what goes with its namespace does.
report contains result.pass("users", {"subject": input.subject, "namespace": input.namespace}) if {
	input.object.deleting == true
	_used
	_alone
}

# METADATA
# description: Somebody does; the message names the first few.
report contains result.fail("users", message, {"subject": input.subject}) if {
	input.object.deleting == true
	_used
	not _alone
	names := [name |
		some user in input.fabric.users
		name := $"{user.kind} {user.namespace}/{user.name} ({user.path})"
	]
	listed := concat(", ", array.slice(names, 0, _most))
	message := $"{input.subject.kind} {input.subject.name} is used by {listed}{_more(count(names))}"
}

# METADATA
# description: It stays.
report contains result.not_applicable("it is not being deleted") if input.object.deleting == false

_most := 5

_more(number) := "" if number <= _most

_more(number) := $" and {number - _most} more" if number > _most

_used if {
	is_array(input.fabric.users)
	count(input.fabric.users) > 0
}

_alone if {
	some namespace in input.namespace
	namespace.name == input.subject.namespace
	namespace.terminating == true
	every user in input.fabric.users {
		user.namespace == input.subject.namespace
	}
}
