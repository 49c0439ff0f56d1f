# METADATA
# title: A Disk's volume is its own and holds what it asks for
# description: |
#   The PersistentVolumeClaim of the Disk's name is controlled by the Disk, is for one node at a time, and asks for at least
#   the size of the Disk: a claim that another made is never adopted, and none shrinks.
# custom:
#   id: STO-022
#   topic: disk-volume
#   severity: high
#   subjects: [Disk]
#   enforces: [admission, plan]
#   always_applies: true
#   controls:
#     - {id: ac-3, statements: [ac-3_smt], objectives: [ac-3_obj]}
#     - {id: sc-28, statements: [sc-28_smt], objectives: [sc-28_obj]}
#   remediation: |
#     Give the Disk another name where a claim of its name is another's. Set spec.sizeGi to at least what the volume has, and
#     copy the data into a new Disk where it is to be smaller. To grow, use a StorageClass with allowVolumeExpansion.
package cato.rules.volume.claim

import data.cato.lib.result
import data.cato.lib.volume

# METADATA
# description: The claim is decided whole, so that one that is missing cannot drop out.
judged := {"claim", "size"}

# METADATA
# description: The claim is the Disk's own.
report contains result.pass("claim", {"claim": claim}) if {
	some disk in input.object.disk
	some claim in input.volume.claims
	claim.name == disk.claim
	volume.owned(claim)
	claim.modes == ["ReadWriteOnce"]
}

# METADATA
# description: The claim asks for the size of the Disk.
report contains result.pass("size", {"disk": disk, "claim": claim}) if {
	some disk in input.object.disk
	some claim in input.volume.claims
	claim.bytes == disk.bytes
	is_number(disk.bytes)
	_holds(claim)
}

# METADATA
# description: The claim is another's.
report contains result.fail("claim", $"PersistentVolumeClaim {claim.name} is not the Disk's own and is left alone", {"claim": claim}) if {
	some claim in input.volume.claims
	not volume.owned(claim)
}

# METADATA
# description: Several nodes can have the volume at once.
report contains result.fail("claim", $"PersistentVolumeClaim {claim.name} is not ReadWriteOnce alone", {"claim": claim}) if {
	some claim in input.volume.claims
	claim.modes != ["ReadWriteOnce"]
}

# METADATA
# description: The volume is larger than the Disk.
report contains result.fail("size", $"the volume of {claim.bytes} bytes cannot shrink to the {disk.bytes} of spec.sizeGi", {"disk": disk, "claim": claim}) if {
	some disk in input.object.disk
	some claim in input.volume.claims
	is_number(disk.bytes)
	is_number(claim.bytes)
	claim.bytes > disk.bytes
}

# METADATA
# description: The volume is smaller than the Disk.
report contains result.fail("size", $"the volume of {claim.bytes} bytes is smaller than the {disk.bytes} of spec.sizeGi", {"disk": disk, "claim": claim}) if {
	some disk in input.object.disk
	some claim in input.volume.claims
	is_number(disk.bytes)
	is_number(claim.bytes)
	claim.bytes < disk.bytes
}

# METADATA
# description: The volume would have to grow, and cannot.
report contains result.fail("size", $"the volume cannot grow: StorageClass {class.name} has no allowVolumeExpansion", {"claim": claim, "class": class}) if {
	some claim in input.volume.claims
	claim.uid != ""
	claim.capacity < claim.bytes
	is_number(claim.capacity)
	some class in input.volume.classes
	class.name == claim.class
	class.expandable == false
}

# METADATA
# description: The size is none.
report contains result.fail("size", "spec.sizeGi is no size: use 1 to 1048576", {"disk": disk}) if {
	some disk in input.object.disk
	disk.bytes == null
}

# METADATA
# description: There is no volume yet.
report contains result.unknown("claim", $"PersistentVolumeClaim {disk.claim} does not exist") if {
	some disk in input.object.disk
	input.volume.claims == []
}

# What is not bound yet has no capacity, and one of that capacity need not grow.
_holds(claim) if claim.uid == ""

_holds(claim) if claim.capacity == null

_holds(claim) if {
	is_number(claim.capacity)
	claim.capacity >= claim.bytes
}

_holds(claim) if {
	is_number(claim.capacity)
	some class in input.volume.classes
	class.name == claim.class
	class.expandable == true
}
