# METADATA
# title: Container images of instances are named by digest
# description: |
#   Each image that a Template names or an Instance runs is pinned by a digest of an approved hash function, so that it
#   cannot change under what was made from it. VirtFoundry's users know tags: a fail is warned of, and refused where the
#   ComplianceProfile sets the rule's mode to enforce.
# custom:
#   id: IMG-004
#   topic: image-integrity
#   severity: medium
#   subjects: [Instance, Template]
#   judges: [admission, plan]
#   enforces: [admission, plan]
#   warns: [Instance, Template]
#   controls:
#     - id: si-7
#       statements: [si-7_smt.a]
#       objectives: [si-7_obj.a-1]
#   remediation: Write the image as registry/path@sha256:<64 hexadecimal digits>.
package cato.rules.image.pinned

import data.cato.lib.integrity
import data.cato.lib.result

# METADATA
# description: Each use of an image is decided on its own.
judged contains _target(use) if some use in input.images

# METADATA
# description: By digest.
report contains result.pass(_target(use), {"use": use}) if {
	some use in input.images
	integrity.reference(use.image)
}

# METADATA
# description: By tag, by a weak digest, or by what is no reference.
report contains result.fail(_target(use), $"{use.path} {use.image.text} {problem}", {"use": use}) if {
	some use in input.images
	problem := integrity.reference_problem(use.image)
}

# METADATA
# description: What is imported from elsewhere.
report contains result.not_applicable("no container image is used") if input.images == []

_target(use) := $"{use.use} {use.path}"
