# METADATA
# title: A size is one of the catalogue
# description: |
#   The Offering that an Instance names exists. One that pins processors is of the platform's own catalogue: on another
#   the wish has no effect, and the guest runs unpinned.
# custom:
#   id: OFR-001
#   topic: offering
#   severity: medium
#   subjects: [Instance, Offering]
#   enforces: [admission, plan]
#   warns: [Offering]
#   controls:
#     - {id: sc-6, statements: [sc-6_smt]}
#   remediation: |
#     Name an Offering that exists, or none for 1 core and 512 MiB. Have the platform label an Offering that may pin
#     processors virtfoundry.io/platform-owned=true, or set its dedicatedCPU to false.
package cato.rules.catalog.offering

import data.cato.lib.result

# METADATA
# description: The size that is named.
judged contains "offering" if not _unnamed

# METADATA
# description: What is named is there.
report contains result.pass("offering", {"offering": offering}) if {
	some instance in input.object.instance
	instance.offeringName != ""
	[offering] = instance.offering
	offering.name == instance.offeringName
}

# METADATA
# description: Pins nothing, or may.
report contains result.pass("offering", {"offering": offering}) if {
	[offering] = input.object.offering
	_honest(offering)
}

# METADATA
# description: The name leads nowhere yet. What one folder holds is applied in the order of its files.
report contains result.unknown("offering", $"Offering {instance.offeringName} does not exist") if {
	some instance in input.object.instance
	instance.offeringName != ""
	instance.offering == []
}

# METADATA
# description: A wish without effect.
report contains result.fail(
	"offering",
	$"Offering {offering.name} has dedicatedCPU and is not the platform's own: its guests run unpinned",
	{"offering": offering},
) if {
	some offering in input.object.offering
	offering.dedicatedCPU == true
	offering.platformOwned == false
}

# METADATA
# description: The default size.
report contains result.not_applicable("no Offering is named: the guest has 1 core and 512 MiB") if _unnamed

_unnamed if {
	input.object.offering == []
	some instance in input.object.instance
	instance.offeringName == ""
}

_honest(offering) if offering.dedicatedCPU == false

_honest(offering) if {
	offering.dedicatedCPU == true
	offering.platformOwned == true
}
