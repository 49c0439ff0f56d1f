package cato.rules.resources.limit_range_test

import data.cato.lib.tenant_fixture_test as fixture
import data.cato.lib.verdict
import data.cato.rules.resources.limit_range as rule

passing := fixture.good

_verdict := verdict.of(rule.judged, rule.report)

_entries(word) := {entry | some entry in rule.report; entry.verdict == word}

_edit(patches) := json.patch(fixture.good, patches)

_set(path, value) := _edit([{"op": "replace", "path": path, "value": value}])

_range := fixture.good.limits[0]

_item := _range.items[0]

_kinds := ["max", "default", "defaultRequest"]

_items(items) := _set("/limits/0/items", items)

_also(item) := _edit([{"op": "add", "path": "/limits/-", "value": object.union(_range, {"name": "more", "items": [item]})}])

_cpu(milli, text) := {"resource": "cpu", "milli": milli, "text": text}

_memory := {"resource": "memory", "milli": 1000, "text": "1"}

_bound := {"max": "8", "default": "1", "defaultRequest": "100m"}

_nothing := {"path": "LimitRange/more spec.limits[0]", "type": "Container", "max": [], "default": [], "defaultRequest": []}

test_pass_at_the_bounds if {
	_verdict == "pass" with input as fixture.good
	rule.report == {
		{"verdict": "pass", "target": "max", "evidence": {"limits": fixture.good.limits, "bounds": fixture.good.params.limitMax}},
		{"verdict": "pass", "target": "default", "evidence": {"limits": fixture.good.limits, "bounds": fixture.good.params.limitDefault}},
		{"verdict": "pass", "target": "defaultRequest", "evidence": {"limits": fixture.good.limits, "bounds": fixture.good.params.limitDefaultRequest}},
	} with input as fixture.good
}

test_pass_below_the_bounds if {
	every item in [
		_nothing,
		object.union(_nothing, {"max": [_cpu(9000000, "9k")]}),
		object.union(_nothing, {"default": [_cpu(500, "500m")], "defaultRequest": [_cpu(1, "1m")]}),
		object.union(_nothing, {"default": [{"resource": "ephemeral-storage", "milli": null, "text": "1e30"}]}),
		object.union(_nothing, {"type": "Pod", "default": [_cpu(9000000, "9k")]}),
	] {
		_verdict == "pass" with input as _also(item)
	}
}

test_fail_when_an_amount_is_wider if {
	every kind in _kinds {
		document := _items([object.union(_item, {kind: [_cpu(8001, "8001m"), _memory]})])
		_verdict == "fail" with input as document
		{
			"verdict": "fail",
			"target": kind,
			"message": $"no LimitRange gives containers a {kind} of cpu of {_bound[kind]} or less",
			"evidence": {"bound": [b | some b in _item[kind]; b.resource == "cpu"][0], "limits": document.limits},
		} in _entries("fail") with input as document
	}
}

test_fail_names_the_other_range_that_is_wider if {
	item := object.union(_nothing, {"default": [_cpu(1001, "1001m")]})
	_entries("fail") == {{
		"verdict": "fail",
		"target": "default",
		"message": "LimitRange/more spec.limits[0] gives containers a default of cpu of more than 1",
		"evidence": {"bound": _item.default[0], "item": item},
	}} with input as _also(item)
}

test_fail_when_an_amount_is_missing_or_not_for_containers if {
	every kind in _kinds {
		every document in [
			_set("/limits", []),
			_items([]),
			_items([object.union(_item, {kind: []})]),
			_items([object.union(_item, {kind: [_memory]})]),
			_items([object.union(_item, {"type": "Pod"})]),
			_items([object.union(_item, {kind: [_cpu(null, "1e30"), _memory]})]),
		] {
			_verdict == "fail" with input as document
		}
	}
}

test_fail_when_another_default_overflows if {
	every kind in ["default", "defaultRequest"] {
		_verdict == "fail" with input as _also(object.union(_nothing, {kind: [_cpu(null, "1e30")]}))
	}
}

test_unknown_without_namespace if {
	document := json.patch(_set("/limits", []), [{"op": "replace", "path": "/namespace", "value": []}])
	_verdict == "unknown" with input as document
	rule.report == {{"verdict": "unknown", "target": "max", "message": "the tenant's namespace does not exist"}} with input as document
}

test_unknown_without_bounds if {
	document := _set("/params/limitMax", [])
	_verdict == "unknown" with input as document
	_entries("unknown") == {{"verdict": "unknown", "target": "max", "message": "the profile bounds no max of containers"}} with input as document
}

test_unknown_bound if {
	document := _set("/params/limitDefault", [_cpu(null, "1e30")])
	_verdict == "unknown" with input as document
	_entries("unknown") == {{
		"verdict": "unknown",
		"target": "default",
		"message": "the profile's bound of cpu (1e30) is too large to compare",
	}} with input as document
}

test_malformed_facts_do_not_pass if {
	every document in [
		{},
		json.remove(fixture.good, ["limits"]),
		json.remove(fixture.good, ["params"]),
		json.remove(fixture.good, ["namespace"]),
		_set("/limits", null),
		_edit([{"op": "remove", "path": "/limits/0/items"}]),
		_edit([{"op": "remove", "path": "/limits/0/items/0/type"}]),
		_edit([{"op": "remove", "path": "/limits/0/items/0/max"}]),
		_edit([{"op": "remove", "path": "/limits/0/items/0/default"}]),
		_edit([{"op": "remove", "path": "/params/limitMax/0/resource"}]),
		_edit([{"op": "remove", "path": "/params/limitDefault/0/milli"}]),
	] {
		not _verdict in {"pass", "not-applicable"} with input as document
	}
}
