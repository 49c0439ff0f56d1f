package cato.rules.network.machine_isolation_test

import data.cato.lib.machine_fixture_test.good
import data.cato.lib.verdict
import data.cato.rules.network.machine_isolation as rule

passing := {good, _granted}

_verdict := verdict.of(rule.judged, rule.report)

_fails := [entry | some entry in rule.report; entry.verdict == "fail"]

_edit(patches) := json.patch(good, patches)

_set(path, value) := _edit([{"op": "replace", "path": path, "value": value}])

_also(policy) := _edit([{"op": "add", "path": "/network/policies/-", "value": policy}])

_policy := good.network.policies[0]

_anything := {"path": "NetworkPolicy/legacy spec.ingress[0]", "anyPeer": true, "peers": [], "anyPort": true, "ports": []}

_legacy := object.union(_policy, {
	"name": "legacy",
	"pods": [],
	"egress": false,
	"ingressRules": [_anything],
	"egressRules": [],
})

_block(cidr) := {
	"path": "NetworkPolicy/web-netpol spec.egress[1].to[0]",
	"cidr": cidr,
	"except": [],
	"ownNamespace": false,
	"anyNamespace": false,
	"namespaces": [],
	"anyPod": true,
	"pods": [],
	"namespaceOnly": false,
}

_https := {"protocol": "TCP", "number": 443, "end": null, "name": ""}

_to(cidr, ports) := {
	"path": "NetworkPolicy/web-netpol spec.egress[1]",
	"anyPeer": false,
	"peers": [_block(cidr)],
	"anyPort": ports == [],
	"ports": ports,
}

_granted := _edit([
	{"op": "add", "path": "/network/policies/0/egressRules/-", "value": _to("10.1.0.0/16", [_https])},
	{"op": "add", "path": "/object/machine/0/egress/-", "value": {"path": "spec.network.egress[0]", "cidr": "10.1.0.0/16", "valid": true, "ports": [_https]}},
	{"op": "add", "path": "/params/grants/egress/-", "value": {"selects": true, "reason": "update mirror", "cidrs": ["10.0.0.0/8"], "ports": [_https]}},
])

test_pass_with_one_policy_of_its_own if {
	_verdict == "pass" with input as good
	rule.report == {
		{"verdict": "pass", "target": "enforcement", "evidence": {"networkPolicyEnforcement": "assumed"}},
		{"verdict": "pass", "target": "ingress", "evidence": {"launchers": good.network.launchers, "policies": [good.network.policies[0].ref]}},
		{"verdict": "pass", "target": "egress", "evidence": {"launchers": good.network.launchers, "policies": [good.network.policies[0].ref]}},
	} with input as good
}

test_pass_when_enforcement_was_verified if _verdict == "pass" with input as _set("/params/networkPolicyEnforcement", "verified")

test_pass_with_a_granted_block if _verdict == "pass" with input as _granted

test_pass_when_directions_are_isolated_by_two_policies if {
	document := _edit([
		{"op": "replace", "path": "/network/policies/0/ingress", "value": false},
		{"op": "add", "path": "/network/policies/-", "value": object.union(_legacy, {"ingressRules": []})},
	])
	_verdict == "pass" with input as document
}

test_pass_when_the_wide_policy_is_another_pods if {
	_verdict == "pass" with input as _also(object.union(_legacy, {"selects": []}))
	_verdict == "pass" with input as _also(object.union(_legacy, {"selects": [], "egress": true, "egressRules": [_anything]}))
}

test_pass_when_the_wide_rules_are_not_in_force if {
	_verdict == "pass" with input as _also(object.union(_legacy, {"ingress": false}))
	_verdict == "pass" with input as _also(object.union(_legacy, {"ingressRules": [], "egressRules": [_anything]}))
}

test_pass_when_the_only_peer_contradicts_itself if {
	nobody := object.union(_block(""), {"ownNamespace": true, "pods": [
		{"key": "a", "operator": "In", "values": ["x"]},
		{"key": "a", "operator": "DoesNotExist", "values": []},
	]})
	closed := object.union(_anything, {"anyPeer": false, "peers": [nobody]})
	_verdict == "pass" with input as _also(object.union(_legacy, {"egress": true, "ingressRules": [closed], "egressRules": [closed]}))
}

test_fail_names_the_policy_that_adds_ingress if {
	policy := object.union(_legacy, {"selects": ["instance"]})
	expected := [{
		"verdict": "fail",
		"target": "ingress",
		"message": "NetworkPolicy/legacy spec.ingress[0] lets more ingress through to the launcher pod (instance) than is allowed",
		"evidence": {"launcher": good.network.launchers[1], "policy": policy, "rule": _anything},
	}]
	_fails == expected with input as _also(policy)
	_verdict == "fail" with input as _also(policy)
}

