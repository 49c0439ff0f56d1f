# METADATA
# title: A network has addresses of its own
# description: |
#   The range overlaps with no older Network of the same tenant, in whatever VPC, with none of the cluster's pods,
#   Services and nodes where these are known, and lies in the range of the VPC that it names. Of two Networks that
#   overlap the one that has its attachment keeps the addresses, else the older: a newcomer takes nothing away.
# custom:
#   id: NET-022
#   topic: address-plan
#   severity: medium
#   subjects: [Network]
#   enforces: [admission, plan]
#   parameters: [clusterRanges]
#   controls:
#     - {id: sc-7, statements: [sc-7_smt.a], objectives: [sc-7_obj.a-4]}
#     - {id: ac-4, statements: [ac-4_smt], objectives: [ac-4_obj]}
#   remediation: |
#     Create the Network with a range that is free in this namespace and in the cluster, as a part of its VPC's range.
package cato.rules.fabric.plan

import data.cato.lib.result

# METADATA
# description: Each is decided against all others at once, so that one that is missing cannot drop out.
judged contains target if {
	_ranges != set()
	some target in ["tenant", "cluster", "vpc"]
}

_ranges contains prefix.cidr if {
	some network in input.object.network
	some prefix in network.prefix
}

# METADATA
# description: No other Network of the namespace has any of the addresses, or only younger ones have.
report contains result.pass("tenant", {"network": network, "others": input.fabric.networks}) if {
	some network in input.object.network
	some range in _ranges
	every other in input.fabric.networks {
		_clear(network, range, other)
	}
}

# METADATA
# description: The cluster uses none of the addresses, as far as its ranges are known.
report contains result.pass("cluster", {"network": network, "clusterRanges": input.params.clusterRanges}) if {
	some network in input.object.network
	some range in _ranges
	every used in input.params.clusterRanges {
		net.cidr_is_valid(used)
		net.cidr_intersects(range, used) == false
	}
}

# METADATA
# description: The network is in no VPC.
report contains result.pass("vpc", {"network": network}) if {
	_ranges != set()
	some network in input.object.network
	network.vpc == ""
}

# METADATA
# description: The VPC contains the range, or has no range itself.
report contains result.pass("vpc", {"network": network, "vpc": vpc}) if {
	some network in input.object.network
	some vpc in input.fabric.vpcs
	vpc.name == network.vpc
	vpc.valid == true
	some range in _ranges
	_within(vpc, range)
}

# METADATA
# description: An older Network has some of the addresses.
report contains result.fail(
	"tenant",
	$"cidr {range} overlaps {other.cidr} of Network {other.name}, which came first",
	{"network": network, "other": other},
) if {
	some network in input.object.network
	some range in _ranges
	some other in input.fabric.networks
	other.valid == true
	net.cidr_intersects(range, other.cidr)
	not _first(network, other)
}

# METADATA
# description: The cluster itself has some of the addresses.
report contains result.fail(
	"cluster",
	$"cidr {range} overlaps {used}, which the cluster uses",
	{"network": network, "clusterRanges": input.params.clusterRanges},
) if {
	some network in input.object.network
	some range in _ranges
	some used in input.params.clusterRanges
	net.cidr_is_valid(used)
	net.cidr_intersects(range, used)
}

# METADATA
# description: The VPC is there and does not contain the range.
report contains result.fail(
	"vpc",
	$"cidr {range} does not lie in {vpc.cidr} of VPC {vpc.name}",
	{"network": network, "vpc": vpc},
) if {
	some network in input.object.network
	some vpc in input.fabric.vpcs
	vpc.name == network.vpc
	vpc.valid == true
	some range in _ranges
	not _within(vpc, range)
}

# METADATA
# description: The VPC is not there to be looked at.
report contains result.unknown("vpc", $"VPC {network.vpc} does not exist in this namespace") if {
	some network in input.object.network
	network.vpc != ""
	_ranges != set()
	every vpc in input.fabric.vpcs {
		vpc.name != network.vpc
	}
}

# METADATA
# description: Others give the addresses out.
report contains result.not_applicable("the shared Network has no range of its own") if {
	some network in input.object.network
	network.type == "shared"
	network.cidr == ""
	network.prefix == []
	network.problem == ""
}

_within(vpc, _) if vpc.cidr == ""

_within(vpc, range) if {
	vpc.cidr != ""
	net.cidr_contains(vpc.cidr, range)
}

_clear(_, _, other) if other.valid == false

_clear(_, range, other) if {
	other.valid == true
	net.cidr_intersects(range, other.cidr) == false
}

_clear(network, _, other) if _first(network, other)

_first(network, other) if {
	network.holds == true
	other.holds == false
}

_first(network, other) if {
	network.holds == other.holds
	_before(network.createdAt, input.subject.name, other.createdAt, other.name)
}

# What does not exist yet has no time, and is younger than all that does.
_before(a, _, b, _) if {
	a != ""
	b == ""
}

_before(a, _, b, _) if {
	a != ""
	b != ""
	time.parse_rfc3339_ns(a) < time.parse_rfc3339_ns(b)
}

_before(a, name_a, b, name_b) if {
	_same(a, b)
	name_a < name_b
}

_same("", "")

_same(a, b) if {
	a != ""
	b != ""
	time.parse_rfc3339_ns(a) == time.parse_rfc3339_ns(b)
}
