# METADATA
# title: A snapshot keeps what it says
# description: |
#   The Disk or the Instance that a snapshot names is in its namespace. What KubeVirt or the storage driver keeps is the
#   snapshot's own, is of the Disk's volume or of the Instance's machine, and, for a machine, goes with the snapshot.
# custom:
#   id: STO-024
#   topic: snapshot-source
#   severity: medium
#   subjects: [DiskSnapshot, InstanceSnapshot]
#   enforces: [admission, plan]
#   always_applies: true
#   controls:
#     - {id: cp-9, statements: [cp-9_smt.a], objectives: [cp-9_obj.a]}
#     - {id: ac-3, statements: [ac-3_smt], objectives: [ac-3_obj]}
#   remediation: |
#     Name in spec.diskRef or spec.instanceRef an object of the snapshot's namespace that is Ready, and give the snapshot
#     another name where an object of its name is another's.
package cato.rules.volume.source

import data.cato.lib.result
import data.cato.lib.volume

# METADATA
# description: The source and what is kept of it are decided whole.
judged := {"source", "snapshot"}

# METADATA
# description: The Disk is there, with a volume of its own.
report contains result.pass("source", {"asked": asked, "disk": disk, "claim": claim}) if {
	input.object.instanceSnapshot == []
	some asked in input.object.diskSnapshot
	some disk in input.volume.disks
	disk.name == asked.source
	some claim in input.volume.claims
	claim.name == disk.claim
	_controls("Disk", disk, claim)
}

# METADATA
# description: The Instance is there, with a machine of its own.
report contains result.pass("source", {"asked": asked, "instance": instance, "machine": machine}) if {
	input.object.diskSnapshot == []
	some asked in input.object.instanceSnapshot
	some instance in input.volume.instances
	instance.name == asked.source
	some machine in input.volume.machines
	_controls("Instance", instance, machine)
}

# METADATA
# description: What is kept is the Disk's volume.
report contains result.pass("snapshot", {"snapshot": snapshot, "disk": disk}) if {
	input.object.instanceSnapshot == []
	some asked in input.object.diskSnapshot
	some disk in input.volume.disks
	disk.name == asked.source
	some snapshot in input.volume.snapshots
	volume.owned(snapshot)
	snapshot.sourceKind == "PersistentVolumeClaim"
	snapshot.source == disk.claim
}

# METADATA
# description: What is kept is the Instance's machine, and goes with the snapshot.
report contains result.pass("snapshot", {"snapshot": snapshot}) if {
	input.object.diskSnapshot == []
	some asked in input.object.instanceSnapshot
	some snapshot in input.volume.snapshots
	volume.owned(snapshot)
	snapshot.sourceKind == "VirtualMachine"
	snapshot.source == asked.source
	snapshot.deletionPolicy == "Delete"
}

# METADATA
# description: There is no such Disk yet.
report contains result.unknown("source", $"spec.diskRef names Disk {asked.source}, which does not exist in namespace {input.subject.namespace}") if {
	some asked in input.object.diskSnapshot
	input.volume.disks == []
}

# METADATA
# description: There is no such Instance yet.
report contains result.unknown("source", $"spec.instanceRef names Instance {asked.source}, which does not exist in namespace {input.subject.namespace}") if {
	some asked in input.object.instanceSnapshot
	input.volume.instances == []
}

# METADATA
# description: The volume or the machine is another's.
report contains result.fail("source", $"{child.name} is not what {owner.name} made", {"child": child, "owner": owner}) if {
	some pair in _pairs
	owner := pair.owner
	child := pair.child
	not _controls(pair.kind, owner, child)
}

# METADATA
# description: What is kept is another's.
report contains result.fail("snapshot", $"{snapshot.name} is not the snapshot's own and is left alone", {"snapshot": snapshot}) if {
	some snapshot in input.volume.snapshots
	not volume.owned(snapshot)
}

# METADATA
# description: Something else is kept.
report contains result.fail("snapshot", $"{snapshot.name} keeps {snapshot.sourceKind} {snapshot.source}, not what the snapshot says", {"snapshot": snapshot}) if {
	some snapshot in input.volume.snapshots
	not _right(snapshot)
}

# METADATA
# description: The Instance has no machine yet.
report contains result.unknown("source", $"the machine of Instance {instance.name} does not exist yet") if {
	some instance in input.volume.instances
	input.object.instanceSnapshot != []
	input.volume.machines == []
}

# METADATA
# description: The Disk has no volume yet.
report contains result.unknown("source", "the volume of the Disk does not exist yet") if {
	some disk in input.volume.disks
	input.object.diskSnapshot != []
	input.volume.claims == []
	disk.name != ""
}

# METADATA
# description: Nothing is kept yet.
report contains result.unknown("snapshot", $"nothing is kept for {input.subject.name} yet") if input.volume.snapshots == []

_pairs contains {"kind": "Disk", "owner": disk, "child": claim} if {
	input.object.diskSnapshot != []
	some disk in input.volume.disks
	some claim in input.volume.claims
}

_pairs contains {"kind": "Instance", "owner": instance, "child": machine} if {
	input.object.instanceSnapshot != []
	some instance in input.volume.instances
	some machine in input.volume.machines
}

_right(snapshot) if {
	some asked in input.object.diskSnapshot
	snapshot.sourceKind == "PersistentVolumeClaim"
	some disk in input.volume.disks
	disk.name == asked.source
	snapshot.source == disk.claim
}

# A Disk that is gone leaves what was kept of it as it was.
_right(snapshot) if {
	input.object.diskSnapshot != []
	input.volume.disks == []
	snapshot.sourceKind == "PersistentVolumeClaim"
}

_right(snapshot) if {
	some asked in input.object.instanceSnapshot
	snapshot.sourceKind == "VirtualMachine"
	snapshot.source == asked.source
	snapshot.deletionPolicy == "Delete"
}

_controls(kind, owner, child) if {
	[reference] := [one | some one in child.owners; one.controller == true]
	reference.group == "virtfoundry.io"
	reference.kind == kind
	reference.name == owner.name
	reference.uid == owner.uid
}
