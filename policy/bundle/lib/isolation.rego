# METADATA
# title: Isolation of a machine
# description: |
#   NetworkPolicies add up: what a launcher pod may do is the union of all that select it. The launcher that runs
#   and the one that the next start makes are both judged. A policy that only may select one never protects.
package cato.lib.isolation

import data.cato.grants.extra_egress
import data.cato.lib.netpol

# METADATA
# description: Somebody says that the cluster's network plugin enforces NetworkPolicies; through the API it cannot be seen.
enforced if input.params.networkPolicyEnforcement == "assumed"

enforced if input.params.networkPolicyEnforcement == "verified"

# METADATA
# description: There is a launcher pod to judge, and no traffic can come in to any.
ingress_denied if {
	_isolated_both
	_nobody_let_in
}

ingress_denied if {
	_isolated("ingress")
	every launcher in input.network.launchers {
		_ingress_denied(launcher)
	}
}

# METADATA
# description: There is a launcher pod to judge, and none gets out but to cluster DNS and what is granted.
egress_confined if {
	_isolated_both
	_nobody_let_out
}

egress_confined if {
	_isolated("egress")
	every launcher in input.network.launchers {
		_egress_confined(launcher)
	}
}

# METADATA
# description: Both directions are closed, so that neither a launcher that is exposed nor a rule that widens is left to find.
whole if {
	ingress_denied
	egress_confined
}

# METADATA
# description: The launchers that are judged, and by which policies, for findings.
evidence := {"launchers": input.network.launchers, "policies": [policy.ref | some policy in input.network.policies]}

_isolated(direction) if {
	input.network.launchers[0]
	every launcher in input.network.launchers {
		some policy in input.network.policies
		policy[direction] == true
		policy.selects[_] == launcher.name
	}
}

# The usual policy isolates both directions, so that one look is enough for both.
_isolated_both if {
	input.network.launchers[0]
	every launcher in input.network.launchers {
		some policy in input.network.policies
		policy.ingress == true
		policy.egress == true
		policy.selects[_] == launcher.name
	}
}

# Whomever a policy selects, it adds nothing: then nobody need ask whom it selects.
_nobody_let_in if {
	every policy in input.network.policies {
		policy.ingressRules == []
	}
}

_nobody_let_out if {
	every policy in input.network.policies {
		every rule in policy.egressRules {
			_permitted(rule)
		}
	}
}

_ingress_denied(launcher) if {
	every policy in input.network.policies {
		_adds_no_ingress(policy, launcher)
	}
}

_egress_confined(launcher) if {
	every policy in input.network.policies {
		_adds_no_egress(policy, launcher)
	}
}

_adds_no_ingress(policy, launcher) if _apart(policy, launcher)

_adds_no_ingress(policy, _) if policy.ingress == false

_adds_no_ingress(policy, _) if {
	every rule in policy.ingressRules {
		netpol.closed(rule)
	}
}

_adds_no_egress(policy, launcher) if _apart(policy, launcher)

_adds_no_egress(policy, _) if policy.egress == false

_adds_no_egress(policy, _) if {
	every rule in policy.egressRules {
		_permitted(rule)
	}
}

# An absent list would make a negation true: both lists must be there.
_apart(policy, launcher) if {
	is_string(launcher.name)
	is_array(policy.selects)
	is_array(policy.maySelect)
	not launcher.name in policy.selects
	not launcher.name in policy.maySelect
}

# To cluster DNS alone, as most rules are: its ports are looked at once and not for each peer.
_permitted(rule) if {
	rule.anyPeer == false
	netpol.dns_ports(rule)
	rule.peers[0]
	every peer in rule.peers {
		netpol.dns_peer(peer, input.subject.namespace)
	}
}

_permitted(rule) if {
	rule.anyPeer == false
	count(rule.peers) > 0
	every peer in rule.peers {
		_permitted_peer(peer, rule)
	}
}

_permitted_peer(peer, _) if netpol.nobody(peer)

_permitted_peer(peer, rule) if {
	netpol.dns_peer(peer, input.subject.namespace)
	netpol.dns_ports(rule)
}

# The grant is given for all that the machine asks for, so the policy must lie within what it asks for.
_permitted_peer(peer, rule) if {
	extra_egress.given != set()
	some machine in input.object.machine
	some entry in machine.egress
	netpol.cidr_within(peer.cidr, entry.cidr)
	netpol.ports_within(rule, entry.ports)
}

# METADATA
# description: The launchers that no policy isolates in a direction.
exposed contains {"direction": direction, "launcher": launcher} if {
	not _all_isolated
	some launcher in input.network.launchers
	some direction in ["ingress", "egress"]
	every policy in input.network.policies {
		_no_isolation(policy, launcher, direction)
	}
}

_all_isolated if {
	_isolated("ingress")
	_isolated("egress")
}

_no_isolation(policy, launcher, _) if {
	is_array(policy.selects)
	is_string(launcher.name)
	not launcher.name in policy.selects
}

_no_isolation(policy, _, direction) if policy[direction] == false

# METADATA
# description: The rules of policies in force that let more through, for a launcher that is selected, certainly or perhaps.
widening contains {
	"direction": "ingress",
	"launcher": launcher,
	"policy": policy,
	"rule": rule,
	"certain": launcher.name in policy.selects,
} if {
	not ingress_denied
	some policy in input.network.policies
	policy.ingress == true
	some launcher in input.network.launchers
	launcher.name in array.concat(policy.selects, policy.maySelect)
	some rule in policy.ingressRules
	not netpol.closed(rule)
}

widening contains {
	"direction": "egress",
	"launcher": launcher,
	"policy": policy,
	"rule": rule,
	"certain": launcher.name in policy.selects,
} if {
	not egress_confined
	some policy in input.network.policies
	policy.egress == true
	some launcher in input.network.launchers
	launcher.name in array.concat(policy.selects, policy.maySelect)
	some rule in policy.egressRules
	not _permitted(rule)
}
