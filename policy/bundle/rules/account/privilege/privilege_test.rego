package cato.rules.account.privilege_test

import data.cato.lib.holding_fixture_test as fixture
import data.cato.lib.verdict
import data.cato.rules.account.privilege as rule

passing := {fixture.role, fixture.api_key}

_verdict := verdict.of(rule.judged, rule.report)

_set(document, path, value) := json.patch(document, [{"op": "replace", "path": path, "value": value}])

test_pass_of_bounded_permissions if {
	every document in [
		fixture.role,
		fixture.api_key,
		_set(fixture.role, "/object/role/0/permissions", []),
		_set(fixture.role, "/object/role/0/permissions/0/parts", ["allocations", "read"]),
	] {
		_verdict == "pass" with input as document
	}
}

test_fail_of_what_covers_everything if {
	every parts in [["*"], ["instances", "*"], ["*", "read"], ["inst*", "read"], ["admin"], ["instances", "all"], []] {
		_verdict == "fail" with input as _set(fixture.role, "/object/role/0/permissions/0/parts", parts)
		_verdict == "fail" with input as _set(fixture.api_key, "/object/apiKey/0/scopes/0/parts", parts)
	}
}

test_fail_of_a_key_that_nothing_limits if _verdict == "fail" with input as _set(fixture.api_key, "/object/apiKey/0/scopes", [])

test_fail_of_one_among_many if {
	wild := object.union(fixture.permission, {"path": "spec.permissions[1]", "parts": ["*"]})
	_verdict == "fail" with input as _set(fixture.role, "/object/role/0/permissions", [fixture.permission, wild])
}

test_unknown_where_nobody_looked if {
	_verdict == "unknown" with input as json.remove(fixture.role, ["object/role/0/permissions"])
	_verdict == "unknown" with input as json.remove(fixture.api_key, ["object/apiKey/0/scopes"])
}

test_malformed_facts_do_not_pass if {
	every document in [
		{},
		json.remove(fixture.role, ["object"]),
		_set(fixture.role, "/object/role", []),
		_set(fixture.role, "/object/role/0/permissions", null),
		_set(fixture.role, "/object/role/0/permissions", [{}]),
		_set(fixture.role, "/object/role/0/permissions/0/parts", [null]),
		_set(fixture.role, "/object/role/0/permissions/0/parts", null),
		_set(fixture.api_key, "/object/apiKey/0/scopes", null),
	] {
		not _verdict in {"pass", "not-applicable"} with input as document
	}
}
