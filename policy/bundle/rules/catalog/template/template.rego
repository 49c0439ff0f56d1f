# METADATA
# title: An instance boots from one template
# description: |
#   An Instance names a Template, and there is exactly one of that name: in its own namespace or in the platform's
#   catalogue. A tenant's Template never has the name of one of the platform's, which it would put itself in the place of.
# custom:
#   id: TPL-001
#   topic: template
#   severity: high
#   subjects: [Instance, Template]
#   enforces: [admission, plan]
#   always_applies: true
#   controls:
#     - id: cm-7.5
#       statements: [cm-7.5_smt.b]
#       objectives: [cm-7.5_obj.b]
#   remediation: |
#     Set spec.templateRef to a Template of the own namespace or of virtfoundry-system; give a Template that has the name
#     of a platform's another name.
package cato.rules.catalog.template

import data.cato.lib.result

# METADATA
# description: One template, or none.
judged := {"template"}

# METADATA
# description: The Instance names one that exists, and no other has its name.
report contains result.pass("template", {"template": template}) if {
	input.object.template == []
	some instance in input.object.instance
	instance.templateName != ""
	[template] = instance.templates
	_lies(template)
	template.name == instance.templateName
	template.shadows == false
}

# METADATA
# description: The Template stands in the place of none of the platform's.
report contains result.pass("template", {"template": template}) if {
	input.object.instance == []
	[template] = input.object.template
	template.shadows == false
}

# METADATA
# description: There is no default image.
report contains result.fail("template", "spec.templateRef is missing: name a Template", {"instance": instance}) if {
	some instance in input.object.instance
	instance.templateName == ""
}

# METADATA
# description: The name leads nowhere yet. What one folder holds is applied in the order of its files.
report contains result.unknown(
	"template",
	$"Template {instance.templateName} exists neither in namespace {input.subject.namespace} nor in virtfoundry-system",
) if {
	some instance in input.object.instance
	instance.templateName != ""
	instance.templates == []
}

# METADATA
# description: There are two of a name, and the tenant's would be taken for the platform's.
report contains result.fail("template", $"{template.path} has the name of a Template of the platform", {"template": template}) if {
	some template in array.concat([t | some instance in input.object.instance; some t in instance.templates], input.object.template)
	template.shadows == true
}

_lies(template) if template.namespace == input.subject.namespace

_lies(template) if template.platform == true
