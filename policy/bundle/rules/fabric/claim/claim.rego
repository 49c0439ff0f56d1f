# METADATA
# title: An address is one of its network and is held once
# description: |
#   The address lies in the Network, in its pool and in no reserved range, is neither that of the network, the broadcast
#   address nor the gateway, and the IPAddress that is named after it, which holds it, is this one or was made for it.
# custom:
#   id: NET-025
#   topic: address-claim
#   severity: medium
#   subjects: [IPAddress]
#   enforces: [admission, plan]
#   always_applies: true
#   controls:
#     - {id: ia-4, statements: [ia-4_smt.b, ia-4_smt.c], objectives: [ia-4_obj.b, ia-4_obj.c]}
#     - {id: sc-7, statements: [sc-7_smt.a], objectives: [sc-7_obj.a-4]}
#   remediation: |
#     Delete the IPAddress and create it with another address of the network's pool, or without one, to have the smallest
#     free address allocated.
package cato.rules.fabric.claim

import data.cato.lib.fabric
import data.cato.lib.result

# METADATA
# description: Both are judged of every claim.
judged := {"network", "address"}

# METADATA
# description: The network is there.
report contains result.pass("network", {"networks": input.fabric.networks}) if {
	some claim in input.object.address
	some network in input.fabric.networks
	network.name == claim.network
}

# METADATA
# description: Any address will do, and none is given before the claim is stored.
report contains result.pass("address", {"claim": claim}) if {
	input.moment in {"admission", "plan"}
	some claim in input.object.address
	claim.address == ""
	claim.valid == true
}

# METADATA
# description: The address is usable, and nobody else holds it.
report contains result.pass("address", {"claim": claim, "pool": pool}) if {
	some claim in input.object.address
	some pool in input.fabric.pool
	_usable(claim, pool)
	_free(claim)
	_held(claim)
}

# METADATA
# description: The address is none.
report contains result.fail("address", $"address {claim.address} is no address", {"claim": claim}) if {
	some claim in input.object.address
	claim.valid == false
}

# METADATA
# description: The address lies elsewhere.
report contains result.fail(
	"address",
	$"address {claim.address} lies outside {pool.cidr} of Network {claim.network}",
	{"claim": claim, "pool": pool},
) if {
	some claim in input.object.address
	_written(claim)
	some pool in input.fabric.pool
	some prefix in pool.prefix
	not net.cidr_contains(prefix.cidr, claim.address)
}

# METADATA
# description: The address is the network's own.
report contains result.fail(
	"address",
	$"address {claim.address} is that of the network, its broadcast address or its gateway",
	{"claim": claim, "pool": pool},
) if {
	some claim in input.object.address
	_written(claim)
	some pool in input.fabric.pool
	some prefix in pool.prefix
	claim.address in {prefix.network, prefix.broadcast, pool.gateway}
}

# METADATA
# description: The address is not among those that are given out.
report contains result.fail("address", $"address {claim.address} lies outside the pool of Network {claim.network}", {"claim": claim, "pool": pool}) if {
	some claim in input.object.address
	_written(claim)
	some pool in input.fabric.pool
	count(pool.within) > 0
	not fabric.in_blocks(claim.address, pool.within)
}

# METADATA
# description: The address is kept for something else.
report contains result.fail(
	"address",
	$"address {claim.address} is reserved: {range.text} {range.reason}",
	{"claim": claim, "reserved": range},
) if {
	some claim in input.object.address
	_written(claim)
	some pool in input.fabric.pool
	some range in pool.reserved
	fabric.in_blocks(claim.address, range.cidrs)
}

# METADATA
# description: Another one holds the address.
report contains result.fail("address", $"address {claim.address} is held by IPAddress {other.name}", {"claim": claim, "other": other}) if {
	some claim in input.object.address
	_written(claim)
	some other in input.fabric.claims
	other.holds == true
	other.ours == false
}

# METADATA
# description: The network is not there to be looked at.
report contains result.unknown("network", $"Network {claim.network} does not exist in this namespace") if {
	some claim in input.object.address
	input.fabric.networks == []
}

# METADATA
# description: Nothing is given yet.
report contains result.unknown("address", "no address is allocated yet") if {
	input.moment == "live"
	some claim in input.object.address
	claim.address == ""
}

# METADATA
# description: Nothing holds the address yet.
report contains result.unknown("address", $"no IPAddress {claim.lock} holds the address yet") if {
	some claim in input.object.address
	_written(claim)
	not _held(claim)
}

_written(claim) if {
	claim.valid == true
	claim.address != ""
}

_usable(claim, pool) if {
	_written(claim)
	pool.problem == ""
	some prefix in pool.prefix
	net.cidr_contains(prefix.cidr, claim.address)
	claim.address != prefix.network
	claim.address != prefix.broadcast
	claim.address != pool.gateway
	_pooled(claim, pool)
	every range in pool.reserved {
		_outside(claim.address, range)
	}
}

_pooled(_, pool) if pool.within == []

_pooled(claim, pool) if fabric.in_blocks(claim.address, pool.within)

_outside(address, range) if {
	count(range.cidrs) > 0
	every block in range.cidrs {
		net.cidr_contains(block, address) == false
	}
}

_free(_) if {
	every other in input.fabric.claims {
		_yields(other)
	}
}

_yields(other) if other.holds == false

_yields(other) if other.ours == true

# Before it is written nothing can hold it; the API server lets only one object of the name in.
_held(_) if input.moment in {"admission", "plan"}

_held(claim) if claim.lock == input.subject.name

_held(_) if {
	some other in input.fabric.claims
	other.holds == true
	other.ours == true
}
