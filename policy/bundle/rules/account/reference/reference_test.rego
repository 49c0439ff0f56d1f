package cato.rules.account.reference_test

import data.cato.lib.holding_fixture_test as fixture
import data.cato.lib.verdict
import data.cato.rules.account.reference as rule

passing := {fixture.user, fixture.api_key, _platform}

_platform := json.patch(fixture.user, [
	{"op": "replace", "path": "/object/user/0/tenant", "value": ""},
	{"op": "replace", "path": "/object/user/0/places", "value": ["virtfoundry-system"]},
	{"op": "replace", "path": "/accounts/roles/0/namespace", "value": "virtfoundry-system"},
	{"op": "replace", "path": "/accounts/tenants", "value": []},
])

_verdict := verdict.of(rule.judged, rule.report)

_set(document, path, value) := json.patch(document, [{"op": "replace", "path": path, "value": value}])

test_pass_where_everything_exists if {
	every document in passing {
		_verdict == "pass" with input as document
	}
}

test_fail_where_the_role_does_not_exist if {
	every document in [
		_set(fixture.user, "/accounts/roles", []),
		_set(fixture.user, "/accounts/roles/0/name", "other"),
		_set(fixture.user, "/accounts/roles/0/namespace", "virtfoundry-tenant-other"),
		_set(fixture.user, "/accounts/roles/0/deleting", true),
	] {
		_verdict == "fail" with input as document
	}
}

test_fail_where_tenant_or_user_does_not_exist if {
	every document in [
		_set(fixture.user, "/accounts/tenants", []),
		_set(fixture.user, "/accounts/tenants/0/name", "other"),
		_set(fixture.user, "/accounts/tenants/0/deleting", true),
		_set(fixture.api_key, "/accounts/users", []),
		_set(fixture.api_key, "/accounts/users/0/name", "other"),
		_set(fixture.api_key, "/accounts/users/0/deleting", true),
	] {
		_verdict == "fail" with input as document
	}
}

test_unknown_where_nobody_looked if {
	_verdict == "unknown" with input as json.remove(fixture.api_key, ["accounts/users"])
	_verdict == "unknown" with input as json.remove(fixture.user, ["accounts/roles"])
}

test_malformed_facts_do_not_pass if {
	every document in [
		{},
		json.remove(fixture.user, ["accounts"]),
		json.remove(fixture.api_key, ["object"]),
		_set(fixture.user, "/accounts/roles", null),
		_set(fixture.user, "/object/user", []),
		_set(fixture.user, "/object/user/0/places", null),
		_set(fixture.api_key, "/accounts/users", null),
	] {
		not _verdict in {"pass", "not-applicable"} with input as document
	}
}
