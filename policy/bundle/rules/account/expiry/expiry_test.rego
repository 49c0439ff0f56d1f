package cato.rules.account.expiry_test

import data.cato.lib.holding_fixture_test as fixture
import data.cato.lib.verdict
import data.cato.rules.account.expiry as rule

passing := fixture.api_key

_verdict := verdict.of(rule.judged, rule.report)

_set(path, value) := json.patch(fixture.api_key, [{"op": "replace", "path": path, "value": value}])

test_pass_of_a_key_that_ends_in_time if {
	every document in [
		fixture.api_key,
		_set("/object/apiKey/0/lifetime", 31536000),
		_set("/object/apiKey/0/left", 0),
	] {
		_verdict == "pass" with input as document
	}
}

test_fail_of_a_key_that_ended_or_ends_too_late if {
	every document in [
		_set("/object/apiKey/0/lifetime", 31536001),
		_set("/object/apiKey/0/lifetime", 251000000000),
		_set("/object/apiKey/0/left", -1),
	] {
		_verdict == "fail" with input as document
	}
}

test_fail_of_a_key_that_never_ends if {
	every path in ["/object/apiKey/0/expires", "/object/apiKey/0/valid"] {
		_verdict == "fail" with input as json.patch(fixture.api_key, [
			{"op": "replace", "path": path, "value": false},
			{"op": "replace", "path": "/object/apiKey/0/expiresAt", "value": ""},
			{"op": "replace", "path": "/object/apiKey/0/left", "value": null},
			{"op": "replace", "path": "/object/apiKey/0/lifetime", "value": null},
		])
	}
}

test_unknown_where_the_time_is_not_measured if {
	_verdict == "unknown" with input as _set("/object/apiKey/0/left", null)
	_verdict == "unknown" with input as _set("/object/apiKey/0/lifetime", null)
}

test_malformed_facts_do_not_pass if {
	every document in [
		{},
		json.remove(fixture.api_key, ["object"]),
		_set("/object/apiKey", []),
		_set("/object/apiKey/0/left", "soon"),
		_set("/object/apiKey/0/lifetime", "soon"),
		_set("/object/apiKey/0/valid", null),
		_set("/object/apiKey/0/expires", null),
	] {
		not _verdict in {"pass", "not-applicable"} with input as document
	}
}
