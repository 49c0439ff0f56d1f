package cato.rules.network.machine_egress_test

import data.cato.lib.machine_fixture_test.good
import data.cato.lib.verdict
import data.cato.rules.network.machine_egress as rule

passing := {good, _granted}

_verdict := verdict.of(rule.judged, rule.report)

_fails := [entry | some entry in rule.report; entry.verdict == "fail"]

_edit(patches) := json.patch(good, patches)

_set(path, value) := _edit([{"op": "replace", "path": path, "value": value}])

_dns := good.network.policies[0].egressRules[0]

_peer := _dns.peers[0]

_rules(rules) := _set("/network/policies/0/egressRules", rules)

_peers(peers) := _rules([object.union(_dns, {"peers": peers})])

_ports(ports) := _rules([object.union(_dns, {"ports": ports})])

_block(cidr) := object.union(_peer, {"cidr": cidr, "namespaces": [], "pods": [], "anyPod": true})

_port(protocol, number, end, name) := {"protocol": protocol, "number": number, "end": end, "name": name}

_granted := _edit([
	{"op": "add", "path": "/network/policies/0/egressRules/-", "value": object.union(_dns, {
		"peers": [_block("192.0.2.0/25")],
		"anyPort": true,
		"ports": [],
	})},
	{"op": "add", "path": "/object/machine/0/egress/-", "value": {"path": "spec.network.egress[0]", "cidr": "192.0.2.0/24", "valid": true, "ports": []}},
	{"op": "add", "path": "/params/grants/egress/-", "value": {"selects": true, "reason": "archive", "cidrs": ["192.0.2.0/24"], "ports": []}},
])

test_pass_with_dns_only if {
	_verdict == "pass" with input as good
	rule.report == {
		{"verdict": "pass", "target": "enforcement", "evidence": {"networkPolicyEnforcement": "assumed"}},
		{"verdict": "pass", "target": "egress", "evidence": {"launchers": good.network.launchers, "policies": [good.network.policies[0].ref]}},
	} with input as good
}

test_pass_with_a_granted_block if _verdict == "pass" with input as _granted

test_pass_whatever_comes_in if {
	document := _edit([
		{"op": "replace", "path": "/network/policies/0/ingress", "value": false},
		{"op": "add", "path": "/network/policies/0/ingressRules/-", "value": object.union(_dns, {"anyPeer": true, "peers": []})},
	])
	_verdict == "pass" with input as document
}

test_pass_in_other_spellings if {
	every document in [
		_rules([]),
		_ports([_port("UDP", 53, 53, "")]),
		_peers([object.union(_peer, {"pods": array.concat(_peer.pods, [{"key": "zone", "operator": "Exists", "values": []}])})]),
		_peers([_peer, _peer]),
		json.patch(
			_peers([object.union(_peer, {"ownNamespace": true, "namespaces": []})]),
			[{"op": "replace", "path": "/subject/namespace", "value": "kube-system"}],
		),
		_set("/network/policies/0/maySelect", ["template"]),
	] {
		_verdict == "pass" with input as document
	}
}

# The cases an attacker or a typing error would make: each lets more out than it seems.
test_fail_by_wide_peers if {
	every peers in [
		[object.union(_peer, {"pods": [], "anyPod": true, "namespaceOnly": true}), object.union(_peer, {"ownNamespace": true, "namespaces": []})],
		[_peer, _block("0.0.0.0/0")],
		[_block("10.96.0.10/32")],
		[_block("not an address")],
		[object.union(_peer, {"anyNamespace": true, "namespaces": []})],
		[object.union(_peer, {"namespaces": [{"key": "name", "operator": "In", "values": ["kube-system"]}]})],
		[object.union(_peer, {"namespaces": [{"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": ["mission-b"]}]})],
		[object.union(_peer, {"namespaces": [{"key": "kubernetes.io/metadata.name", "operator": "In", "values": ["kube-system", "mission-b"]}]})],
		[object.union(_peer, {"pods": [{"key": "k8s-app", "operator": "Exists", "values": []}]})],
		[object.union(_peer, {"pods": [{"key": "k8s-app", "operator": "In", "values": ["kube-dns", "proxy"]}]})],
		[object.union(_peer, {"ownNamespace": true, "namespaces": []})],
	] {
		_verdict == "fail" with input as _peers(peers)
	}
	_verdict == "fail" with input as _rules([object.union(_dns, {"anyPeer": true, "peers": []})])
}

