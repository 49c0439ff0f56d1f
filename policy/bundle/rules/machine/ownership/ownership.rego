# METADATA
# title: An instance's virtual machine is its own
# description: |
#   The VirtualMachine of the Instance's name, if there is one, is controlled by this very Instance, by uid. One that
#   another made is adopted only by a grant and is never deleted with the Instance otherwise.
# custom:
#   id: OWN-001
#   topic: machine-ownership
#   severity: high
#   subjects: [Instance]
#   judges: [live]
#   always_applies: true
#   controls:
#     - {id: ac-3, statements: [ac-3_smt], objectives: [ac-3_obj]}
#   remediation: |
#     Rename the Instance or the VirtualMachine; or, to have it adopted, remove its ownerReferences and label it
#     app.kubernetes.io/part-of=virtfoundry and virtfoundry.io/instance=<name of the Instance>.
package cato.rules.machine.ownership

import data.cato.lib.result

# METADATA
# description: The one machine of that name.
judged := {"machine"}

# METADATA
# description: Nothing of that name stands in the way.
report contains result.pass("machine", {"instance": instance}) if {
	some instance in input.object.instance
	instance.existing == []
}

# METADATA
# description: This Instance controls it.
report contains result.pass("machine", {"machine": machine}) if {
	some instance in input.object.instance
	some machine in instance.existing
	_own(machine)
}

# METADATA
# description: Another controls it, or nobody.
report contains result.fail("machine", $"VirtualMachine {machine.name} is not controlled by this Instance", {"machine": machine}) if {
	some instance in input.object.instance
	some machine in instance.existing
	not _own(machine)
}

_own(machine) if {
	[owner] := [o | some o in machine.owners; o.controller == true]
	owner.group == "virtfoundry.io"
	owner.kind == "Instance"
	owner.name == input.subject.name
	owner.uid == input.subject.uid
	owner.uid != ""
}
