# METADATA
# title: Container images come from allowed places
# description: |
#   Each container image that the machine runs or imports (disk, kernel, sidecar, registry source) lies below an
#   entry of the allow-list. Registry and path are compared by whole components, so that an entry never matches a
#   name that only begins alike. An entry without a closing slash also allows the repository of exactly that name.
# custom:
#   id: IMG-003
#   topic: image-allowlist
#   severity: high
#   subjects: [UDSVirtualMachine, VirtualMachine, Instance, Template]
#   enforces: [admission, plan]
#   controls:
#     - id: cm-7.5
#       statements: [cm-7.5_smt.b]
#       objectives: [cm-7.5_obj.b]
#       coverage: full
#       remarks: The allow-list is the deny-all, permit-by-exception policy for the images of the machines in scope, and each image is compared with it.
#   parameters: [imagePrefixes]
#   remediation: Use an image below an allowed prefix, or have the prefix added to imageAllowlist of the ComplianceProfile.
package cato.rules.image.allowlist

import data.cato.lib.known
import data.cato.lib.result

# METADATA
# description: Each use of an image is decided on its own.
judged contains _target(use) if some use in input.images

# METADATA
# description: An entry of the allow-list covers the image.
report contains result.pass(_target(use), {"use": use}) if {
	some use in input.images
	use.image.valid == true
	_allowed(use.image)
}

# METADATA
# description: What is not a reference could be read as any image by a runtime.
report contains result.fail(_target(use), message, {"use": use}) if {
	some use in input.images
	use.image.valid == false
	message := $"{use.path} {use.image.text} {use.image.problem}: write registry/path@sha256:digest"
}

# METADATA
# description: No entry of the allow-list covers the image.
report contains result.fail(_target(use), message, {"use": use, "prefixes": input.params.imagePrefixes}) if {
	some use in input.images
	use.image.valid == true
	known.whole("params.imagePrefixes")
	not _allowed(use.image)
	message := $"{use.path} {use.image.text} lies below no allowed prefix: use an image of an allowed one"
}

# METADATA
# description: A machine whose disks come from elsewhere runs no container image.
report contains result.not_applicable("no container image is used") if input.images == []

_target(use) := $"{use.use} {use.path}"

_allowed(image) if {
	some prefix in input.params.imagePrefixes
	_covers(prefix, image)
}

_covers(prefix, image) if {
	_same_registry(prefix, image)
	count(image.path) > count(prefix.path)
	array.slice(image.path, 0, count(prefix.path)) == prefix.path
}

_covers(prefix, image) if {
	_same_registry(prefix, image)
	image.path == prefix.path
	endswith(prefix.text, "/") == false
}

_same_registry(prefix, image) if {
	image.registry == prefix.registry
	image.registry != ""
}
