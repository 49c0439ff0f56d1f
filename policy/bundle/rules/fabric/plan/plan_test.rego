package cato.rules.fabric.plan_test

import data.cato.lib.fabric_fixture_test as fixture
import data.cato.lib.verdict
import data.cato.rules.fabric.plan as rule

passing := {fixture.network, _alone, _open_vpc}

_alone := json.patch(fixture.network, [{"op": "replace", "path": "/object/network/0/vpc", "value": ""}])

_open_vpc := _set("/fabric/vpcs/0/cidr", "")

_verdict := verdict.of(rule.judged, rule.report)

_set(path, value) := json.patch(fixture.network, [{"op": "replace", "path": path, "value": value}])

_beside(change) := _set("/fabric/networks", [object.union(fixture.neighbour, change)])

test_pass_with_addresses_of_its_own if {
	every document in [
		fixture.network,
		_alone,
		_open_vpc,
		_set("/fabric/networks", []),
		_set("/params/clusterRanges", []),
		_beside({"cidr": "", "valid": false}),
		_beside({"cidr": "fd00::/64"}),
	] {
		_verdict == "pass" with input as document
	}
}

test_pass_of_the_older_of_two if {
	every change in [{"createdAt": "2026-11-20T09:00:00Z"}, {"createdAt": ""}, {"createdAt": "2026-11-20T08:00:00Z", "name": "x"}] {
		_verdict == "pass" with input as _beside(object.union({"cidr": "10.0.1.128/25"}, change))
	}
}

test_pass_of_the_first_by_name_before_either_exists if {
	document := json.patch(_beside({"cidr": "10.0.1.0/24", "name": "x", "createdAt": ""}), [{"op": "replace", "path": "/object/network/0/createdAt", "value": ""}])
	_verdict == "pass" with input as document
}

test_fail_of_the_younger_of_two if {
	every change in [{}, {"createdAt": "2026-11-20T08:00:00Z", "name": "a"}, {"vpc": "other"}, {"vpc": ""}, {"deleting": true}] {
		_verdict == "fail" with input as _beside(object.union({"cidr": "10.0.0.0/16"}, change))
	}
	_verdict == "pass" with input as _beside({"cidr": "10.0.0.0/16", "holds": false})
	unheld := json.patch(_beside({"cidr": "10.0.1.0/24", "createdAt": "2026-11-20T09:00:00Z"}), [{"op": "replace", "path": "/object/network/0/holds", "value": false}])
	_verdict == "fail" with input as unheld
	new := json.patch(_beside({"cidr": "10.0.1.0/24"}), [{"op": "replace", "path": "/object/network/0/createdAt", "value": ""}])
	_verdict == "fail" with input as new
}

test_fail_names_the_other if {
	document := _beside({"cidr": "10.0.1.0/25"})
	{entry.message | some entry in rule.report; entry.verdict == "fail"} == {"cidr 10.0.1.0/24 overlaps 10.0.1.0/25 of Network db, which came first"} with input as document
}

test_fail_in_the_cluster if {
	_verdict == "fail" with input as _set("/params/clusterRanges", ["10.0.0.0/8"])
	_verdict == "fail" with input as _set("/params/clusterRanges", ["172.16.0.0/12", "10.0.1.64/26"])
}

test_fail_outside_of_the_vpc if {
	_verdict == "fail" with input as _set("/fabric/vpcs/0/cidr", "10.1.0.0/16")
	_verdict == "fail" with input as _set("/fabric/vpcs/0/cidr", "10.0.1.0/25")
}

test_unknown_without_the_vpc if {
	_verdict == "unknown" with input as _set("/fabric/vpcs", [])
	_verdict == "unknown" with input as _set("/fabric/vpcs/0/valid", false)
}

test_unknown_with_a_cluster_range_that_is_none if _verdict == "unknown" with input as _set("/params/clusterRanges", ["ten"])

test_unknown_without_a_range if {
	document := json.patch(fixture.network, [
		{"op": "replace", "path": "/object/network/0/prefix", "value": []},
		{"op": "replace", "path": "/object/network/0/problem", "value": "is no CIDR"},
	])
	_verdict == "unknown" with input as document
}

test_not_applicable_to_a_shared_network_without_a_range if _verdict == "not-applicable" with input as fixture.shared

test_malformed_facts_do_not_pass if {
	every document in [
		{},
		json.remove(fixture.network, ["object"]),
		json.remove(fixture.network, ["fabric"]),
		json.remove(fixture.network, ["params"]),
		_set("/fabric/networks", null),
		_set("/fabric/networks", [{}]),
		_set("/object/network/0/vpc", null),
	] {
		not _verdict in {"pass", "not-applicable"} with input as document
	}
}
