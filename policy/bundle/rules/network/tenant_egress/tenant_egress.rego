# METADATA
# title: Only importers reach the web from a tenant's namespace
# description: |
#   A NetworkPolicy for every pod isolates egress; what is let out goes to the own namespace, cluster DNS, KubeVirt and
#   CDI, and to TCP 80 and 443 of public addresses only from CDI's importer pods. TCP 80 and 443 for every pod would
#   open metadata services, nodes and private networks to guests.
# custom:
#   id: NET-011
#   topic: egress
#   severity: low
#   subjects: [Tenant, Instance]
#   always_applies: true
#   parameters: [networkPolicyEnforcement, dns, kubevirtNamespace, cdiNamespace, grants.securityGroups]
#   controls:
#     - {id: sc-7, statements: [sc-7_smt.a], objectives: [sc-7_obj.a-2]}
#     - {id: ac-4, statements: [ac-4_smt], objectives: [ac-4_obj]}
#   remediation: |
#     Set the parameter tenantHTTPEgress to importers; in own policies, let only pods with label cdi.kubevirt.io=importer
#     reach TCP 80 and 443, by address blocks that except private, link-local, shared and loopback ranges.
package cato.rules.network.tenant_egress

import data.cato.lib.netpol
import data.cato.lib.result
import data.cato.lib.selector
import data.cato.lib.tenancy
import data.cato.lib.tenantnet

# METADATA
# description: Decided for all policies at once.
judged := {"enforcement", "egress"}

# METADATA
# description: The parameter says that policies are enforced.
report contains result.pass("enforcement", {"networkPolicyEnforcement": input.params.networkPolicyEnforcement}) if {
	input.params.networkPolicyEnforcement in {"assumed", "verified"}
}

# METADATA
# description: Only importers reach the web.
report contains result.pass("egress", {"policies": input.network.policies}) if {
	count(input.namespace) > 0
	tenantnet.isolated("egress")
	_all_confined
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
# description: Pods that no policy selects are open.
report contains result.fail(
	"egress",
	"no NetworkPolicy with an empty podSelector isolates the egress of the namespace",
	{"policies": input.network.policies},
) if {
	tenantnet.exposed("egress")
}

# METADATA
# description: The web is open to more than importers, or something else is open.
report contains result.fail(
	"egress",
	$"{rule.path} opens more than TCP 80 and 443 of public addresses to importer pods",
	{"policy": policy, "rule": rule},
) if {
	not _all_confined
	some policy in input.network.policies
	not tenantnet.egress_idle(policy)
	some rule in policy.egressRules
	not _permitted(policy, rule)
}

# METADATA
# description: There are no pods to confine, and no policies to judge.
report contains result.unknown("egress", "the tenant's namespace does not exist") if tenancy.absent

_all_confined if {
	every policy in input.network.policies {
		_confined(policy)
	}
}

_confined(policy) if tenantnet.egress_idle(policy)

_confined(policy) if {
	every rule in policy.egressRules {
		_permitted(policy, rule)
	}
}

_permitted(_, rule) if tenantnet.inner(rule)

_permitted(_, rule) if tenantnet.granted(rule)

_permitted(policy, rule) if {
	rule.anyPeer == false
	count(rule.peers) > 0
	every peer in rule.peers {
		_permitted_peer(policy, rule, peer)
	}
}

_permitted_peer(_, rule, peer) if tenantnet.inward(peer, rule, {"dns"})

_permitted_peer(policy, rule, peer) if {
	selector.confined(policy.pods, "cdi.kubevirt.io", {"importer"})
	netpol.web_ports(rule)
	net.cidr_is_valid(peer.cidr)

	# Most name the very ranges: only the others are worth the arithmetic.
	every range in _not_public - {block | some block in peer.except} {
		_avoids(peer, range)
	}
}

# Private (RFC 1918, RFC 4193), shared (RFC 6598), loopback and link-local ranges, in which metadata services lie, and
# the NAT64 prefix (RFC 6052), by which all of them can be reached once more.
_not_public := {
	"10.0.0.0/8",
	"100.64.0.0/10",
	"127.0.0.0/8",
	"169.254.0.0/16",
	"172.16.0.0/12",
	"192.168.0.0/16",
	"::1/128",
	"64:ff9b::/96",
	"fc00::/7",
	"fe80::/10",
}

_avoids(peer, range) if net.cidr_intersects(peer.cidr, range) == false

_avoids(peer, range) if {
	some block in peer.except
	netpol.cidr_within(range, block)
}
