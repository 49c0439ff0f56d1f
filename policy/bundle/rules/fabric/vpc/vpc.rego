# METADATA
# title: A VPC contains its networks
# description: The ranges of all Networks that name the VPC lie in its range. A VPC without a range holds any.
# custom:
#   id: NET-024
#   topic: vpc-plan
#   severity: medium
#   subjects: [VPC]
#   always_applies: true
#   controls:
#     - {id: sc-7, statements: [sc-7_smt.a], objectives: [sc-7_obj.a-4]}
#   remediation: |
#     Create the Network that lies outside again with a part of the VPC's range, or the VPC with a range that contains it.
package cato.rules.fabric.vpc

import data.cato.lib.result

# METADATA
# description: All Networks are one target, so that one that is missing cannot drop out.
judged := {"cidr", "networks"}

# METADATA
# description: The range is one, or there is none.
report contains result.pass("cidr", {"vpc": vpc}) if {
	some vpc in input.object.vpc
	vpc.problem == ""
}

# METADATA
# description: Each Network lies in the range.
report contains result.pass("networks", {"vpc": vpc, "networks": input.fabric.networks}) if {
	some vpc in input.object.vpc
	vpc.problem == ""
	every network in input.fabric.networks {
		_within(vpc, network)
	}
}

# METADATA
# description: The range is none.
report contains result.fail("cidr", $"cidr {vpc.cidr} {vpc.problem}", {"vpc": vpc}) if {
	some vpc in input.object.vpc
	vpc.problem != ""
}

# METADATA
# description: A Network lies outside.
report contains result.fail(
	"networks",
	$"cidr {network.cidr} of Network {network.name} does not lie in {vpc.cidr}",
	{"vpc": vpc, "network": network},
) if {
	some vpc in input.object.vpc
	vpc.problem == ""
	some network in input.fabric.networks
	not _within(vpc, network)
}

_within(vpc, _) if vpc.cidr == ""

_within(vpc, network) if {
	network.valid == true
	net.cidr_contains(vpc.prefix[0].cidr, network.cidr)
}
