# METADATA
# title: A network's range and gateway can work
# description: |
#   The range holds addresses that guests can have, and the gateway is the address of a host in it: neither that of the
#   network itself nor, in IPv4, the broadcast address. A shared Network may leave its range to others.
# custom:
#   id: NET-021
#   topic: network-range
#   severity: medium
#   subjects: [Network]
#   enforces: [admission, plan]
#   always_applies: true
#   controls:
#     - {id: sc-7, statements: [sc-7_smt.a], objectives: [sc-7_obj.a-4]}
#   remediation: |
#     Write cidr from its first address, with room for two hosts, in a private range such as 10.0.1.0/24, and as gateway
#     the address of a host in it, such as 10.0.1.1.
package cato.rules.fabric.range

import data.cato.lib.result

# METADATA
# description: Both are judged of every Network.
judged := {"cidr", "gateway"}

# METADATA
# description: The range holds addresses that guests can have.
report contains result.pass("cidr", {"network": network}) if {
	some network in input.object.network
	network.problem == ""
	network.prefix[0].cidr == network.cidr
}

# METADATA
# description: The platform gives the addresses out by other means.
report contains result.pass("cidr", {"network": network}) if {
	some network in input.object.network
	_elsewhere(network)
}

# METADATA
# description: There is no gateway.
report contains result.pass("gateway", {"network": network}) if {
	some network in input.object.network
	network.gateway == ""
	network.gatewayValid == true
}

# METADATA
# description: The gateway is the address of a host in the range.
report contains result.pass("gateway", {"network": network}) if {
	some network in input.object.network
	network.gatewayValid == true
	network.gateway != ""
	_host(network, network.prefix[0])
}

# METADATA
# description: The range is none.
report contains result.fail("cidr", $"cidr {network.cidr} {network.problem}", {"network": network}) if {
	some network in input.object.network
	network.problem != ""
}

# METADATA
# description: An isolated network is all that gives its guests addresses.
report contains result.fail("cidr", "an isolated Network has no cidr", {"network": network}) if {
	some network in input.object.network
	network.problem == ""
	network.prefix == []
	not _elsewhere(network)
}

# METADATA
# description: The gateway is no address.
report contains result.fail("gateway", $"gateway {network.gateway} is no address", {"network": network}) if {
	some network in input.object.network
	network.gatewayValid == false
}

# METADATA
# description: The gateway is none that a host of the range can have.
report contains result.fail(
	"gateway",
	$"gateway {network.gateway} is not the address of a host in {prefix.cidr}",
	{"network": network},
) if {
	some network in input.object.network
	network.gatewayValid == true
	network.gateway != ""
	some prefix in network.prefix
	not _host(network, prefix)
}

# METADATA
# description: A gateway into a range that is not known.
report contains result.fail("gateway", $"gateway {network.gateway} lies in no range: set cidr", {"network": network}) if {
	some network in input.object.network
	network.gateway != ""
	network.prefix == []
}

_elsewhere(network) if {
	network.type == "shared"
	network.cidr == ""
	network.prefix == []
	network.problem == ""
}

_host(network, prefix) if {
	net.cidr_contains(prefix.cidr, network.gateway)
	network.gateway != prefix.network
	network.gateway != prefix.broadcast
}