test_fail_names_the_launcher_that_nothing_isolates if {
	document := _set("/network/policies/0/selects", ["instance"])
	_fails == [
		{
			"verdict": "fail",
			"target": "egress",
			"message": "no NetworkPolicy isolates the egress of the launcher pod (template)",
			"evidence": {"launcher": good.network.launchers[0]},
		},
		{
			"verdict": "fail",
			"target": "ingress",
			"message": "no NetworkPolicy isolates the ingress of the launcher pod (template)",
			"evidence": {"launcher": good.network.launchers[0]},
		},
	] with input as document
}

test_fail_without_enforcement if {
	document := _set("/params/networkPolicyEnforcement", "none")
	_fails == [{
		"verdict": "fail",
		"target": "enforcement",
		"message": "the cluster's network plugin does not enforce NetworkPolicies",
		"evidence": {"networkPolicyEnforcement": "none"},
	}] with input as document
}

test_fail_when_open if {
	every document in [
		_set("/network/policies", []),
		_set("/network/policies/0/ingress", false),
		_set("/network/policies/0/egress", false),
		_set("/network/policies/0/ingressRules", [object.union(_anything, {"anyPort": false, "ports": [_https]})]),
		_set("/network/policies/0/ingressRules", [object.union(_anything, {"anyPeer": false, "peers": [_block("10.0.0.1/32")]})]),
		_set("/network/policies/0/ingressRules", [object.union(good.network.policies[0].egressRules[0], {"path": "x"})]),
		_set("/network/policies/0/egressRules", [_anything]),
	] {
		_verdict == "fail" with input as document
	}
}

test_fail_when_a_policy_only_may_isolate if {
	document := _edit([
		{"op": "replace", "path": "/network/policies/0/selects", "value": ["instance"]},
		{"op": "replace", "path": "/network/policies/0/maySelect", "value": ["template"]},
	])
	_verdict == "fail" with input as document
}

test_fail_when_the_policy_is_wider_than_the_granted_request if {
	every rule in [
		_to("10.0.0.0/8", [_https]),
		_to("10.1.0.0/16", []),
		_to("10.1.0.0/16", [object.union(_https, {"number": 1, "end": 65535})]),
		_to("10.1.0.0/16", [object.union(_https, {"protocol": "SCTP"})]),
	] {
		document := json.patch(_granted, [{"op": "replace", "path": "/network/policies/0/egressRules/1", "value": rule}])
		_verdict == "fail" with input as document
	}
}

test_fail_when_the_request_is_not_granted if {
	every grants in [[], [object.union(_granted.params.grants.egress[0], {"selects": false})]] {
		document := json.patch(_granted, [{"op": "replace", "path": "/params/grants/egress", "value": grants}])
		_verdict == "fail" with input as document
	}
}

test_unknown_when_a_wide_policy_may_select if {
	policy := object.union(_legacy, {"selects": [], "maySelect": ["template"], "egress": true, "egressRules": [_anything]})
	{entry | some entry in rule.report; entry.verdict == "unknown"} == {{
		"verdict": "unknown",
		"target": direction,
		"message": $"NetworkPolicy/legacy spec.ingress[0] would let more {direction} through, and may come to select the launcher pod (template)",
	} |
		some direction in ["ingress", "egress"]
	} with input as _also(policy)
	_verdict == "unknown" with input as _also(policy)
}

test_unknown_without_launcher if {
	document := _edit([
		{"op": "replace", "path": "/network/launchers", "value": []},
		{"op": "replace", "path": "/network/policies/0/selects", "value": []},
	])
	_verdict == "unknown" with input as document
	{entry.message | some entry in rule.report; entry.verdict == "unknown"} == {"no launcher pod is described: the VirtualMachine does not exist yet"} with input as document
}

test_unknown_enforcement if _verdict == "unknown" with input as _set("/params/networkPolicyEnforcement", "perhaps")

test_malformed_facts_do_not_pass if {
	every document in [
		{},
		{"network": null},
		json.remove(good, ["network"]),
		json.remove(good, ["network/policies"]),
		json.remove(good, ["network/launchers"]),
		_set("/network/policies", null),
		_edit([{"op": "remove", "path": "/network/policies/0/selects"}]),
		_edit([{"op": "remove", "path": "/network/policies/0/ingressRules"}]),
		_edit([{"op": "remove", "path": "/network/policies/0/egressRules/0/ports"}]),
		_set("/network/policies/0/egressRules/0/peers", []),
		_set("/params/dns", []),
	] {
		not _verdict in {"pass", "not-applicable"} with input as document
	}
}