test_fail_by_wide_ports if {
	every ports in [
		[_port("SCTP", 53, null, "")],
		[_port("UDP", 53, null, ""), _port("TCP", 853, null, "")],
		[_port("TCP", 53, 65535, "")],
		[_port("TCP", 1, 53, "")],
		[_port("UDP", null, null, "")],
		[_port("UDP", null, null, "dns")],
	] {
		_verdict == "fail" with input as _ports(ports)
	}
	_verdict == "fail" with input as _rules([object.union(_dns, {"anyPort": true, "ports": []})])
}

test_fail_names_the_rule if {
	wide := object.union(_dns, {"anyPort": true, "ports": []})
	document := json.patch(_rules([wide]), [{"op": "replace", "path": "/network/launchers", "value": [good.network.launchers[0]]}])
	_fails == [{
		"verdict": "fail",
		"target": "egress",
		"message": "NetworkPolicy/web-netpol spec.egress[0] lets the launcher pod (template) reach more than cluster DNS and what is granted",
		"evidence": {
			"launcher": good.network.launchers[0],
			"policy": object.union(good.network.policies[0], {"egressRules": [wide]}),
			"rule": wide,
		},
	}] with input as document
}

test_fail_when_egress_is_not_a_policy_type if {
	document := _edit([
		{"op": "replace", "path": "/network/policies/0/egress", "value": false},
		{"op": "replace", "path": "/network/launchers", "value": [good.network.launchers[0]]},
	])
	_fails == [{
		"verdict": "fail",
		"target": "egress",
		"message": "no NetworkPolicy isolates the egress of the launcher pod (template)",
		"evidence": {"launcher": good.network.launchers[0]},
	}] with input as document
}

test_fail_without_enforcement if {
	_fails == [{
		"verdict": "fail",
		"target": "enforcement",
		"message": "the cluster's network plugin does not enforce NetworkPolicies",
		"evidence": {"networkPolicyEnforcement": "none"},
	}] with input as _set("/params/networkPolicyEnforcement", "none")
}

test_fail_when_the_granted_entry_is_not_asked_for if {
	document := json.patch(_granted, [{"op": "replace", "path": "/object/machine/0/egress", "value": []}])
	_verdict == "fail" with input as document
}

test_fail_for_a_machine_that_no_custom_resource_describes if {
	document := json.patch(_granted, [{"op": "replace", "path": "/object/machine", "value": []}])
	_verdict == "fail" with input as document
}

test_unknown_when_a_wide_policy_may_select if {
	wide := object.union(_dns, {"path": "NetworkPolicy/legacy spec.egress[0]", "anyPeer": true, "peers": []})
	policy := object.union(good.network.policies[0], {"name": "legacy", "selects": [], "maySelect": ["template"], "egressRules": [wide]})
	document := _edit([{"op": "add", "path": "/network/policies/-", "value": policy}])
	[entry | some entry in rule.report; entry.verdict == "unknown"] == [{
		"verdict": "unknown",
		"target": "egress",
		"message": "NetworkPolicy/legacy spec.egress[0] reaches further, and may come to select the launcher pod (template)",
	}] with input as document
	_verdict == "unknown" with input as document
}

test_unknown_without_launcher if {
	document := _edit([{"op": "replace", "path": "/network/launchers", "value": []}])
	_verdict == "unknown" with input as document
	[entry | some entry in rule.report; entry.verdict == "unknown"] == [{
		"verdict": "unknown",
		"target": "egress",
		"message": "no launcher pod is described: the VirtualMachine does not exist yet",
	}] with input as document
}

test_malformed_facts_do_not_pass if {
	every document in [
		{},
		json.remove(good, ["network"]),
		json.remove(good, ["params"]),
		_set("/network/policies", null),
		_edit([{"op": "remove", "path": "/network/policies/0/egress"}]),
		_edit([{"op": "remove", "path": "/network/policies/0/egressRules"}]),
		_edit([{"op": "remove", "path": "/network/policies/0/egressRules/0/anyPort"}]),
		_edit([{"op": "remove", "path": "/network/policies/0/egressRules/0/peers/0/cidr"}]),
	] {
		not _verdict in {"pass", "not-applicable"} with input as document
	}
}
