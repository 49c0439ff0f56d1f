package cato.rules.fabric.range_test

import data.cato.lib.fabric_fixture_test as fixture
import data.cato.lib.verdict
import data.cato.rules.fabric.range as rule

passing := {fixture.network, fixture.shared, _with({"gateway": ""})}

_verdict := verdict.of(rule.judged, rule.report)

_with(change) := json.patch(fixture.network, [{
	"op": "replace",
	"path": "/object/network/0",
	"value": object.union(fixture.network.object.network[0], change),
}])

test_pass_of_ranges_that_work if {
	every document in passing {
		_verdict == "pass" with input as document
	}
	six := {"cidr": "fd00::/64", "prefix": [{"cidr": "fd00::/64", "network": "fd00::", "broadcast": ""}], "gateway": "fd00::1"}
	_verdict == "pass" with input as _with(six)
}

test_fail_of_gateways_that_no_host_has if {
	every gateway in ["10.0.1.0", "10.0.1.255", "10.0.2.1", "fd00::1"] {
		_verdict == "fail" with input as _with({"gateway": gateway})
	}
	_verdict == "fail" with input as _with({"gateway": "ten", "gatewayValid": false})
	_verdict == "fail" with input as _with({"type": "shared", "cidr": "", "prefix": []})
}

test_fail_of_ranges_that_are_none if {
	_verdict == "fail" with input as _with({"cidr": "10.0.1.1/24", "prefix": [], "problem": "has bits beyond its prefix", "gateway": ""})
	_verdict == "fail" with input as _with({"cidr": "", "prefix": [], "gateway": ""})
}

test_fail_names_the_field if {
	document := _with({"gateway": "10.0.1.255"})
	{entry.message | some entry in rule.report; entry.verdict == "fail"} == {"gateway 10.0.1.255 is not the address of a host in 10.0.1.0/24"} with input as document
}

test_malformed_facts_do_not_pass if {
	every document in [
		{},
		json.remove(fixture.network, ["object"]),
		_with({"prefix": null}),
		_with({"gatewayValid": null}),
		_with({"problem": null}),
	] {
		not _verdict in {"pass", "not-applicable"} with input as document
	}
}

test_unknown_without_a_network if {
	_verdict == "unknown" with input as json.patch(fixture.network, [{"op": "replace", "path": "/object/network", "value": []}])
}
