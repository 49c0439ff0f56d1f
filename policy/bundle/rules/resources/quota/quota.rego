# METADATA
# title: A tenant's resources are capped
# description: |
#   For each resource that the profile bounds, the smallest cap over all ResourceQuotas of the namespace is no wider.
#   A quota with scopes counts only some pods and caps nothing; cpu and requests.cpu are one resource.
# custom:
#   id: RES-001
#   topic: quota
#   severity: medium
#   subjects: [Tenant]
#   enforces: [admission, plan]
#   always_applies: true
#   parameters: [quota]
#   controls:
#     - {id: sc-6, statements: [sc-6_smt]}
#     - {id: sc-5, statements: [sc-5_smt.b], objectives: [sc-5_obj.b]}
#   remediation: |
#     Put every resource that the profile bounds, at its amount or less, into a ResourceQuota without scopes.
package cato.rules.resources.quota

import data.cato.lib.result
import data.cato.lib.tenancy

# METADATA
# description: All resources are one target, so that one that is missing cannot drop out.
judged := {"quota"}

# METADATA
# description: Each bounded resource has a cap that is no wider; the smallest of several counts.
report contains result.pass("quota", {"quotas": input.quotas, "bounds": input.params.quota}) if {
	count(input.namespace) > 0
	count(input.params.quota) > 0
	_all_capped
}

# METADATA
# description: The resource has no cap, or only wider ones.
report contains result.fail(
	"quota",
	$"no ResourceQuota without scopes caps {bound.resource} at {bound.text} or less",
	{"bound": bound, "quotas": input.quotas},
) if {
	not _all_capped
	count(input.namespace) > 0
	is_array(input.quotas)
	some bound in input.params.quota
	is_number(bound.milli)
	not _capped(bound)
}

# METADATA
# description: A bound that is no number compares with nothing.
report contains result.unknown("quota", $"the profile's bound of {bound.resource} ({bound.text}) is too large to compare") if {
	some bound in input.params.quota
	bound.milli == null
}

# METADATA
# description: Without bounds there is nothing to hold the quota to.
report contains result.unknown("quota", "the profile bounds no resource") if input.params.quota == []

# METADATA
# description: There is nothing that a quota could cap.
report contains result.unknown("quota", "the tenant's namespace does not exist") if tenancy.absent

_all_capped if {
	every bound in input.params.quota {
		_capped(bound)
	}
}

_capped(bound) if {
	is_number(bound.milli)
	min(_caps[bound.resource]) <= bound.milli
}

# The amounts that the quotas cap each resource at.
_caps[resource] contains cap.milli if {
	some quota in input.quotas
	quota.scoped == false
	some cap in quota.hard
	is_number(cap.milli)
	some resource in object.get(_counted, cap.resource, [cap.resource])
}

# What a cap counts: names of one amount (Kubernetes docs, concepts/policy/resource-quotas); counting every pod counts
# those that have not ended.
_counted := {
	"cpu": ["cpu", "requests.cpu"],
	"requests.cpu": ["cpu", "requests.cpu"],
	"memory": ["memory", "requests.memory"],
	"requests.memory": ["memory", "requests.memory"],
	"ephemeral-storage": ["ephemeral-storage", "requests.ephemeral-storage"],
	"requests.ephemeral-storage": ["ephemeral-storage", "requests.ephemeral-storage"],
	"persistentvolumeclaims": ["persistentvolumeclaims", "count/persistentvolumeclaims"],
	"count/persistentvolumeclaims": ["persistentvolumeclaims", "count/persistentvolumeclaims"],
	"services": ["services", "count/services"],
	"count/services": ["services", "count/services"],
	"count/pods": ["count/pods", "pods"],
}
