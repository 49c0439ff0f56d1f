# METADATA
# title: A tenant's containers are limited
# description: |
#   For each resource that the profile bounds, some LimitRange of the namespace gives containers a `max` that is no wider;
#   and there is a default and a default request, none of them wider, since Kubernetes does not say which of several holds.
# custom:
#   id: RES-002
#   topic: limit-range
#   severity: medium
#   subjects: [Tenant]
#   enforces: [admission, plan]
#   always_applies: true
#   parameters: [limitMax, limitDefault, limitDefaultRequest]
#   controls:
#     - {id: sc-6, statements: [sc-6_smt]}
#     - {id: sc-5, statements: [sc-5_smt.b], objectives: [sc-5_obj.b]}
#   remediation: |
#     Give the LimitRange an item of type Container with max, default and defaultRequest of cpu and memory at the amounts
#     of the profile or less, and lower the defaults of every other LimitRange.
package cato.rules.resources.limit_range

import data.cato.lib.result
import data.cato.lib.tenancy

# METADATA
# description: All resources and LimitRanges are decided at once, so that one that is missing cannot drop out.
judged := {"max", "default", "defaultRequest"}

# METADATA
# description: Every max is checked by the API server, so the smallest counts.
report contains result.pass("max", {"limits": input.limits, "bounds": _bounds("max")}) if "max" in _kept

# METADATA
# description: Whichever LimitRange gives the default, it is no wider.
report contains result.pass(kind, {"limits": input.limits, "bounds": _bounds(kind)}) if {
	some kind in ["default", "defaultRequest"]
	kind in _kept
}

# METADATA
# description: No item for containers has the amount, or all that have it are wider.
report contains result.fail(
	kind,
	$"no LimitRange gives containers a {kind} of {bound.resource} of {bound.text} or less",
	{"bound": bound, "limits": input.limits},
) if {
	some kind in (judged - _kept)
	_judgeable(kind)
	some bound in _bounds(kind)
	is_number(bound.milli)
	not _bounded(kind, bound)
}

# METADATA
# description: One LimitRange gives a wider default, and it may be the one that holds.
report contains result.fail(
	kind,
	$"{item.path} gives containers a {kind} of {bound.resource} of more than {bound.text}",
	{"bound": bound, "item": item},
) if {
	some kind in ({"default", "defaultRequest"} - _kept)
	some bound in _bounds(kind)
	some range in input.limits
	some item in range.items
	_wider(item, kind, bound)
}

# METADATA
# description: A bound that is no number compares with nothing.
report contains result.unknown(kind, $"the profile's bound of {bound.resource} ({bound.text}) is too large to compare") if {
	some kind in (judged - _kept)
	some bound in _bounds(kind)
	bound.milli == null
}

# METADATA
# description: Without bounds there is nothing to hold the LimitRange to.
report contains result.unknown(kind, $"the profile bounds no {kind} of containers") if {
	some kind in judged
	_bounds(kind) == []
}

# METADATA
# description: There are no containers that could be limited. Said once, for one of the targets.
report contains result.unknown("max", "the tenant's namespace does not exist") if tenancy.absent

_kept contains "max" if {
	_judgeable("max")
	every bound in input.params.limitMax {
		_bounded("max", bound)
	}
}

_kept contains kind if {
	some kind in ["default", "defaultRequest"]
	_judgeable(kind)
	every bound in _bounds(kind) {
		_bounded(kind, bound)
		_never_wider(kind, bound)
	}
}

_bounds("max") := input.params.limitMax

_bounds("default") := input.params.limitDefault

_bounds("defaultRequest") := input.params.limitDefaultRequest

_judgeable(kind) if {
	count(input.namespace) > 0
	is_array(input.limits)
	count(_bounds(kind)) > 0
}

_bounded(kind, bound) if {
	is_number(bound.milli)
	some range in input.limits
	some item in range.items
	item.type == "Container"
	some amount in item[kind]
	amount.resource == bound.resource
	is_number(amount.milli)
	amount.milli <= bound.milli
}

_never_wider(kind, bound) if {
	every range in input.limits {
		every item in range.items {
			_not_wider(item, kind, bound)
		}
	}
}

_not_wider(item, _, _) if item.type in {"Pod", "PersistentVolumeClaim"}

_not_wider(item, kind, bound) if {
	every amount in item[kind] {
		_within(amount, bound)
	}
}

_within(amount, bound) if amount.resource != bound.resource

_within(amount, bound) if {
	is_number(amount.milli)
	amount.milli <= bound.milli
}

# An amount that is too large to be a number is wider than any.
_wider(item, kind, bound) if {
	item.type == "Container"
	is_number(bound.milli)
	some amount in item[kind]
	amount.resource == bound.resource
	not amount.milli <= bound.milli
}

_wider(item, kind, bound) if {
	item.type == "Container"
	some amount in item[kind]
	amount.resource == bound.resource
	amount.milli == null
}
