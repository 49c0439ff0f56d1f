# METADATA
# title: A Disk is attached to the Instance that it names and to no other machine
# description: |
#   The Instance is in the Disk's namespace and is not being deleted, its VirtualMachine is controlled by it, and no other
#   machine has the volume. A detached Disk is a volume of no machine.
# custom:
#   id: STO-023
#   topic: disk-attachment
#   severity: high
#   subjects: [Disk]
#   enforces: [admission, plan]
#   always_applies: true
#   controls:
#     - {id: ac-3, statements: [ac-3_smt], objectives: [ac-3_obj]}
#     - {id: ac-4, statements: [ac-4_smt], objectives: [ac-4_obj]}
#   remediation: |
#     Set spec.instanceRef.name to the metadata.name of an Instance of the Disk's namespace, or remove it; take the volume out
#     of machines that name it by themselves.
package cato.rules.volume.attach

import data.cato.lib.result

# METADATA
# description: The Instance and the machines are decided whole.
judged := {"instance", "machines"}

# METADATA
# description: The Disk is detached.
report contains result.pass("instance", {"disk": disk}) if {
	some disk in input.object.disk
	disk.instance == ""
	is_array(input.volume.instances)
}

# METADATA
# description: The Instance stays, and its machine, if it has one, is its own.
report contains result.pass("instance", {"disk": disk, "instance": instance, "machines": input.volume.machines}) if {
	some disk in input.object.disk
	some instance in input.volume.instances
	instance.name == disk.instance
	instance.deleting == false
	every machine in input.volume.machines {
		_controls(instance, machine)
	}
}

# METADATA
# description: No other machine has the volume.
report contains result.pass("machines", {"disk": disk, "uses": input.volume.uses}) if {
	some disk in input.object.disk
	every use in input.volume.uses {
		_expected(use, disk)
	}
}

# METADATA
# description: There is no such Instance yet. What one folder holds is applied in the order of its files.
report contains result.unknown("instance", $"spec.instanceRef names Instance {disk.instance}, which does not exist in namespace {input.subject.namespace}") if {
	some disk in input.object.disk
	disk.instance != ""
	input.volume.instances == []
}

# METADATA
# description: The Instance goes.
report contains result.fail("instance", $"Instance {instance.name} is being deleted", {"instance": instance}) if {
	some instance in input.volume.instances
	instance.deleting == true
}

# METADATA
# description: The machine of the Instance's name is another's.
report contains result.fail("instance", $"VirtualMachine {machine.name} is not the Instance's own", {"machine": machine}) if {
	some instance in input.volume.instances
	some machine in input.volume.machines
	not _controls(instance, machine)
}

# METADATA
# description: A machine has the volume that the Disk does not name.
report contains result.fail("machines", $"{use.kind} {use.name} has the volume, and the Disk does not name it", {"use": use, "disk": disk}) if {
	some disk in input.object.disk
	some use in input.volume.uses
	not _expected(use, disk)
}

_expected(use, disk) if {
	disk.instance != ""
	use.name == disk.instance
}

# What can be taken out is taken out: before a write it stands in nobody's way.
_expected(use, _) if {
	input.moment in {"admission", "plan"}
	use.hotPlugged == true
}

_controls(instance, machine) if {
	[owner] := [one | some one in machine.owners; one.controller == true]
	owner.group == "virtfoundry.io"
	owner.kind == "Instance"
	owner.name == instance.name
	owner.uid == instance.uid
}
