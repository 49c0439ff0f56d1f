package cato.rules.fabric.claim_test

import data.cato.lib.fabric_fixture_test as fixture
import data.cato.lib.verdict
import data.cato.rules.fabric.claim as rule

passing := {fixture.address, _named, _planned, _asked, _whole}

_named := json.patch(fixture.address, [
	{"op": "replace", "path": "/subject/name", "value": "web-ip"},
	{"op": "replace", "path": "/fabric/claims", "value": [_lock]},
])

_planned := json.patch(fixture.address, [
	{"op": "replace", "path": "/moment", "value": "plan"},
	{"op": "replace", "path": "/object/address/0/address", "value": ""},
	{"op": "replace", "path": "/object/address/0/lock", "value": ""},
])

# An address that is asked for by an object of another name, before it is held.
_asked := json.patch(_named, [
	{"op": "replace", "path": "/moment", "value": "plan"},
	{"op": "replace", "path": "/fabric/claims", "value": []},
])

_whole := _set("/fabric/pool/0/within", [])

_lock := {"name": "10-0-1-10", "address": "10.0.1.10", "holds": true, "ours": true}

_verdict := verdict.of(rule.judged, rule.report)

_set(path, value) := json.patch(fixture.address, [{"op": "replace", "path": path, "value": value}])

_at(address) := json.patch(_whole, [{"op": "replace", "path": "/object/address/0/address", "value": address}])

test_pass_of_an_address_that_is_held if {
	every document in [
		fixture.address,
		_named,
		_planned,
		_asked,
		_whole,
		_set("/fabric/claims", [object.union(_lock, {"name": "other", "holds": false, "ours": false})]),
		_set("/fabric/pool/0/reserved", []),
	] {
		_verdict == "pass" with input as document
	}
}

test_fail_of_addresses_that_no_guest_has if {
	every address in ["10.0.1.0", "10.0.1.255", "10.0.1.1", "10.0.2.7", "10.0.1.21", "fd00::7"] {
		_verdict == "fail" with input as _at(address)
	}
	_verdict == "fail" with input as json.patch(_at("10.0.1.100"), [{"op": "replace", "path": "/fabric/pool/0/within", "value": ["10.0.1.8/29"]}])
	_verdict == "fail" with input as _set("/object/address/0/valid", false)
}

test_fail_when_another_holds_it if {
	document := json.patch(_named, [{"op": "replace", "path": "/fabric/claims/0/ours", "value": false}])
	_verdict == "fail" with input as document
	"address 10.0.1.10 is held by IPAddress 10-0-1-10" in {entry.message | some entry in rule.report; entry.verdict == "fail"} with input as document
}

test_unknown_before_it_is_held if {
	_verdict == "unknown" with input as json.patch(_named, [{"op": "replace", "path": "/fabric/claims", "value": []}])
	_verdict == "unknown" with input as json.patch(_planned, [{"op": "replace", "path": "/moment", "value": "live"}])
}

test_unknown_without_the_network if {
	document := json.patch(fixture.address, [
		{"op": "replace", "path": "/fabric/networks", "value": []},
		{"op": "replace", "path": "/fabric/pool", "value": []},
	])
	_verdict == "unknown" with input as document
}

test_unknown_with_a_pool_that_cannot_be_read if {
	_verdict == "unknown" with input as _set("/fabric/pool/0/problem", "the pool is none")
	_verdict == "unknown" with input as _set("/fabric/pool/0/reserved/0/cidrs", [])
}

test_malformed_facts_do_not_pass if {
	every document in [
		{},
		json.remove(fixture.address, ["fabric"]),
		json.remove(fixture.address, ["object"]),
		json.remove(fixture.address, ["subject"]),
		_set("/fabric/claims", null),
		_set("/fabric/claims", [{}]),
		_set("/fabric/pool/0/reserved", null),
	] {
		not _verdict in {"pass", "not-applicable"} with input as document
	}
}
