# METADATA
# title: Networks that the platform shares
# description: |
#   An Instance may be attached to shared Networks of another namespace that the ComplianceProfile grants to its own.
#   NetworkPolicy does not reach them.
# custom:
#   source: ComplianceProfile spec.parameters, grants of shared networks with a namespace selector
#   on_refusal: refuse
#   subjects: [Instance]
package cato.grants.shared_network

# METADATA
# description: Given only when Networks of other namespaces are wanted, each is there, shared and granted.
given contains {
	"because": "each network is shared by the platform and is named by a grant of the profile",
	"evidence": {"networks": input.fabric.wanted, "grants": input.params.grants.sharedNetworks},
} if {
	count(input.subject.namespace) > 0
	count(input.fabric.wanted) > 0
	every network in input.fabric.wanted {
		_granted(network)
	}
}

_granted(network) if {
	network.type == "shared"
	network.namespace == "virtfoundry-system"
	some grant in input.params.grants.sharedNetworks
	grant.selects == true
	concat("/", [network.namespace, network.name]) in grant.networks
}
