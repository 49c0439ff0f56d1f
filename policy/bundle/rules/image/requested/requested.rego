# METADATA
# title: The disk's content is pinned by what is asked for
# description: |
#   An http import names the checksum of its file and a registry import names a digest, of an approved hash function
#   (NIST SP 800-131A). Whatever else is asked for, a checksum that is written is well-formed. An upload, a clone and
#   a checksum that this cluster's CDI cannot compare are unknown here and hold nothing back: the disk is judged live
#   (IMG-002), and the guest is not started before. An empty disk has no content to verify.
# custom:
#   id: IMG-001
#   topic: image-integrity
#   severity: high
#   subjects: [UDSVirtualMachine]
#   judges: [admission, plan]
#   enforces: [admission, plan]
#   on_unknown: report
#   method: EXAMINE
#   controls:
#     - id: si-7
#       statements: [si-7_smt.a]
#       objectives: [si-7_obj.a-1]
#   remediation: Give spec.checksum as sha256:<64 hexadecimal digits> of the file, or a reference by digest for sourceType registry.
package cato.rules.image.requested

import data.cato.lib.integrity
import data.cato.lib.result

# METADATA
# description: What the machine is to boot from, unless that is an empty disk without any checksum.
judged contains "spec" if {
	some machine in input.object.machine
	not _blank(machine)
}

# METADATA
# description: An http import with the checksum of its file.
report contains result.pass("spec", {"machine": machine}) if {
	some machine in input.object.machine
	machine.sourceType == "http"
	_pinned(machine)
}

# METADATA
# description: An upload whose checksum the cluster's CDI compares.
report contains result.pass("spec", {"machine": machine}) if {
	some machine in input.object.machine
	machine.sourceType == "upload"
	input.cluster.cdiUploadChecksum == true
	_pinned(machine)
}

# METADATA
# description: A registry import by digest; a checksum beside it is not needed, but must be one.
report contains result.pass("spec", {"machine": machine}) if {
	some machine in input.object.machine
	machine.sourceType == "registry"
	some image in machine.image
	integrity.reference(image)
	every sum in machine.checksum {
		integrity.checksum(sum)
	}
}

# METADATA
# description: A checksum that is malformed or weak is refused whatever the source, since nobody could compare it.
report contains result.fail("spec", message, {"machine": machine}) if {
	some machine in input.object.machine
	some sum in machine.checksum
	problem := integrity.checksum_problem(sum)
	message := $"{sum.path} {sum.algorithm}:{sum.digest} {problem}: give sha256:<64 hexadecimal digits> of the file"
}

# METADATA
# description: An http import that anybody on its way, or its server, could change.
report contains result.fail("spec", message, {"machine": machine}) if {
	some machine in input.object.machine
	machine.sourceType == "http"
	machine.checksum == []
	message := $"spec.checksum is empty for {machine.url}: give sha256:<64 hexadecimal digits> of the file"
}

# METADATA
# description: A registry import by tag, or by what is no reference.
report contains result.fail("spec", message, {"machine": machine}) if {
	some machine in input.object.machine
	machine.sourceType == "registry"
	some image in machine.image
	problem := integrity.reference_problem(image)
	message := $"spec.url {image.text} {problem}: write docker://registry/path@sha256:<64 hexadecimal digits>"
}

# METADATA
# description: What cannot be told from the request alone.
report contains result.unknown("spec", reason) if {
	some machine in input.object.machine
	reason := _later(machine)
}

# METADATA
# description: An empty disk.
report contains result.not_applicable("an empty disk has no content to verify") if {
	some machine in input.object.machine
	_blank(machine)
}

_blank(machine) if {
	machine.sourceType == "blank"
	machine.checksum == []
}

_pinned(machine) if {
	some sum in machine.checksum
	integrity.checksum(sum)
}

_later(machine) := "spec.checksum is empty: nothing is there to compare the upload with" if {
	machine.sourceType == "upload"
	machine.checksum == []
}

_later(machine) := "the CDI of this cluster does not compare the checksum of an upload" if {
	machine.sourceType == "upload"
	machine.checksum != []
	input.cluster.cdiUploadChecksum == false
}

_later(machine) := $"the disk is cloned (sourceType {machine.sourceType}): its origin is judged live" if {
	machine.sourceType in {"dataSource", "pvc"}
}
