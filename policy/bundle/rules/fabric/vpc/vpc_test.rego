package cato.rules.fabric.vpc_test

import data.cato.lib.fabric_fixture_test as fixture
import data.cato.lib.verdict
import data.cato.rules.fabric.vpc as rule

passing := {fixture.vpc, _open}

_open := json.patch(fixture.vpc, [
	{"op": "replace", "path": "/object/vpc/0/cidr", "value": ""},
	{"op": "replace", "path": "/object/vpc/0/prefix", "value": []},
])

_verdict := verdict.of(rule.judged, rule.report)

_set(path, value) := json.patch(fixture.vpc, [{"op": "replace", "path": path, "value": value}])

test_pass_around_its_networks if {
	every document in [fixture.vpc, _open, _set("/fabric/networks", [])] {
		_verdict == "pass" with input as document
	}
}

test_fail_of_a_network_outside if {
	every cidr in ["10.1.0.0/24", "10.0.0.0/8", "fd00::/64"] {
		_verdict == "fail" with input as _set("/fabric/networks/0/cidr", cidr)
	}
	_verdict == "fail" with input as _set("/fabric/networks/0/valid", false)
}

test_fail_names_the_network if {
	{entry.message | some entry in rule.report; entry.verdict == "fail"} == {"cidr 10.1.0.0/24 of Network db does not lie in 10.0.0.0/16"} with input as _set("/fabric/networks/0/cidr", "10.1.0.0/24")
}

test_fail_of_a_range_that_is_none if _verdict == "fail" with input as _set("/object/vpc/0/problem", "is no CIDR")

test_malformed_facts_do_not_pass if {
	every document in [
		{},
		json.remove(fixture.vpc, ["fabric"]),
		json.remove(fixture.vpc, ["object"]),
		_set("/fabric/networks", null),
		_set("/object/vpc/0/problem", null),
	] {
		not _verdict in {"pass", "not-applicable"} with input as document
	}
}

test_unknown_without_a_vpc if _verdict == "unknown" with input as _set("/object/vpc", [])
