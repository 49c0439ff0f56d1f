# METADATA
# title: A Disk is of a StorageClass that exists and that one way leads to
# description: |
#   A Disk that names a StorageClass is of that one, which exists. One that names none is of the platform's
#   storage.defaultClass, which exists; with auto, of longhorn where the cluster has it, else of the class that is annotated
#   as the default, else of local-path; several defaults would leave it to chance where the data lies. A volume that exists
#   keeps its class.
# custom:
#   id: STO-021
#   topic: disk-class
#   severity: medium
#   subjects: [Disk]
#   enforces: [admission, plan]
#   always_applies: true
#   controls:
#     - {id: cm-6, statements: [cm-6_smt.b], objectives: [cm-6_obj.b]}
#   parameters: [defaultClass]
#   remediation: |
#     Name in spec.storageClass a StorageClass of the cluster (kubectl get storageclasses), or have the cluster's administrator
#     annotate exactly one with storageclass.kubernetes.io/is-default-class=true.
package cato.rules.volume.class

import data.cato.lib.known
import data.cato.lib.result
import data.cato.lib.volume

# METADATA
# description: There is one class.
judged := {"storageClass"}

# METADATA
# description: The volume is there, of the class that was asked for, if any was.
report contains result.pass("storageClass", {"disk": disk, "claim": claim}) if {
	some disk in input.object.disk
	some claim in input.volume.claims
	claim.uid != ""
	is_string(claim.class)
	claim.class != ""
	_asked(disk, claim)
}

# METADATA
# description: The class that is named exists.
report contains result.pass("storageClass", {"disk": disk, "claim": claim, "classes": input.volume.classes}) if {
	some disk in input.object.disk
	some claim in input.volume.claims
	claim.uid == ""
	disk.class != ""
	claim.class == disk.class
	volume.exists(disk.class)
}

# METADATA
# description: Without a name there is one class to choose.
report contains result.pass("storageClass", {"disk": disk, "claim": claim, "classes": input.volume.classes}) if {
	some disk in input.object.disk
	some claim in input.volume.claims
	claim.uid == ""
	disk.class == ""
	claim.class in volume.chosen
}

# METADATA
# description: The class that is named does not exist.
report contains result.fail("storageClass", $"StorageClass {disk.class} does not exist", {"disk": disk, "classes": input.volume.classes}) if {
	some disk in input.object.disk
	disk.class != ""
	_nowhere_bound
	known.whole("volume.classes")
	is_array(input.volume.classes)
	not volume.exists(disk.class)
}

# METADATA
# description: The class of the platform's configuration does not exist.
report contains result.fail(
	"storageClass",
	$"spec.storageClass is empty, and StorageClass {input.params.defaultClass} of the platform's storage.defaultClass does not exist",
	{"classes": input.volume.classes},
) if {
	some disk in input.object.disk
	disk.class == ""
	_nowhere_bound
	known.whole("params.defaultClass")
	is_string(input.params.defaultClass)
	input.params.defaultClass != "auto"
	known.whole("volume.classes")
	is_array(input.volume.classes)
	not volume.exists(input.params.defaultClass)
}

# METADATA
# description: Several classes are the default.
report contains result.fail(
	"storageClass",
	$"spec.storageClass is empty, and several StorageClasses are annotated as the default: {names}",
	{"classes": input.volume.classes},
) if {
	some disk in input.object.disk
	disk.class == ""
	volume.automatic
	_nowhere_bound
	not volume.exists("longhorn")
	count(volume.defaults) > 1
	names := concat(", ", volume.defaults)
}

# METADATA
# description: There is no class to choose.
report contains result.fail(
	"storageClass",
	"spec.storageClass is empty, and the cluster has neither longhorn nor a default StorageClass nor local-path",
	{"classes": input.volume.classes},
) if {
	some disk in input.object.disk
	disk.class == ""
	volume.automatic
	_nowhere_bound
	known.whole("volume.classes")
	is_array(input.volume.classes)
	not volume.exists("longhorn")
	not volume.exists("local-path")
	count(volume.defaults) == 0
}

# METADATA
# description: The volume is of another class than the Disk asks for.
report contains result.fail("storageClass", $"the volume is of StorageClass {claim.class}, not of {disk.class}", {"disk": disk, "claim": claim}) if {
	some disk in input.object.disk
	some claim in input.volume.claims
	not _asked(disk, claim)
}

_asked(disk, claim) if disk.class == claim.class

_asked(disk, _) if disk.class == ""

_nowhere_bound if {
	is_array(input.volume.claims)
	every claim in input.volume.claims {
		claim.uid == ""
	}
}
