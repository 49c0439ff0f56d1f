package cato.rules.account.secret_test

import data.cato.lib.holding_fixture_test as fixture
import data.cato.lib.verdict
import data.cato.rules.account.secret as rule

passing := {fixture.user, fixture.api_key}

_verdict := verdict.of(rule.judged, rule.report)

_set(path, value) := json.patch(fixture.user, [{"op": "replace", "path": path, "value": value}])

test_pass_where_the_key_is_there if {
	every document in passing {
		_verdict == "pass" with input as document
	}
}

test_fail_where_it_is_not if {
	every document in [
		_set("/accounts/secrets", []),
		_set("/accounts/secrets/0/keys", []),
		_set("/accounts/secrets/0/keys", ["PASSWORD_HASH"]),
		_set("/object/user/0/secret/key", "other"),
	] {
		_verdict == "fail" with input as document
	}
}

test_unknown_of_another_secret if {
	_verdict == "unknown" with input as _set("/accounts/secrets/0/name", "other")
	_verdict == "unknown" with input as _set("/accounts/secrets/0/namespace", "default")
}

test_unknown_of_a_secret_that_nobody_could_look_for if {
	_verdict == "unknown" with input as json.patch(fixture.user, [
		{"op": "replace", "path": "/accounts/secrets", "value": []},
		{"op": "add", "path": "/gaps/accounts.secrets", "value": "not in the input"},
	])
}

test_malformed_facts_do_not_pass if {
	every document in [
		{},
		json.remove(fixture.user, ["accounts"]),
		json.remove(fixture.user, ["object"]),
		_set("/accounts/secrets", null),
		_set("/accounts/secrets/0/keys", null),
		_set("/object/user", []),
	] {
		not _verdict in {"pass", "not-applicable"} with input as document
	}
}
