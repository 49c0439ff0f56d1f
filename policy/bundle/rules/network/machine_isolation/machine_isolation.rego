# METADATA
# title: A machine's traffic is denied by default
# description: |
#   For the launcher pod that runs and the one that the next start makes: NetworkPolicies isolate both directions, no
#   policy that may select it lets anything in, and out goes only to cluster DNS and to what is granted.
# custom:
#   id: NET-001
#   topic: network-isolation
#   severity: high
#   subjects: [UDSVirtualMachine, VirtualMachine]
#   enforces: [admission, plan]
#   always_applies: true
#   parameters: [networkPolicyEnforcement, dns, grants.egress]
#   controls:
#     - id: sc-7.5
#       statements: [sc-7.5_smt]
#       objectives: [sc-7.5_obj-1, sc-7.5_obj-2]
#       coverage: full
#       remarks: |
#         Where the organisation names the virtual machines in scope (sc-07.05_odp.01), their only managed interface is
#         the launcher pod's: it is shown to deny by default and to allow by exception. That the network plugin enforces
#         NetworkPolicies is the parameter networkPolicyEnforcement; networks around it are NET-003.
#     - {id: sc-7, statements: [sc-7_smt.a], objectives: [sc-7_obj.a-4]}
#     - {id: ac-4, statements: [ac-4_smt], objectives: [ac-4_obj]}
#   remediation: |
#     Let one NetworkPolicy with policyTypes Ingress and Egress select the launcher pod, without an ingress rule and with
#     egress to the cluster's DNS pods on port 53 only; narrow or remove every other policy that selects it.
package cato.rules.network.machine_isolation

import data.cato.lib.isolation
import data.cato.lib.result

# METADATA
# description: Each is decided for all launchers and policies at once, so that one that is missing cannot drop out.
judged := {"enforcement", "ingress", "egress"}

# METADATA
# description: The parameter says that policies are enforced.
report contains result.pass("enforcement", {"networkPolicyEnforcement": input.params.networkPolicyEnforcement}) if {
	isolation.enforced
}

# METADATA
# description: Nothing comes in.
report contains result.pass("ingress", isolation.evidence) if {
	isolation.ingress_denied
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
# description: A pod that no policy selects is open.
report contains result.fail(
	found.direction,
	$"no NetworkPolicy isolates the {found.direction} of the launcher pod ({found.launcher.name})",
	{"launcher": found.launcher},
) if {
	not isolation.whole
	some found in isolation.exposed
}

# METADATA
# description: A policy that selects the launcher adds to what it may do.
report contains result.fail(
	found.direction,
	$"{found.rule.path} lets more {found.direction} through to the launcher pod ({found.launcher.name}) than is allowed",
	{"launcher": found.launcher, "policy": found.policy, "rule": found.rule},
) if {
	not isolation.whole
	some found in isolation.widening
	found.certain == true
}

# METADATA
# description: Whether the policy selects the launcher is settled only at run time.
report contains result.unknown(
	found.direction,
	$"{found.rule.path} would let more {found.direction} through, and may come to select the launcher pod ({found.launcher.name})",
) if {
	not isolation.whole
	some found in isolation.widening
	found.certain == false
}

# METADATA
# description: What would be isolated is not there.
report contains result.unknown(target, "no launcher pod is described: the VirtualMachine does not exist yet") if {
	input.network.launchers == []
	some target in ["ingress", "egress"]
}
