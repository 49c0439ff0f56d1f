# METADATA
# title: Secondary networks
# description: |
#   A machine may be attached to the NetworkAttachmentDefinitions of its own namespace that it asks for and that the
#   ComplianceProfile grants to that namespace. An Instance may be attached to the isolated Networks of its own
#   namespace, and to a shared Network of the platform that the profile grants. NetworkPolicy does not reach them.
# custom:
#   source: ComplianceProfile spec.parameters, grants of secondary networks with a namespace selector; for an Instance the isolated Networks of its namespace
#   on_refusal: refuse
#   subjects: [UDSVirtualMachine, Instance]
package cato.grants.secondary_network

# METADATA
# description: Given only when the machine asks for networks and all of them are granted.
given contains {
	"because": "each network lies in the machine's namespace and is named by a grant of the profile",
	"evidence": {"networks": machine.networks, "grants": input.params.grants.secondaryNetworks},
} if {
	some machine in input.object.machine
	count(machine.networks) > 0
	every network in machine.networks {
		_granted(network)
	}
}

# METADATA
# description: Each NIC of the Instance is on an isolated Network of its own namespace, or on one that is granted.
given contains {
	"because": "each NIC is on an isolated Network of the namespace, or on a shared one that a grant of the profile names",
	"evidence": {"nics": instance.nics, "grants": input.params.grants.secondaryNetworks},
} if {
	some instance in input.object.instance
	count(instance.nics) > 0
	every nic in instance.nics {
		_attached(nic)
	}
}

_attached(nic) if {
	nic.found == true
	nic.type == "isolated"
	nic.in == input.subject.namespace
	input.subject.namespace != ""
	[input.subject.namespace, _] = split(nic.nad, "/")
}

_attached(nic) if {
	nic.found == true
	nic.type == "shared"
	nic.nad != ""
	some grant in input.params.grants.secondaryNetworks
	grant.selects == true
	nic.nad in grant.networks
}

_granted(network) if {
	input.subject.namespace != ""
	[input.subject.namespace, _] = split(network, "/")
	some grant in input.params.grants.secondaryNetworks
	grant.selects == true
	network in grant.networks
}
