# METADATA
# title: An instance fits into its namespace
# description: |
#   The guest's memory, to which KubeVirt adds its own overhead, lies below what every LimitRange and ResourceQuota of the
#   namespace lets a pod have: else the launcher pod is refused and the guest never starts.
# custom:
#   id: RES-003
#   topic: instance-size
#   severity: medium
#   subjects: [Instance]
#   enforces: [admission, plan]
#   always_applies: true
#   controls:
#     - {id: sc-6, statements: [sc-6_smt]}
#   remediation: Name a smaller Offering, or have limitRange.max or quota.hard of the ComplianceProfile raised.
package cato.rules.resources.instance_size

import data.cato.lib.result

# METADATA
# description: Memory is limited for every launcher pod.
judged := {"memory"}

# METADATA
# description: Room is left below every bound.
report contains result.pass("memory", {"instance": instance, "limits": input.limits, "quotas": input.quotas}) if {
	some instance in input.object.instance
	instance.memoryBytes > 0
	every limit in input.limits {
		every item in limit.items {
			_roomy(instance, item)
		}
	}
	every quota in input.quotas {
		_below(instance, quota)
	}
}

# METADATA
# description: No room for the overhead, or not even for the guest.
report contains result.fail(
	"memory",
	$"{instance.memoryBytes} bytes of memory and KubeVirt's overhead do not fit below {bound.text} of {bound.path}",
	{"instance": instance, "bound": bound},
) if {
	some instance in input.object.instance
	is_number(instance.memoryBytes)
	some bound in _bounds
	instance.memoryBytes * 1000 >= bound.milli
}

_roomy(_, item) if item.type == "PersistentVolumeClaim"

_roomy(instance, item) if {
	every amount in item.max {
		_fits(instance, amount)
	}
}

_below(_, quota) if quota.scoped == true

_below(instance, quota) if {
	every amount in quota.hard {
		_fits(instance, amount)
	}
}

_memory := {"memory", "requests.memory", "limits.memory"}

_fits(_, amount) if {
	is_string(amount.resource)
	not amount.resource in _memory
}

_fits(instance, amount) if {
	is_number(instance.memoryBytes)
	instance.memoryBytes * 1000 < amount.milli
}

_bounds contains {"path": item.path, "milli": amount.milli, "text": amount.text} if {
	some limit in input.limits
	some item in limit.items
	item.type in {"Container", "Pod"}
	some amount in item.max
	amount.resource == "memory"
	is_number(amount.milli)
}

_bounds contains {"path": concat("", ["ResourceQuota/", quota.name]), "milli": amount.milli, "text": amount.text} if {
	some quota in input.quotas
	quota.scoped == false
	some amount in quota.hard
	amount.resource in _memory
	is_number(amount.milli)
}
