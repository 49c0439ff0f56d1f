package cato.rules.resources.quota_test

import data.cato.lib.tenant_fixture_test as fixture
import data.cato.lib.verdict
import data.cato.rules.resources.quota as rule

passing := fixture.good

_verdict := verdict.of(rule.judged, rule.report)

_entries(word) := {entry | some entry in rule.report; entry.verdict == word}

_edit(patches) := json.patch(fixture.good, patches)

_set(path, value) := _edit([{"op": "replace", "path": path, "value": value}])

_quota := fixture.good.quotas[0]

_amount(resource, milli, text) := {"resource": resource, "milli": milli, "text": text}

# The default quota with the caps of one resource replaced.
_caps(resource, caps) := object.union(_quota, {"hard": array.concat([cap | some cap in _quota.hard; cap.resource != resource], caps)})

_quotas(quotas) := _set("/quotas", quotas)

test_pass_at_the_bounds if {
	_verdict == "pass" with input as fixture.good
	rule.report == {{
		"verdict": "pass",
		"target": "quota",
		"evidence": {"quotas": fixture.good.quotas, "bounds": fixture.good.params.quota},
	}} with input as fixture.good
}

test_pass_below_the_bounds_and_by_other_names if {
	every quotas in [
		[_caps("requests.cpu", [_amount("cpu", 20000, "20")])],
		[_caps("requests.memory", [_amount("memory", 1, "1m")])],
		[_caps("pods", [_amount("count/pods", 50000, "50")])],
		[_caps("services", [_amount("count/services", 0, "0")])],
		[_caps("pods", []), object.union(_quota, {"hard": [_amount("pods", 1000, "1")]})],
		[_caps("requests.cpu", [_amount("requests.cpu", 99000, "99"), _amount("cpu", 20000, "20k")])],
		[_quota, object.union(_quota, {"hard": [_amount("pods", 900000, "900"), _amount("gpu", null, "1e99")]})],
	] {
		_verdict == "pass" with input as _quotas(quotas)
	}
}

test_fail_names_the_resource if {
	document := _quotas([_caps("requests.cpu", [_amount("requests.cpu", 20001, "20001m")])])
	_entries("fail") == {{
		"verdict": "fail",
		"target": "quota",
		"message": "no ResourceQuota without scopes caps requests.cpu at 20 or less",
		"evidence": {"bound": _amount("requests.cpu", 20000, "20"), "quotas": document.quotas},
	}} with input as document
	_verdict == "fail" with input as document
}

test_fail_when_a_cap_is_missing_or_wider if {
	every quotas in [
		[],
		[_caps("pods", [])],
		[_caps("pods", [_amount("pods", null, "1e30")])],
		[_caps("requests.cpu", [_amount("limits.cpu", 1000, "1")])],
		[_caps("limits.cpu", [_amount("cpu", 1000, "1")])],
		[_caps("pods", [_amount("count/services", 1000, "1")])],
		[object.union(_quota, {"scoped": true})],
		[_caps("pods", []), object.union(_quota, {"scoped": true, "hard": [_amount("pods", 1000, "1")]})],
	] {
		_verdict == "fail" with input as _quotas(quotas)
	}
}

test_unknown_without_namespace if {
	document := json.patch(_quotas([]), [{"op": "replace", "path": "/namespace", "value": []}])
	_verdict == "unknown" with input as document
	rule.report == {{"verdict": "unknown", "target": "quota", "message": "the tenant's namespace does not exist"}} with input as document
}

test_unknown_without_bounds if {
	document := _set("/params/quota", [])
	_verdict == "unknown" with input as document
	rule.report == {{"verdict": "unknown", "target": "quota", "message": "the profile bounds no resource"}} with input as document
}

test_unknown_bound if {
	document := _set("/params/quota", [_amount("pods", null, "1e30")])
	_verdict == "unknown" with input as document
	rule.report == {{
		"verdict": "unknown",
		"target": "quota",
		"message": "the profile's bound of pods (1e30) is too large to compare",
	}} with input as document
}

test_malformed_facts_do_not_pass if {
	every document in [
		{},
		json.remove(fixture.good, ["quotas"]),
		json.remove(fixture.good, ["params"]),
		json.remove(fixture.good, ["namespace"]),
		_quotas(null),
		_quotas([json.remove(_quota, ["scoped"])]),
		_quotas([json.remove(_quota, ["hard"])]),
		_edit([{"op": "remove", "path": "/params/quota/0/resource"}]),
		_edit([{"op": "remove", "path": "/params/quota/0/milli"}]),
		_edit([{"op": "remove", "path": "/quotas/0/hard/0/milli"}]),
	] {
		not _verdict in {"pass", "not-applicable"} with input as document
	}
}
