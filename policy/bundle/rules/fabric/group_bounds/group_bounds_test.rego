package cato.rules.fabric.group_bounds_test

import data.cato.lib.fabric_fixture_test as fixture
import data.cato.lib.verdict
import data.cato.rules.fabric.group_bounds as rule

passing := {fixture.group, _outward, _web}

_outward := json.patch(fixture.group, [
	{"op": "replace", "path": "/network/policies/0/egressRules", "value": [fixture.let_in]},
	{"op": "replace", "path": "/network/policies/0/ingressRules", "value": []},
])

_web := json.patch(_outward, [
	{"op": "replace", "path": "/network/policies/0/egressRules/0/ports", "value": [{"protocol": "TCP", "number": 443, "end": null, "name": ""}]},
	{"op": "replace", "path": "/params/grants/securityGroups", "value": []},
])

_verdict := verdict.of(rule.judged, rule.report)

_set(path, value) := json.patch(fixture.group, [{"op": "replace", "path": path, "value": value}])

test_pass_of_what_is_granted if {
	every document in [
		fixture.group,
		_outward,
		_web,
		_set("/params/grants/securityGroups/0/cidrs", ["0.0.0.0/0"]),
		json.patch(_set("/network/policies/0/ingressRules", []), [{"op": "replace", "path": "/params/grants/securityGroups", "value": []}]),
	] {
		_verdict == "pass" with input as document
	}
}

test_fail_of_what_nothing_grants if {
	every document in [
		_set("/params/grants/securityGroups", []),
		_set("/params/grants/securityGroups/0/selects", false),
		_set("/params/grants/securityGroups/0/cidrs", ["192.0.2.0/25"]),
		_set("/network/policies/0/ingressRules/0/anyPeer", true),
		json.patch(_outward, [{"op": "replace", "path": "/params/grants/securityGroups", "value": []}]),
	] {
		_verdict == "fail" with input as document
	}
}

test_unknown_without_a_policy if _verdict == "unknown" with input as _set("/network/policies", [])

test_malformed_facts_do_not_pass if {
	every document in [
		{},
		json.remove(fixture.group, ["network"]),
		json.remove(fixture.group, ["object"]),
		json.remove(fixture.group, ["params"]),
		_set("/network/policies", null),
		_set("/network/policies/0/egressRules", null),
	] {
		not _verdict in {"pass", "not-applicable"} with input as document
	}
}
