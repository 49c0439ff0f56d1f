# METADATA
# title: Secondary networks
# description: |
#   A machine may be attached to the NetworkAttachmentDefinitions of its own namespace that it asks for and that the
#   ComplianceProfile grants to that namespace. NetworkPolicy does not reach them.
# custom:
#   source: ComplianceProfile spec.parameters, grants of secondary networks with a namespace selector
#   on_refusal: refuse
#   subjects: [UDSVirtualMachine]
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

_granted(network) if {
	input.subject.namespace != ""
	[input.subject.namespace, _] = split(network, "/")
	some grant in input.params.grants.secondaryNetworks
	grant.selects == true
	network in grant.networks
}
