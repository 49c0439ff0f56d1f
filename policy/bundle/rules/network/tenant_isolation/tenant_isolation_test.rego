package cato.rules.network.tenant_isolation_test

import data.cato.lib.instance_fixture_test as instance
import data.cato.lib.tenant_fixture_test as fixture
import data.cato.lib.verdict
import data.cato.rules.network.tenant_isolation as rule

passing := {fixture.good, fixture.open_web, instance.good}

test_an_instance_is_judged_by_the_policies_of_its_namespace if {
	_verdict == "pass" with input as instance.good
	_verdict == "fail" with input as json.patch(instance.good, [{"op": "replace", "path": "/network/policies", "value": []}])
	elsewhere := [{"op": "replace", "path": "/subject/namespace", "value": "virtfoundry-tenant-other"}]
	_verdict == "pass" with input as json.patch(instance.good, elsewhere)
}

_verdict := verdict.of(rule.judged, rule.report)

_entries(word) := {entry | some entry in rule.report; entry.verdict == word}

_edit(patches) := json.patch(fixture.open_web, patches)

_set(path, value) := _edit([{"op": "replace", "path": path, "value": value}])

_policy := fixture.open_web.network.policies[0]

_dns := _policy.egressRules[0]

_own := _policy.egressRules[1]

_kubevirt := _policy.egressRules[2]

_web := _policy.egressRules[4]

_also(policy) := _edit([{"op": "add", "path": "/network/policies/-", "value": object.union(_policy, policy)}])

_out(rule) := _also({"name": "more", "ingressRules": [], "egressRules": [rule]})

_in(rule) := _also({"name": "more", "ingressRules": [rule], "egressRules": []})

_peers(rule, peers) := object.union(rule, {"anyPeer": false, "peers": peers})

_port(protocol, number, end, name) := {"protocol": protocol, "number": number, "end": end, "name": name}

_requirement(key, operator, values) := {"key": key, "operator": operator, "values": values}

_name(operator, values) := object.union(_kubevirt.peers[0], {"namespaces": [_requirement("kubernetes.io/metadata.name", operator, values)]})

_block(cidr) := object.union(_own.peers[0], {"ownNamespace": false, "cidr": cidr})

test_pass_with_the_five_default_rules if {
	_verdict == "pass" with input as fixture.open_web
	rule.report == {
		{"verdict": "pass", "target": "enforcement", "evidence": {"networkPolicyEnforcement": "assumed"}},
		{"verdict": "pass", "target": "ingress", "evidence": {"policies": fixture.open_web.network.policies}},
		{"verdict": "pass", "target": "egress", "evidence": {"policies": fixture.open_web.network.policies}},
	} with input as fixture.open_web
}

test_pass_with_the_web_for_importers_only if _verdict == "pass" with input as fixture.good

test_pass_before_the_tenant_exists if _verdict == "pass" with input as fixture.planned

test_pass_of_egress_that_is_no_wider if {
	every rule in [
		_peers(_dns, [object.union(_dns.peers[0], {"pods": array.concat(_dns.peers[0].pods, [_requirement("zone", "Exists", [])])})]),
		object.union(_dns, {"ports": [_port("UDP", 53, 53, ""), _port("TCP", 443, null, "")]}),
		_peers(_own, [_name("In", ["kubevirt", "cdi", "virtfoundry-tenant-acme"])]),
		_peers(_own, [object.union(_name("In", ["cdi"]), {"pods": [_requirement("app", "In", ["proxy"])], "anyPod": false})]),
		_peers(_web, [_block("203.0.113.0/24"), object.union(_name("In", []), {"anyNamespace": true, "namespaces": []})]),
		object.union(_web, {"ports": [_port("TCP", 443, 443, "")]}),
		_peers(_own, [object.union(_name("In", ["anywhere"]), {"pods": [_requirement("a", "In", ["x"]), _requirement("a", "NotIn", ["x"])]})]),
		_peers(_dns, [object.union(_dns.peers[0], {"namespaces": [_requirement("kubernetes.io/metadata.name", "In", ["kube-system", "cdi"])]})]),
	] {
		_verdict == "pass" with input as _out(rule)
	}
}

test_pass_of_ingress_that_is_no_wider if {
	every rule in [
		object.union(_own, {"anyPort": false, "ports": [_port("TCP", 22, null, "")]}),
		_peers(_own, [object.union(_own.peers[0], {"pods": [_requirement("app", "In", ["web"])], "anyPod": false})]),
		_peers(_own, [_name("In", ["virtfoundry-tenant-acme"])]),
		_peers(_own, [object.union(_name("In", ["anywhere"]), {"pods": [_requirement("a", "Exists", []), _requirement("a", "DoesNotExist", [])]})]),
	] {
		_verdict == "pass" with input as _in(rule)
	}
}

test_pass_when_a_wide_policy_is_not_in_force if {
	everything := object.union(_web, {"anyPort": true, "ports": []})
	every change in [
		{"pods": [_requirement("a", "In", ["x"]), _requirement("a", "In", ["y"])]},
		{"ingress": false, "egress": false},
	] {
		_verdict == "pass" with input as _also(object.union(change, {"ingressRules": [everything], "egressRules": [everything]}))
	}
}

test_pass_when_directions_are_isolated_by_two_policies if {
	document := _edit([
		{"op": "replace", "path": "/network/policies/0/egress", "value": false},
		{"op": "add", "path": "/network/policies/-", "value": object.union(_policy, {"ingress": false})},
	])
	_verdict == "pass" with input as document
}

