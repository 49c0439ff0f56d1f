# METADATA
# title: A tenant's namespace is isolated
# description: |
#   NetworkPolicies for every pod isolate both directions, and no rule of any policy of the namespace lets more through
#   than the five default rules of VirtFoundry, TCP 80 and 443 to anywhere among them.
# custom:
#   id: NET-010
#   topic: network-isolation
#   severity: high
#   subjects: [Tenant, Instance]
#   enforces: [admission, plan]
#   always_applies: true
#   parameters: [networkPolicyEnforcement, dns, kubevirtNamespace, cdiNamespace, grants.securityGroups]
#   controls:
#     - {id: sc-7, statements: [sc-7_smt.a], objectives: [sc-7_obj.a-4]}
#     - {id: sc-7.5, statements: [sc-7.5_smt], objectives: [sc-7.5_obj-1, sc-7.5_obj-2]}
#     - {id: sc-7.21, statements: [sc-7.21_smt], objectives: [sc-7.21_obj]}
#     - {id: ac-4, statements: [ac-4_smt], objectives: [ac-4_obj]}
#   remediation: |
#     Keep one NetworkPolicy with an empty podSelector and both policyTypes, and narrow every rule of every policy to the
#     own namespace, cluster DNS, the namespaces of KubeVirt and CDI, and TCP 80 and 443.
package cato.rules.network.tenant_isolation

import data.cato.lib.result
import data.cato.lib.tenancy
import data.cato.lib.tenantnet

# METADATA
# description: Each is decided for all policies at once, so that one that is missing cannot drop out.
judged := {"enforcement", "ingress", "egress"}

# METADATA
# description: The parameter says that policies are enforced.
report contains result.pass("enforcement", {"networkPolicyEnforcement": input.params.networkPolicyEnforcement}) if {
	input.params.networkPolicyEnforcement in {"assumed", "verified"}
}

# METADATA
# description: Only the own namespace comes in.
report contains result.pass("ingress", {"policies": input.network.policies}) if {
	count(input.namespace) > 0
	tenantnet.isolated("ingress")
	tenantnet.ingress_confined
}

# METADATA
# description: Nothing goes out that the defaults do not open.
report contains result.pass("egress", {"policies": input.network.policies}) if {
	count(input.namespace) > 0
	tenantnet.isolated("egress")
	_egress_confined
}

# METADATA
# description: Without enforcement every policy is ink.
report contains result.fail(
	"enforcement",
	"the cluster's network plugin does not enforce NetworkPolicies",
	{"networkPolicyEnforcement": input.params.networkPolicyEnforcement},
) if {
	input.params.networkPolicyEnforcement == "none"
}

# METADATA
# description: Pods that no policy selects are open; a policy for some pods protects only those.
report contains result.fail(
	direction,
	$"no NetworkPolicy with an empty podSelector isolates the {direction} of the namespace",
	{"policies": input.network.policies},
) if {
	some direction in ["ingress", "egress"]
	tenantnet.exposed(direction)
}

# METADATA
# description: Somebody from outside of the namespace is let in.
report contains result.fail(
	"ingress",
	$"{found.rule.path} lets in more than pods of the own namespace",
	{"policy": found.policy, "rule": found.rule},
) if {
	not tenantnet.ingress_confined
	some found in tenantnet.ingress_widening
}

# METADATA
# description: Something is let out that none of the defaults opens.
report contains result.fail(
	"egress",
	$"{rule.path} lets out more than the default rules",
	{"policy": policy, "rule": rule},
) if {
	not _egress_confined
	some policy in input.network.policies
	not tenantnet.egress_idle(policy)
	some rule in policy.egressRules
	not tenantnet.egress_permitted(rule)
}

# METADATA
# description: There are no pods to isolate, and no policies to judge. Said once, for one of the targets.
report contains result.unknown("ingress", "the tenant's namespace does not exist") if tenancy.absent

_egress_confined if {
	every policy in input.network.policies {
		_adds_no_egress(policy)
	}
}

_adds_no_egress(policy) if tenantnet.egress_idle(policy)

_adds_no_egress(policy) if {
	every rule in policy.egressRules {
		tenantnet.egress_permitted(rule)
	}
}
