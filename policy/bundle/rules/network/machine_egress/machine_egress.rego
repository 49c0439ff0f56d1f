# METADATA
# title: A machine reaches cluster DNS and nothing else
# description: |
#   The launcher pod that runs and the one that the next start makes are isolated for egress, and the union of all
#   policies lets them reach port 53 of the cluster's DNS pods only, or an address block that is granted.
# custom:
#   id: NET-002
#   topic: egress
#   severity: high
#   subjects: [UDSVirtualMachine, VirtualMachine]
#   enforces: [admission, plan]
#   always_applies: true
#   parameters: [networkPolicyEnforcement, dns, grants.egress]
#   controls:
#     - {id: sc-7, statements: [sc-7_smt.a], objectives: [sc-7_obj.a-2, sc-7_obj.a-4]}
#     - {id: sc-7.5, statements: [sc-7.5_smt], objectives: [sc-7.5_obj-1, sc-7.5_obj-2]}
#     - {id: ac-4, statements: [ac-4_smt], objectives: [ac-4_obj]}
#   remediation: |
#     Put namespaceSelector and podSelector of the DNS pods into one item of `to`, name UDP and TCP port 53, list Egress
#     in policyTypes, and have every other destination granted by the ComplianceProfile.
package cato.rules.network.machine_egress

import data.cato.lib.isolation
import data.cato.lib.result

# METADATA
# description: Decided for all launchers and policies at once.
judged := {"enforcement", "egress"}

# METADATA
# description: The parameter says that policies are enforced.
report contains result.pass("enforcement", {"networkPolicyEnforcement": input.params.networkPolicyEnforcement}) if {
	isolation.enforced
}

# METADATA
# description: Nothing but DNS and what is granted goes out.
report contains result.pass("egress", isolation.evidence) if {
	isolation.egress_confined
}

# METADATA
# description: Without enforcement every policy is ink.
report contains result.fail("enforcement", "the cluster's network plugin does not enforce NetworkPolicies", {"networkPolicyEnforcement": input.params.networkPolicyEnforcement}) if {
	input.params.networkPolicyEnforcement == "none"
}

# METADATA
# description: A policy that does not list Egress in policyTypes isolates no egress, whatever egress rules it has.
report contains result.fail(
	"egress",
	$"no NetworkPolicy isolates the egress of the launcher pod ({found.launcher.name})",
	{"launcher": found.launcher},
) if {
	not isolation.egress_confined
	some found in isolation.exposed
	found.direction == "egress"
}

# METADATA
# description: A rule of a policy that selects the launcher reaches further.
report contains result.fail(
	"egress",
	$"{found.rule.path} lets the launcher pod ({found.launcher.name}) reach more than cluster DNS and what is granted",
	{"launcher": found.launcher, "policy": found.policy, "rule": found.rule},
) if {
	not isolation.egress_confined
	some found in isolation.widening
	found.direction == "egress"
	found.certain == true
}

# METADATA
# description: Whether the policy selects the launcher is settled only at run time.
report contains result.unknown(
	"egress",
	$"{found.rule.path} reaches further, and may come to select the launcher pod ({found.launcher.name})",
) if {
	not isolation.egress_confined
	some found in isolation.widening
	found.direction == "egress"
	found.certain == false
}

# METADATA
# description: What would be isolated is not there.
report contains result.unknown("egress", "no launcher pod is described: the VirtualMachine does not exist yet") if {
	input.network.launchers == []
}
