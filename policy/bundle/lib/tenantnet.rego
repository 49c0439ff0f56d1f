# METADATA
# title: The network of a tenant's namespace
# description: |
#   Whether what the NetworkPolicies of the namespace let through is no wider than the five default rules of
#   VirtFoundry: from and to the own namespace, to cluster DNS, to KubeVirt and CDI, to TCP 80 and 443 anywhere.
package cato.lib.tenantnet

import data.cato.lib.netpol
import data.cato.lib.selector

# METADATA
# description: A policy for every pod of the namespace isolates the direction.
isolated(direction) if {
	some policy in input.network.policies
	policy.pods == []
	policy[direction] == true
}

# METADATA
# description: Policies are known, and none for every pod isolates the direction.
exposed(direction) if {
	count(input.namespace) > 0
	is_array(input.network.policies)
	not isolated(direction)
}

# METADATA
# description: No policy lets anybody in but pods of the own namespace.
ingress_confined if {
	every policy in input.network.policies {
		_adds_no_ingress(policy)
	}
}

_adds_no_ingress(policy) if selector.impossible(policy.pods)

_adds_no_ingress(policy) if policy.ingress == false

_adds_no_ingress(policy) if {
	every rule in policy.ingressRules {
		ingress_permitted(rule)
	}
}

# METADATA
# description: The rule admits pods of the own namespace at most.
ingress_permitted(rule) if {
	rule.anyPeer == false
	count(rule.peers) > 0
	every peer in rule.peers {
		_own(peer)
	}
}

ingress_permitted(rule) if granted(rule)

_own(peer) if netpol.namespaces(peer, own_namespace) - {own_namespace} == set()

_own(peer) if netpol.nobody(peer)

# METADATA
# description: The namespace whose policies are judged, a Tenant's or that an Instance lives in.
own_namespace := tenant.namespaceName if {
	some tenant in input.object.tenant
} else := input.subject.namespace if {
	input.object.tenant == []
	count(input.object.instance) == 1
}

# METADATA
# description: The rules of policies in force that let more in than the default.
ingress_widening contains {"policy": policy, "rule": rule} if {
	some policy in input.network.policies
	policy.ingress == true
	not selector.impossible(policy.pods)
	some rule in policy.ingressRules
	not ingress_permitted(rule)
}

# METADATA
# description: |
#   The rule lets out no more than the defaults, each pair of peer and port by one of them. TCP 80 and 443 are open to
#   anybody: whether they should be is judged by the topic egress.
egress_permitted(rule) if netpol.web_ports(rule)

egress_permitted(rule) if inner(rule)

egress_permitted(rule) if {
	rule.anyPeer == false
	count(rule.peers) > 0
	every peer in rule.peers {
		inward(peer, rule, {"dns", "web"})
	}
}

egress_permitted(rule) if granted(rule)

# METADATA
# description: The rule lets out to the own namespace, cluster DNS, KubeVirt and CDI at most.
inner(rule) if {
	rule.anyPeer == false
	count(rule.peers) > 0
	every peer in rule.peers {
		inward(peer, rule, {"dns"})
	}
}

# METADATA
# description: Each peer is an address block that the ComplianceProfile lets the security groups of the namespace open.
granted(rule) if {
	rule.anyPeer == false
	count(rule.peers) > 0
	every peer in rule.peers {
		_granted_block(peer)
	}
}

_granted_block(peer) if {
	some grant in input.params.grants.securityGroups
	grant.selects == true
	some block in grant.cidrs
	netpol.cidr_within(peer.cidr, block)
}

# METADATA
# description: The peer lies within what the defaults open beside the world, by ports of these uses where it answers for DNS.
inward(peer, rule, uses) if {
	every namespace in netpol.namespaces(peer, own_namespace) {
		_reachable(namespace, own_namespace, peer, rule, uses)
	}
}

inward(peer, _, _) if netpol.nobody(peer)

_reachable(namespace, own, _, _, _) if {
	namespace in {own, input.params.kubevirtNamespace, input.params.cdiNamespace}
}

_reachable(namespace, _, peer, rule, uses) if {
	netpol.dns_pods(namespace, peer.pods)
	rule.anyPort == false
	count(rule.ports) > 0
	every port in rule.ports {
		_used(port, uses)
	}
}

_used(port, uses) if {
	"dns" in uses
	netpol.dns_port(port)
}

_used(port, uses) if {
	"web" in uses
	netpol.web_port(port)
}

# METADATA
# description: The direction is not in force, or the policy selects nobody.
egress_idle(policy) if selector.impossible(policy.pods)

egress_idle(policy) if policy.egress == false
