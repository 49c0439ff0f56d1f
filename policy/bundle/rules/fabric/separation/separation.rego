# METADATA
# title: An isolated network has a segment of its own
# description: |
#   The NetworkAttachmentDefinition of an isolated Network puts its guests into one VLAN of a bridge and into no other,
#   and no other attachment of the cluster, of whatever tenant, leads there. NetworkPolicy does not reach these networks:
#   the segment is all that keeps them apart.
# custom:
#   id: NET-023
#   topic: network-separation
#   severity: high
#   subjects: [Network]
#   enforces: [plan]
#   on_unknown: report
#   controls:
#     - {id: sc-7, statements: [sc-7_smt.a], objectives: [sc-7_obj.a-4]}
#     - {id: sc-7.21, statements: [sc-7.21_smt], objectives: [sc-7.21_obj]}
#     - {id: ac-4, statements: [ac-4_smt], objectives: [ac-4_obj]}
#   remediation: |
#     Let the operator choose the segment, and delete or change the NetworkAttachmentDefinition that leads there too.
package cato.rules.fabric.separation

import data.cato.lib.result

# METADATA
# description: The own attachment and all others are one target, so that one that is missing cannot drop out.
judged contains "segment" if {
	some network in input.object.network
	network.type == "isolated"
}

# METADATA
# description: One VLAN, and nobody else in it.
report contains result.pass("segment", {"attachment": own}) if {
	some network in input.object.network
	network.type == "isolated"
	[own] = input.fabric.attachments
	_apart(own)
	input.fabric.sharing == []
}

# METADATA
# description: The attachment does not keep its guests in one VLAN.
report contains result.fail(
	"segment",
	$"NetworkAttachmentDefinition {own.namespace}/{own.name} does not keep its guests in one VLAN of a bridge",
	{"attachment": own},
) if {
	some network in input.object.network
	network.type == "isolated"
	some own in input.fabric.attachments
	own.problem == ""
	not _apart(own)
}

# METADATA
# description: Another attachment leads to the same segment.
report contains result.fail(
	"segment",
	$"NetworkAttachmentDefinition {other.namespace}/{other.name} leads to the same segment of bridge {other.bridge}",
	{"attachments": input.fabric.attachments, "other": other},
) if {
	some network in input.object.network
	network.type == "isolated"
	some other in input.fabric.sharing
	other.reach in {"vlan", "trunk", "untagged"}
}

# METADATA
# description: What the own attachment is, is not said in it.
report contains result.unknown("segment", $"NetworkAttachmentDefinition {own.namespace}/{own.name}: {own.problem}") if {
	some network in input.object.network
	network.type == "isolated"
	some own in input.fabric.attachments
	own.problem != ""
}

# METADATA
# description: Where another attachment leads cannot be told.
report contains result.unknown(
	"segment",
	$"where NetworkAttachmentDefinition {other.namespace}/{other.name} leads cannot be told",
) if {
	some network in input.object.network
	network.type == "isolated"
	some other in input.fabric.sharing
	not other.reach in {"vlan", "trunk", "untagged"}
}

# METADATA
# description: There is no segment yet.
report contains result.unknown("segment", "the Network has no NetworkAttachmentDefinition yet") if {
	some network in input.object.network
	network.type == "isolated"
	input.fabric.attachments == []
}

# METADATA
# description: All who use it are meant to be together.
report contains result.not_applicable("a shared Network is no segment of its own") if {
	some network in input.object.network
	network.type == "shared"
}

_apart(own) if {
	own.problem == ""
	own.type == "bridge"
	count(own.bridge) > 0
	own.vlan >= 2
	own.vlan <= 4094
	own.defaultVLAN == false
}
