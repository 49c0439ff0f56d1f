# METADATA
# title: A guest has the addresses that are held for it
# description: |
#   Each NIC of an Instance on an isolated Network has an IPAddress of its own, <instance>-<nic>, which this very Instance
#   controls, by uid, and whose address is held. An IPAddress of that name that is another's is never taken over.
# custom:
#   id: NET-013
#   topic: instance-address
#   severity: medium
#   subjects: [Instance]
#   judges: [plan, live]
#   enforces: [plan]
#   controls:
#     - {id: ia-4, statements: [ia-4_smt.b, ia-4_smt.c], objectives: [ia-4_obj.b, ia-4_obj.c]}
#   remediation: |
#     Delete the IPAddress that is in the way, or rename the NIC. For another network or address of a NIC halt the guest
#     first (spec.powerState Halted): until then it has the old one.
package cato.rules.network.instance_address

import data.cato.lib.result

# METADATA
# description: All NICs are one target, so that one that is missing cannot drop out.
judged contains "addresses" if not _none

# METADATA
# description: Each NIC that needs an address has one of its own.
report contains result.pass("addresses", {"instance": instance, "claims": input.fabric.nicClaims}) if {
	some instance in input.object.instance
	instance.nics[0]
	not _none
	every nic in instance.nics {
		_addressed(nic)
	}
}

# METADATA
# description: The name is taken by an IPAddress of somebody else.
report contains result.fail("addresses", $"IPAddress {claim.name}, which NIC {nic.name} needs, is not this Instance's", {"nic": nic, "claim": claim}) if {
	some instance in input.object.instance
	some nic in instance.nics
	nic.numbered == true
	some claim in input.fabric.nicClaims
	claim.name == nic.claim
	not _own(claim)
	not _earlier(claim)
	not _lost(claim)
}

# METADATA
# description: The IPAddress goes with the Instance of this name that was there before.
report contains result.unknown("addresses", $"IPAddress {claim.name}, which NIC {nic.name} needs, is of an earlier Instance of this name and is going") if {
	some instance in input.object.instance
	some nic in instance.nics
	nic.numbered == true
	some claim in input.fabric.nicClaims
	claim.name == nic.claim
	_earlier(claim)
}

# METADATA
# description: The guest has what the NIC had, until it is halted.
report contains result.unknown("addresses", message) if {
	some instance in input.object.instance
	some nic in instance.nics
	nic.numbered == true
	some claim in input.fabric.nicClaims
	claim.name == nic.claim
	_own(claim)
	not _wanted(nic, claim)
	message := $"IPAddress {claim.name} of NIC {nic.name} has another network or address and is held until the guest is halted"
}

# METADATA
# description: Nothing says yet what the Network gives.
report contains result.unknown("addresses", $"{nic.path} names Network {nic.network}, which does not exist") if {
	some instance in input.object.instance
	some nic in instance.nics
	nic.found == false
}

# METADATA
# description: No address is held for the NIC yet, or nobody controls what holds it.
report contains result.unknown("addresses", $"NIC {nic.name} has no address that is held for it: IPAddress {nic.claim}") if {
	input.moment == "live"
	some instance in input.object.instance
	some nic in instance.nics
	nic.numbered == true
	not _addressed(nic)
}

# METADATA
# description: No NIC is on a Network that gives addresses.
report contains result.not_applicable("no NIC is on an isolated Network") if _none

_none if {
	some instance in input.object.instance
	every nic in instance.nics {
		nic.found == true
		nic.numbered == false
	}
}

_addressed(nic) if {
	nic.found == true
	nic.numbered == false
}

_addressed(nic) if {
	nic.found == true
	nic.numbered == true
	some claim in input.fabric.nicClaims
	claim.name == nic.claim
	_ours(claim)
	_wanted(nic, claim)
	_given(claim)
}

_ours(claim) if _own(claim)

# What lost its owner is put right by the write.
_ours(claim) if {
	input.moment == "plan"
	_lost(claim)
}

_wanted(nic, claim) if {
	claim.network == nic.network
	_any(nic, claim)
}

_any(nic, _) if nic.asked == ""

_any(nic, claim) if nic.asked == claim.address

_any(nic, claim) if {
	nic.asked != ""
	claim.address == ""
}

# Before the guest is written its address is waited for.
_given(claim) if {
	input.moment == "plan"
	is_string(claim.address)
}

_given(claim) if {
	claim.held == true
	is_string(claim.address)
	claim.address != ""
}

_own(claim) if {
	owner := _owner(claim)
	owner.uid == input.subject.uid
	_identified(owner)
}

_earlier(claim) if {
	owner := _owner(claim)
	owner.uid != input.subject.uid
}

_lost(claim) if {
	claim.written == true
	every one in claim.owners {
		one.controller == false
	}
}

_owner(claim) := owner if {
	[owner] := [one | some one in claim.owners; one.controller == true]
	owner.group == "virtfoundry.io"
	owner.kind == "Instance"
	owner.name == input.subject.name
}

# Before the Instance exists neither side has a uid.
_identified(owner) if owner.uid != ""

_identified(_) if input.moment == "plan"
