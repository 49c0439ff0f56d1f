# METADATA
# title: Start from a disk that nothing can verify
# description: |
#   A guest may start although nothing compared the content of its disk, where nothing can: the disk was uploaded, or
#   cloned from one that was, and that succeeded. Control SI-7 stays failed. A disk that could have been compared, or
#   that was and differs, is not meant.
# custom:
#   source: ComplianceProfile spec.parameters.allowUnverifiedDisk
#   on_refusal: refuse
#   subjects: [UDSVirtualMachine]
package cato.grants.unverified_disk

import data.cato.lib.boot

# METADATA
# description: The profile allows it, and every disk that boots is complete.
given contains {
	"because": "the profile allows guests whose disk nothing can verify",
	"evidence": {"disks": boot.disks},
} if {
	input.params.allowUnverifiedDisk == true
	boot.settled
	every disk in boot.disks {
		_complete(disk)
	}
}

_complete(disk) if {
	count(disk.lineage) > 0
	every step in disk.lineage {
		step.phase == "Succeeded"
		step.source in {"upload", "pvc", "snapshot", "dataSource"}
	}
	disk.lineage[count(disk.lineage) - 1].source == "upload"
}
