# METADATA
# title: The content of the boot disk was verified
# description: |
#   The disk that the machine boots goes back, by finished clones, to an import that compared its content with an
#   approved hash function: http with a checksum, a registry image or container disk by digest, or an upload where
#   CDI compares it. For a UDSVirtualMachine it is the content that the spec asks for, for an Instance that of its
#   Template as it is now, so that a DataVolume made anew of other content proves nothing. Only the live objects count,
#   never what a status claims. An edited DataVolume holds content of another source; an upload without comparison, a
#   tag and a weak hash prove nothing. An empty disk has no content. A kernel from a container image counts as a disk.
# custom:
#   id: IMG-002
#   topic: image-integrity
#   severity: high
#   subjects: [UDSVirtualMachine, VirtualMachine, Instance]
#   judges: [live]
#   controls:
#     - id: si-7
#       statements: [si-7_smt.a]
#       objectives: [si-7_obj.a-1]
#     - id: si-7.1
#       statements: [si-7.1_smt]
#       objectives: [si-7.1_obj-1]
#   remediation: Import the disk anew, with a SHA-256 checksum or by digest, or clone it from a golden image that was.
package cato.rules.image.verified

import data.cato.lib.asked
import data.cato.lib.boot
import data.cato.lib.integrity
import data.cato.lib.result

# METADATA
# description: Each disk that the machine boots, unless all of them started empty.
judged contains boot.target(disk) if {
	some disk in boot.disks
	_empty != boot.disks
}

# METADATA
# description: A kernel that is booted instead of the disk's own.
judged contains _kernel(use) if {
	some use in input.images
	use.use == "kernel"
}

# METADATA
# description: The content was compared, or there was none at first.
report contains result.pass(boot.target(disk), {"disk": disk}) if {
	some disk in _proven
	_empty != boot.disks
}

# METADATA
# description: A kernel by digest.
report contains result.pass(_kernel(use), {"use": use}) if {
	some use in input.images
	use.use == "kernel"
	integrity.reference(use.image)
}

# METADATA
# description: A kernel by tag.
report contains result.fail(_kernel(use), $"{use.path} {use.image.text} {problem}", {"use": use}) if {
	some use in input.images
	use.use == "kernel"
	problem := integrity.reference_problem(use.image)
}

# METADATA
# description: What shows that the content was not verified.
report contains result.fail(boot.target(fault.disk), fault.message, {"disk": fault.disk}) if {
	not _all_imported
	some fault in _faults
}

# METADATA
# description: Neither shown nor refuted.
report contains result.unknown(boot.target(disk), _reason(disk)) if {
	not _all_imported
	some disk in boot.disks
	not disk in _proven
	not disk in {fault.disk | some fault in _faults}
}

# METADATA
# description: It must be known what boots.
report contains result.unknown("boot", boot.unsettled) if not boot.settled

# METADATA
# description: Only empty disks, and nothing else was asked for.
report contains result.not_applicable("the machine boots from an empty disk, which has no content to verify") if {
	_empty == boot.disks
	boot.settled
	every use in input.images {
		use.use != "kernel"
	}
}

_kernel(use) := $"kernel {use.path}"

_empty contains disk if {
	some disk in boot.disks
	[step] := disk.lineage
	step.source == "blank"
	step.edited == false
	step.filledElsewhere == false
	_claimed(disk, step)
	input.object.instance == [] # which boots what its Template names
	every machine in input.object.machine {
		machine.checksum == []
		machine.image == []
	}
}

# An empty disk may start before its claim is there.
_claimed(disk, _) if disk.claim == []

_claimed(_, step) if step.claimOwned == true

_proven contains disk if some disk in _empty

_proven contains disk if some disk in _imported

# The usual disk is one finished import that was compared: of that no fault is left to find.
_imported contains disk if {
	some disk in boot.disks
	disk.image == []
	[origin] := disk.lineage
	origin.phase == "Succeeded"
	origin.edited == false
	origin.reason != "ChecksumError"
	integrity.own(origin)
	asked.by_template(origin)
	_compared(origin)
}

_all_imported if _imported == boot.disks

_proven contains disk if {
	some disk in boot.disks
	disk.volumeKind == "containerDisk"
	[image] := disk.image
	integrity.reference(image)
	_image_as_asked(image)
}

