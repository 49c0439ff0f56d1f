package cato.rules.fabric.group_test

import data.cato.lib.fabric_fixture_test as fixture
import data.cato.lib.verdict
import data.cato.rules.fabric.group as rule

passing := {fixture.group, _every_port}

_every_port := json.patch(fixture.group, [
	{"op": "replace", "path": "/object/securityGroup/0/rules/0/from", "value": null},
	{"op": "replace", "path": "/object/securityGroup/0/rules/0/to", "value": null},
	{"op": "replace", "path": "/network/policies/0/ingressRules/0/ports", "value": [{"protocol": "TCP", "number": null, "end": null, "name": ""}]},
])

_verdict := verdict.of(rule.judged, rule.report)

_set(path, value) := json.patch(fixture.group, [{"op": "replace", "path": path, "value": value}])

test_pass_of_a_policy_as_the_group_says if {
	every document in [
		fixture.group,
		_every_port,
		_set("/network/policies/0/ingressRules", []),
		_set("/network/policies/0/ingressRules/0/peers/0/cidr", "192.0.2.128/25"),
		_set("/network/policies/0/ingressRules/0/ports/0/end", 8010),
	] {
		_verdict == "pass" with input as document
	}
}

test_fail_of_a_policy_that_is_wider if {
	every document in [
		_set("/network/policies/0/ingressRules/0/peers/0/cidr", "192.0.0.0/16"),
		_set("/network/policies/0/ingressRules/0/peers/0/cidr", ""),
		_set("/network/policies/0/ingressRules/0/anyPeer", true),
		_set("/network/policies/0/ingressRules/0/anyPort", true),
		_set("/network/policies/0/ingressRules/0/ports/0/end", 9000),
		_set("/network/policies/0/ingressRules/0/ports/0/protocol", "UDP"),
		_set("/network/policies/0/ingressRules/0/ports", []),
		_set("/network/policies/0/egressRules", [fixture.let_in]),
		_set("/network/policies/0/egress", false),
		_set("/network/policies/0/ingress", false),
		_set("/object/securityGroup/0/rules", []),
		_set("/object/securityGroup/0/rules/0/protocol", "icmp"),
		_set("/object/securityGroup/0/rules/0/direction", "egress"),
	] {
		_verdict == "fail" with input as document
	}
}

test_fail_of_another_selector if {
	_verdict == "fail" with input as _set("/network/policies/0/pods", [])
	_verdict == "fail" with input as _set("/network/policies/0/pods/0/values", ["false"])
}

test_fail_of_a_rule_that_means_nothing if _verdict == "fail" with input as _set("/object/securityGroup/0/rules/0/valid", false)

test_unknown_without_a_policy if _verdict == "unknown" with input as _set("/network/policies", [])

test_malformed_facts_do_not_pass if {
	every document in [
		{},
		json.remove(fixture.group, ["network"]),
		json.remove(fixture.group, ["object"]),
		_set("/network/policies", null),
		_set("/network/policies", [{}]),
		_set("/object/securityGroup/0/rules", null),
		_set("/network/policies/0/ingressRules", null),
	] {
		not _verdict in {"pass", "not-applicable"} with input as document
	}
}