test_fail_when_the_selector_was_narrowed if {
	document := _set("/network/policies/0/pods", [_requirement("isolate", "In", ["true"])])
	_entries("fail") == {{
		"verdict": "fail",
		"target": direction,
		"message": $"no NetworkPolicy with an empty podSelector isolates the {direction} of the namespace",
		"evidence": {"policies": document.network.policies},
	} |
		some direction in ["ingress", "egress"]
	} with input as document
	_verdict == "fail" with input as document
}

test_fail_when_a_direction_is_open if {
	every document in [
		_set("/network/policies", []),
		_set("/network/policies/0/ingress", false),
		_set("/network/policies/0/egress", false),
	] {
		_verdict == "fail" with input as document
	}
}

test_fail_names_the_rule_that_is_wider if {
	wide := object.union(_web, {"path": "NetworkPolicy/more spec.egress[0]", "anyPort": true, "ports": []})
	document := _out(wide)
	_entries("fail") == {{
		"verdict": "fail",
		"target": "egress",
		"message": "NetworkPolicy/more spec.egress[0] lets out more than the default rules",
		"evidence": {"policy": document.network.policies[1], "rule": wide},
	}} with input as document
}

test_fail_by_wider_egress if {
	every rule in [
		object.union(_web, {"ports": [_port("TCP", 80, 443, "")]}),
		object.union(_web, {"ports": [_port("TCP", 443, null, ""), _port("UDP", 443, null, "")]}),
		object.union(_web, {"ports": [_port("TCP", null, null, "https")]}),
		object.union(_web, {"ports": [_port("TCP", null, null, "")]}),
		object.union(_web, {"ports": [_port("SCTP", 443, null, "")]}),
		object.union(_dns, {"ports": [_port("TCP", 22, null, "")]}),
		object.union(_dns, {"anyPort": true, "ports": []}),
		_peers(_dns, [_name("In", ["kube-system"]), _own.peers[0]]),
		_peers(_own, [_block("10.0.0.0/8")]),
		_peers(_own, [_own.peers[0], object.union(_name("In", []), {"anyNamespace": true, "namespaces": []})]),
		_peers(_own, [_name("NotIn", ["kube-system"])]),
		_peers(_own, [_name("In", ["cdi", "default"])]),
		_peers(_own, [object.union(_name("In", []), {"namespaces": [_requirement("name", "In", ["cdi"])]})]),
		_peers(_own, [_name("In", ["virtfoundry-tenant-other"])]),
		object.union(_own, {"peers": []}),
	] {
		_verdict == "fail" with input as _out(rule)
	}
}

test_fail_names_the_rule_that_lets_others_in if {
	wide := _peers(object.union(_own, {"path": "NetworkPolicy/more spec.ingress[0]"}), [_name("In", ["ingress-nginx"])])
	document := _in(wide)
	_entries("fail") == {{
		"verdict": "fail",
		"target": "ingress",
		"message": "NetworkPolicy/more spec.ingress[0] lets in more than pods of the own namespace",
		"evidence": {"policy": document.network.policies[1], "rule": wide},
	}} with input as document
}

test_fail_by_wider_ingress if {
	every rule in [
		object.union(_web, {"anyPort": true, "ports": []}),
		_web,
		_kubevirt,
		_peers(_own, [_own.peers[0], _block("192.0.2.1/32")]),
		_peers(_own, [object.union(_name("In", []), {"anyNamespace": true, "namespaces": []})]),
		_peers(_own, [object.union(_name("In", []), {"namespaces": [_requirement("virtfoundry.io/tenant", "In", ["acme"])]})]),
	] {
		_verdict == "fail" with input as _in(rule)
	}
}

# A policy for some pods only still adds to what those pods may do.
test_fail_by_a_wide_policy_for_some_pods if {
	document := _also({"pods": [_requirement("app", "NotIn", ["db"])], "egressRules": [object.union(_web, {"anyPort": true, "ports": []})]})
	_verdict == "fail" with input as document
}

test_fail_without_enforcement if {
	_entries("fail") == {{
		"verdict": "fail",
		"target": "enforcement",
		"message": "the cluster's network plugin does not enforce NetworkPolicies",
		"evidence": {"networkPolicyEnforcement": "none"},
	}} with input as _set("/params/networkPolicyEnforcement", "none")
}

test_unknown_without_namespace if {
	document := _edit([
		{"op": "replace", "path": "/namespace", "value": []},
		{"op": "replace", "path": "/network/policies", "value": []},
	])
	_verdict == "unknown" with input as document
	_entries("unknown") == {{"verdict": "unknown", "target": "ingress", "message": "the tenant's namespace does not exist"}} with input as document
}

test_malformed_facts_do_not_pass if {
	every document in [
		{},
		json.remove(fixture.open_web, ["network"]),
		json.remove(fixture.open_web, ["namespace"]),
		json.remove(fixture.open_web, ["params"]),
		json.remove(fixture.open_web, ["object"]),
		_set("/network/policies", null),
		_edit([{"op": "remove", "path": "/network/policies/0/pods"}]),
		_edit([{"op": "remove", "path": "/network/policies/0/ingressRules"}]),
		_edit([{"op": "remove", "path": "/network/policies/0/egressRules"}]),
		_edit([{"op": "remove", "path": "/network/policies/0/egressRules/0/anyPort"}]),
	] {
		not _verdict in {"pass", "not-applicable"} with input as document
	}
}
