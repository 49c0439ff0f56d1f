# METADATA
# title: The claim holds the disk and its file system
# description: |
#   For each boot disk with a claim: what is requested of CDI, and the claim's capacity once it is bound, hold the
#   virtual disk and, on a file system, its overhead. A request by spec.storage is inflated by CDI, so there the
#   disk alone counts; a request by spec.pvc is taken as it is.
#   A clone that names no size takes its origin's, which CDI compares: its unknown holds nothing back.
# custom:
#   id: STO-001
#   topic: storage-size
#   severity: medium
#   subjects: [UDSVirtualMachine]
#   enforces: [admission, plan]
#   on_unknown: report
#   controls:
#     - id: sc-6
#       statements: [sc-6_smt]
#   remediation: Lower spec.diskSize to what the claim holds, or make the machine anew with a larger claim.
package cato.rules.storage.size

import data.cato.lib.boot
import data.cato.lib.result

# METADATA
# description: Each boot disk that a claim holds, or will hold.
judged contains boot.target(disk) if some disk in _held

# METADATA
# description: Both the request and the claim are large enough.
report contains result.pass(boot.target(disk), {"disk": disk}) if {
	some disk in _fitting
	every machine in input.object.machine {
		machine.diskSize.problem == ""
	}
}

# METADATA
# description: A size that cannot be read holds nothing.
report contains result.fail("spec.diskSize", message, {"machine": machine}) if {
	some machine in input.object.machine
	machine.diskSize.problem != ""
	message := $"spec.diskSize {machine.diskSize.text} {machine.diskSize.problem}: give a size such as 10Gi"
}

# METADATA
# description: CDI is asked for too little.
report contains result.fail(boot.target(disk), message, {"disk": disk}) if {
	not _all_fit
	some disk in _held
	step := disk.lineage[0]
	least := _least(disk, step)
	step.requestBytes < least
	is_number(step.requestBytes)
	message := $"DataVolume {step.namespace}/{step.name} requests {step.requestBytes} bytes, but the disk needs {least}"
}

# METADATA
# description: The claim is too small.
report contains result.fail(boot.target(disk), message, {"disk": disk}) if {
	not _all_fit
	some disk in _held
	some claim in disk.claim
	size := _size(claim)
	size < claim.requiredBytes
	message := $"PersistentVolumeClaim {claim.name} has {size} bytes, but disk and file system need {claim.requiredBytes}"
}

# METADATA
# description: A size that is not known proves nothing.
report contains result.unknown(boot.target(disk), reason) if {
	not _all_fit
	some disk in _held
	some reason in _unsized(disk)
}

# METADATA
# description: It must be known what boots.
report contains result.unknown("boot", boot.unsettled) if not boot.settled

# METADATA
# description: A container disk, say, is held by no claim.
report contains result.not_applicable("no claim holds the boot disk") if {
	_held == set()
	boot.settled
	every disk in boot.disks {
		disk.lineage == []
		disk.claim == []
	}
}

_held contains disk if {
	some disk in boot.disks
	disk.lineage != []
}

_held contains disk if {
	some disk in boot.disks
	disk.claim != []
}

_fitting contains disk if {
	some disk in _held
	disk.virtualBytes > 0
	_request_fits(disk)
	_claim_fits(disk)
}

# Of a disk that fits nothing is left to find.
_all_fit if _fitting == _held

_request_fits(disk) if {
	step := disk.lineage[0]
	is_number(step.requestBytes)
	step.requestBytes >= _least(disk, step)
}

_request_fits(disk) if disk.lineage == []

_claim_fits(disk) if {
	[claim] := disk.claim
	_size(claim) >= claim.requiredBytes
	is_number(claim.requiredBytes)
}

_claim_fits(disk) if _unclaimed(disk)

# A claim is missing rightly only before CDI made it.
_unclaimed(disk) if {
	disk.claim == []
	input.moment in {"admission", "plan"}
}

_unclaimed(disk) if {
	disk.claim == []
	disk.lineage[0].phase in {"", "Pending"}
}

_least(disk, step) := disk.virtualBytes if {
	step.requestKind == "storage"
	is_number(step.requiredBytes)
	is_number(disk.virtualBytes)
} else := step.requiredBytes if {
	step.requestKind == "pvc"
	is_number(step.requiredBytes)
}

_size(claim) := claim.capacityBytes if {
	claim.phase == "Bound"
	is_number(claim.capacityBytes)
} else := claim.requestBytes if {
	claim.phase in {"", "Pending"}
	is_number(claim.requestBytes)
}

_unsized(disk) := {reason |
	some [fits, reason] in [
		[_sized(disk), "the disk's virtual size is not known"],
		[_request_known(disk), "what is requested of CDI is not known"],
		[_claim_known(disk), "the size of the claim, or what it must hold, is not known"],
	]
	fits == false
}

default _sized(_) := false

_sized(disk) if disk.virtualBytes > 0

default _request_known(_) := false

_request_known(disk) if disk.lineage == []

_request_known(disk) if {
	step := disk.lineage[0]
	is_number(step.requestBytes)
	is_number(_least(disk, step))
}

default _claim_known(_) := false

_claim_known(disk) if _unclaimed(disk)

_claim_known(disk) if {
	[claim] := disk.claim
	is_number(_size(claim))
	is_number(claim.requiredBytes)
}