_proven contains disk if {
	some disk in boot.disks
	disk.image == []
	disk.lineage[1]
	every step in disk.lineage {
		step.phase == "Succeeded"
		step.edited == false
		integrity.own(step)
	}
	integrity.in_order(disk.lineage)
	every step in array.slice(disk.lineage, 0, count(disk.lineage) - 1) {
		step.source in _clones
	}
	asked.by_template(_origin(disk))
	_compared(_origin(disk))
}

_clones := {"pvc", "snapshot", "dataSource"}

_origin(disk) := disk.lineage[count(disk.lineage) - 1]

_compared(origin) if {
	origin.source == "http"
	origin.pullMethod in {"", "pod"}
	origin.image == []
	[sum] := origin.checksum
	integrity.checksum(sum)
	_sum_as_asked(sum)
}

_compared(origin) if {
	origin.source == "upload"
	input.cluster.cdiUploadChecksum == true
	origin.image == []
	[sum] := origin.checksum
	integrity.checksum(sum)
	_sum_as_asked(sum)
}

_compared(origin) if {
	origin.source == "registry"
	origin.checksum == []
	[image] := origin.image
	integrity.reference(image)
	_image_as_asked(image)
}

# A checksum is what was asked for if the same one, or none and no image, was asked for.
_sum_as_asked(sum) if {
	every machine in input.object.machine {
		machine.image == []
		_same_or_none(machine.checksum, sum)
	}
}

_image_as_asked(image) if {
	every machine in input.object.machine {
		_image_fits(machine, image)
	}
}

# A checksum beside a reference by digest adds nothing that can be compared.
_image_fits(machine, image) if {
	machine.image != []
	_same_or_none(machine.image, image)
}

_image_fits(machine, _) if {
	machine.image == []
	machine.checksum == []
}

_same_or_none([], _)

_same_or_none([wanted], found) if {
	wanted.algorithm == found.algorithm
	wanted.digest == found.digest
}

_faults contains {"disk": disk, "message": $"{disk.path} image {image.text} {problem}"} if {
	some disk in boot.disks
	some image in disk.image
	problem := integrity.reference_problem(image)
}

_faults contains {"disk": disk, "message": message} if {
	some disk in boot.disks
	some step in disk.lineage
	step.reason == "ChecksumError"
	message := $"DataVolume {step.namespace}/{step.name} failed: its content does not have the checksum asked for"
}

_faults contains {"disk": disk, "message": message} if {
	some disk in boot.disks
	every step in disk.lineage {
		step.edited == false
	}
	origin := _origin(disk)
	some fault in _origin_faults(origin)
	message := $"DataVolume {origin.namespace}/{origin.name} {fault}"
}

_origin_faults(origin) := (_sum_faults(origin) | integrity.unverifiable(origin)) | _other_content(origin)

_sum_faults(origin) := {$"has {sum.path} {sum.algorithm}:{sum.digest}, which {problem}" |
	some sum in origin.checksum
	problem := integrity.checksum_problem(sum)
}

# Two digests of one hash function that differ are two contents.
_other_content(origin) := {message |
	some machine in input.object.machine
	some wanted in array.concat(machine.checksum, machine.image)
	some found in array.concat(origin.checksum, origin.image)
	wanted.algorithm == found.algorithm
	wanted.digest != found.digest
	_comparable(origin, machine)
	message := $"holds {found.algorithm}:{found.digest}, yet the spec asks for {wanted.digest}"
}

_comparable(origin, machine) if {
	origin.source in {"http", "upload"}
	machine.image == []
}

_comparable(origin, machine) if {
	origin.source == "registry"
	machine.image != []
	machine.checksum == []
}

_reason(disk) := message if {
	some step in disk.lineage
	step.edited == true
	message := "SourceChanged: a DataVolume was edited after it was made, so its content is of another source"
} else := $"no DataVolume is behind it ({disk.volumeKind}): where its content came from is not known" if {
	disk.lineage == []
	disk.image == []
} else := "an import or a clone that it rests on has not succeeded" if {
	some step in disk.lineage
	step.phase != "Succeeded"
} else := integrity.untied(disk.lineage) if {
	disk.lineage != []
} else := asked.otherwise(_origin(disk)) if {
	disk.lineage != []
} else := "the origin of its clone is not found" if {
	_origin(disk).source in _clones
} else := "nothing shows that its content is what was asked for"
