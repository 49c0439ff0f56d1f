# METADATA
# title: A Template's volumes are of a StorageClass that exists and that one way leads to
# description: |
#   The disks of a Template that is imported (sourceType iso or qcow2) are of the StorageClass that it names, which
#   exists. Where it names none they are of the platform's storage.defaultClass, which exists; with auto, of longhorn where
#   the cluster has it, else of the class that is annotated as the default, else of local-path; several defaults would leave
#   it to chance where the data lies.
# custom:
#   id: TPL-002
#   topic: template-class
#   severity: medium
#   subjects: [Instance, Template]
#   enforces: [admission, plan]
#   controls:
#     - {id: cm-6, statements: [cm-6_smt.b], objectives: [cm-6_obj.b]}
#   parameters: [defaultClass]
#   remediation: |
#     Name in spec.storageClass of the Template a StorageClass of the cluster (kubectl get storageclasses), or have the
#     cluster's administrator annotate exactly one with storageclass.kubernetes.io/is-default-class=true.
package cato.rules.catalog.class

import data.cato.lib.known
import data.cato.lib.result
import data.cato.lib.volume

# METADATA
# description: The template, unless it is known to be one of a container image.
judged contains "storageClass" if not _nothing_imported

# METADATA
# description: The class that is named exists.
report contains result.pass("storageClass", {"template": template, "classes": input.volume.classes}) if {
	[template] := _templates
	template.sourceType in _imported
	template.class != ""
	volume.exists(template.class)
}

# METADATA
# description: Without a name there is one class to choose.
report contains result.pass("storageClass", {"template": template, "classes": input.volume.classes}) if {
	[template] := _templates
	template.sourceType in _imported
	template.class == ""
	known.whole("volume.classes")
	volume.chosen != set()
}

# METADATA
# description: The class that is named does not exist.
report contains result.fail(
	"storageClass",
	$"{template.path} spec.storageClass: StorageClass {template.class} does not exist",
	{"template": template, "classes": input.volume.classes},
) if {
	some template in _templates
	template.sourceType in _imported
	template.class != ""
	known.whole("volume.classes")
	is_array(input.volume.classes)
	not volume.exists(template.class)
}

# METADATA
# description: The class of the platform's configuration does not exist.
report contains result.fail(
	"storageClass",
	$"{template.path} spec.storageClass is empty, and StorageClass {input.params.defaultClass} of the platform's storage.defaultClass does not exist",
	{"template": template, "classes": input.volume.classes},
) if {
	some template in _templates
	template.sourceType in _imported
	template.class == ""
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
	$"{template.path} spec.storageClass is empty, and several StorageClasses are annotated as the default: {names}",
	{"template": template, "classes": input.volume.classes},
) if {
	some template in _templates
	template.sourceType in _imported
	template.class == ""
	volume.automatic
	not volume.exists("longhorn")
	count(volume.defaults) > 1
	names := concat(", ", volume.defaults)
}

# METADATA
# description: There is no class to choose.
report contains result.fail(
	"storageClass",
	$"{template.path} spec.storageClass is empty, and the cluster has neither longhorn nor a default StorageClass nor local-path",
	{"template": template, "classes": input.volume.classes},
) if {
	some template in _templates
	template.sourceType in _imported
	template.class == ""
	volume.automatic
	known.whole("volume.classes")
	is_array(input.volume.classes)
	not volume.exists("longhorn")
	not volume.exists("local-path")
	count(volume.defaults) == 0
}

# METADATA
# description: An image of a registry needs no volume.
report contains result.not_applicable("nothing is imported into a volume") if _nothing_imported

_imported := {"iso", "qcow2"}

# The Template that is judged, or the first of those that the Instance may boot from, which it then does.
_templates := input.object.template if input.object.template != []

_templates := [instance.templates[0]] if {
	input.object.template == []
	some instance in input.object.instance
}

_nothing_imported if {
	[template] := _templates
	template.sourceType == "container"
}

# What does not exist imports nothing: rule TPL-001 speaks of it.
_nothing_imported if {
	input.object.template == []
	some instance in input.object.instance
	instance.templates == []
}
