# METADATA
# title: A security group opens no more than its tenant's isolation allows
# description: |
#   NetworkPolicies add up, so a group can open what the tenant's default policy keeps closed. It may open TCP 80 and 443
#   outwards, as the defaults of VirtFoundry do, and what a ComplianceProfile grants to the groups of the namespace.
# custom:
#   id: NET-027
#   topic: security-group-bounds
#   severity: high
#   subjects: [SecurityGroup]
#   enforces: [admission, plan]
#   always_applies: true
#   parameters: [dns, kubevirtNamespace, cdiNamespace, grants.securityGroups]
#   controls:
#     - {id: sc-7, statements: [sc-7_smt.a], objectives: [sc-7_obj.a-4]}
#     - {id: sc-7.21, statements: [sc-7.21_smt], objectives: [sc-7.21_obj]}
#     - {id: ac-4, statements: [ac-4_smt], objectives: [ac-4_obj]}
#   remediation: |
#     Narrow the rule, or have a ComplianceProfile grant its cidr in spec.parameters.grants.securityGroups to this namespace.
package cato.rules.fabric.group_bounds

import data.cato.lib.result
import data.cato.lib.tenantnet

# METADATA
# description: Each direction is decided whole, so that a rule that is missing cannot drop out.
judged := {"ingress", "egress"}

# METADATA
# description: What comes in is granted.
report contains result.pass("ingress", {"policy": policy.ref, "grants": input.params.grants.securityGroups}) if {
	some group in input.object.securityGroup
	some policy in input.network.policies
	policy.name == group.policy
	every rule in policy.ingressRules {
		tenantnet.ingress_permitted(rule)
	}
}

# METADATA
# description: What goes out is granted, or open by default.
report contains result.pass("egress", {"policy": policy.ref, "grants": input.params.grants.securityGroups}) if {
	some group in input.object.securityGroup
	some policy in input.network.policies
	policy.name == group.policy
	every rule in policy.egressRules {
		tenantnet.egress_permitted(rule)
	}
}

# METADATA
# description: Somebody is let in whom nothing grants.
report contains result.fail("ingress", $"{rule.path} lets in what nothing grants", {"rule": rule, "grants": input.params.grants.securityGroups}) if {
	some group in input.object.securityGroup
	some policy in input.network.policies
	policy.name == group.policy
	some rule in policy.ingressRules
	not tenantnet.ingress_permitted(rule)
}

# METADATA
# description: Something is let out that nothing grants.
report contains result.fail("egress", $"{rule.path} lets out what nothing grants", {"rule": rule, "grants": input.params.grants.securityGroups}) if {
	some group in input.object.securityGroup
	some policy in input.network.policies
	policy.name == group.policy
	some rule in policy.egressRules
	not tenantnet.egress_permitted(rule)
}

# METADATA
# description: The group has no effect yet.
report contains result.unknown("ingress", $"NetworkPolicy {group.policy} of the group does not exist") if {
	some group in input.object.securityGroup
	every policy in input.network.policies {
		policy.name != group.policy
	}
}
