# METADATA
# title: What makes the host bridges runs an image by digest
# description: |
#   Each container that makes the host bridges runs an image that is pinned by a digest of an approved hash function: who
#   could change what a tag names could change the networks of all nodes.
# custom:
#   id: HST-002
#   topic: host-bridge-image
#   severity: high
#   subjects: [ConfigMap]
#   judges: [plan, live]
#   enforces: [plan]
#   controls:
#     - {id: si-7, statements: [si-7_smt.a], objectives: [si-7_obj.a-1]}
#   remediation: |
#     Write networking.bridge.image as registry/path@sha256:<64 hexadecimal digits>, or leave it out to have the default.
package cato.rules.host.image

import data.cato.lib.bridges
import data.cato.lib.integrity
import data.cato.lib.result

# METADATA
# description: All images.
judged contains "images" if not bridges.nothing

# METADATA
# description: Each is by digest.
report contains result.pass("images", {"bridges": input.bridges}) if {
	bridges.made
	every maker in input.bridges {
		every container in maker.containers {
			integrity.reference(container.image)
		}
	}
}

# METADATA
# description: What is not a reference could be read as any image by a runtime.
report contains result.fail("images", $"{container.path} has image {container.image.text}, which {container.image.problem}", {"container": container}) if {
	some container in input.bridges[_].containers
	container.image.valid == false
}

# METADATA
# description: A tag can be moved to other content.
report contains result.fail("images", $"{container.path} has image {container.image.text}, which no digest pins", {"container": container}) if {
	some container in input.bridges[_].containers
	container.image.valid == true
	container.image.digest == ""
}

# METADATA
# description: The digest proves nothing.
report contains result.fail("images", $"{container.path} has image {container.image.text}: {container.image.algorithm} is no approved hash function", {"container": container}) if {
	some container in input.bridges[_].containers
	container.image.valid == true
	container.image.digest != ""
	is_string(container.image.algorithm)
	not container.image.algorithm in integrity.approved
}

# METADATA
# description: It is to be made.
report contains result.unknown("images", "the DaemonSet that makes the bridges does not exist yet") if bridges.awaited

# METADATA
# description: There is nothing, and is to be nothing.
report contains result.not_applicable("both networks are switched off, and nothing makes a bridge") if bridges.nothing
