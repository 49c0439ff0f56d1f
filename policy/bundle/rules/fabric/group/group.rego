# METADATA
# title: A security group lets through what its rules say and nothing else
# description: |
#   Its NetworkPolicy selects the pods with the group's label, isolates both directions, and lets through no more than
#   the group's rules of tcp and udp: a direction without rules lets nothing through. It reaches the pod network only.
# custom:
#   id: NET-026
#   topic: security-group
#   severity: high
#   subjects: [SecurityGroup]
#   enforces: [admission, plan]
#   always_applies: true
#   controls:
#     - {id: sc-7, statements: [sc-7_smt.a], objectives: [sc-7_obj.a-4]}
#     - {id: sc-7.5, statements: [sc-7.5_smt], objectives: [sc-7.5_obj-1, sc-7.5_obj-2]}
#     - {id: ac-4, statements: [ac-4_smt], objectives: [ac-4_obj]}
#   remediation: |
#     Write each rule with direction ingress or egress, protocol tcp, udp or icmp, ports of 1 to 65535 and a CIDR, and
#     leave the group's NetworkPolicy to the operator.
package cato.rules.fabric.group

import data.cato.lib.netpol
import data.cato.lib.result

# METADATA
# description: The policy is decided whole, so that one that is missing cannot drop out.
judged := {"rules", "selector", "ingress", "egress"}

# METADATA
# description: Each rule says one thing.
report contains result.pass("rules", {"group": group}) if {
	some group in input.object.securityGroup
	every rule in group.rules {
		rule.valid == true
	}
}

# METADATA
# description: The pods of the group are selected.
report contains result.pass("selector", {"policy": policy.ref}) if {
	some group in input.object.securityGroup
	some policy in input.network.policies
	policy.name == group.policy
	_selects(policy, group)
}

# METADATA
# description: The direction is closed but for the rules.
report contains result.pass(direction, {"policy": policy.ref, "group": group}) if {
	some group in input.object.securityGroup
	some policy in input.network.policies
	policy.name == group.policy
	some direction in ["ingress", "egress"]
	policy[direction] == true
	every rule in policy[sprintf("%sRules", [direction])] {
		_asked(rule, group, direction)
	}
}

# METADATA
# description: A rule means nothing.
report contains result.fail("rules", $"{rule.path} has a direction, protocol, port or cidr that does not exist", {"rule": rule}) if {
	some group in input.object.securityGroup
	some rule in group.rules
	rule.valid == false
}

# METADATA
# description: Other pods are selected.
report contains result.fail("selector", $"NetworkPolicy {policy.name} does not select the pods labelled {group.label}=true", {"policy": policy}) if {
	some group in input.object.securityGroup
	some policy in input.network.policies
	policy.name == group.policy
	not _selects(policy, group)
}

# METADATA
# description: A direction that is not isolated is open.
report contains result.fail(direction, $"NetworkPolicy {policy.name} does not isolate the {direction}", {"policy": policy}) if {
	some group in input.object.securityGroup
	some policy in input.network.policies
	policy.name == group.policy
	some direction in ["ingress", "egress"]
	policy[direction] == false
}

# METADATA
# description: More is let through than the group says.
report contains result.fail(direction, $"{rule.path} lets through more than the rules of the group", {"policy": policy, "rule": rule}) if {
	some group in input.object.securityGroup
	some policy in input.network.policies
	policy.name == group.policy
	some direction in ["ingress", "egress"]
	some rule in policy[sprintf("%sRules", [direction])]
	not _asked(rule, group, direction)
}

# METADATA
# description: The group has no effect yet.
report contains result.unknown("selector", $"NetworkPolicy {group.policy} of the group does not exist") if {
	some group in input.object.securityGroup
	every policy in input.network.policies {
		policy.name != group.policy
	}
}

_selects(policy, group) if policy.pods == [{"key": group.label, "operator": "In", "values": ["true"]}]

_asked(rule, group, direction) if {
	rule.anyPeer == false
	rule.anyPort == false
	count(rule.peers) > 0
	count(rule.ports) > 0
	every peer in rule.peers {
		every port in rule.ports {
			_covered(peer, port, group, direction)
		}
	}
}

_covered(peer, port, group, direction) if {
	some asked in group.rules
	asked.valid == true
	asked.direction == direction
	asked.protocol in {"tcp", "udp"}
	netpol.cidr_within(peer.cidr, asked.cidr)
	netpol.port_within(port, [{"protocol": upper(asked.protocol), "number": asked.from, "end": asked.to, "name": ""}])
}
