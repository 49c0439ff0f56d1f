package cato.rules.network.tenant_egress_test

import data.cato.lib.instance_fixture_test as instance
import data.cato.lib.tenant_fixture_test as fixture
import data.cato.lib.verdict
import data.cato.rules.network.tenant_egress as rule

passing := {fixture.good, instance.good}

test_an_instance_is_judged_by_the_policies_of_its_namespace if {
	_verdict == "pass" with input as instance.good
	_verdict == "fail" with input as json.patch(instance.good, [{"op": "replace", "path": "/network/policies", "value": []}])
}

_verdict := verdict.of(rule.judged, rule.report)

_entries(word) := {entry | some entry in rule.report; entry.verdict == word}

_edit(patches) := json.patch(fixture.good, patches)

_set(path, value) := _edit([{"op": "replace", "path": path, "value": value}])

_importers := fixture.good.network.policies[1]

_web := _importers.egressRules[0]

_v4 := _web.peers[0]

_v6 := _web.peers[1]

_own := object.union(_v4, {"ownNamespace": true, "cidr": "", "except": []})

_to(peer) := _set("/network/policies/1/egressRules", [object.union(_web, {"peers": [peer]})])

_requirement(operator, values) := {"key": "cdi.kubevirt.io", "operator": operator, "values": values}

test_pass_with_the_web_for_importers_only if {
	_verdict == "pass" with input as fixture.good
	rule.report == {
		{"verdict": "pass", "target": "enforcement", "evidence": {"networkPolicyEnforcement": "assumed"}},
		{"verdict": "pass", "target": "egress", "evidence": {"policies": fixture.good.network.policies}},
	} with input as fixture.good
}

test_pass_before_the_tenant_exists if _verdict == "pass" with input as fixture.planned

test_pass_without_any_web if _verdict == "pass" with input as _edit([{"op": "remove", "path": "/network/policies/1"}])

test_pass_of_importers_in_other_spellings if {
	every document in [
		_set("/network/policies/1/pods", [_requirement("In", ["importer", "x"]), _requirement("NotIn", ["x"])]),
		_to(object.union(_v4, {"cidr": "203.0.113.0/24", "except": []})),
		_to(object.union(_v4, {"cidr": "8.0.0.0/6", "except": ["10.0.0.0/7"]})),
		_to(object.union(_v4, {"cidr": "2001:db8::/32", "except": []})),
		_set("/network/policies/1/egress", false),
		_set("/network/policies/1/egressRules", [object.union(_web, {"peers": [_v4, _own]})]),
	] {
		_verdict == "pass" with input as document
	}
}

test_fail_low_when_every_pod_reaches_the_web if {
	policies := fixture.open_web.network.policies
	_verdict == "fail" with input as fixture.open_web
	_entries("fail") == {{
		"verdict": "fail",
		"target": "egress",
		"message": "NetworkPolicy/virtfoundry-default-deny spec.egress[4] opens more than TCP 80 and 443 of public addresses to importer pods",
		"evidence": {"policy": policies[0], "rule": policies[0].egressRules[4]},
	}} with input as fixture.open_web
}

test_fail_whatever_the_parameter_says if {
	document := json.patch(fixture.open_web, [{"op": "replace", "path": "/params/tenantHTTPEgress", "value": "all"}])
	_verdict == "fail" with input as document
}

test_fail_when_the_web_is_not_for_importers_only if {
	every pods in [[], [_requirement("Exists", [])], [_requirement("In", ["importer", "clone"])], [_requirement("NotIn", ["clone"])]] {
		_verdict == "fail" with input as _set("/network/policies/1/pods", pods)
	}
}

test_fail_when_an_address_is_not_public if {
	every peer in [
		object.union(_v4, {"except": []}),
		object.union(_v4, {"cidr": "10.1.0.0/16", "except": []}),
		object.union(_v4, {"cidr": "169.254.169.254/32", "except": []}),
		object.union(_v4, {"cidr": "100.64.0.0/11", "except": []}),
		object.union(_v4, {"cidr": "::/0", "except": ["fe80::/10", "::1/128"]}),
		object.union(_v4, {"cidr": "nowhere"}),
		object.union(_v4, {"cidr": "", "anyNamespace": true}),
	] {
		_verdict == "fail" with input as _to(peer)
	}
	every i, _ in _v4.except {
		_verdict == "fail" with input as _edit([{"op": "remove", "path": $"/network/policies/1/egressRules/0/peers/0/except/{i}"}])
	}
	every i, _ in _v6.except {
		_verdict == "fail" with input as _edit([{"op": "remove", "path": $"/network/policies/1/egressRules/0/peers/1/except/{i}"}])
	}
}

test_fail_when_importers_reach_other_ports if {
	_verdict == "fail" with input as _edit([{"op": "add", "path": "/network/policies/1/egressRules/0/ports/-", "value": {
		"protocol": "TCP",
		"number": 22,
		"end": null,
		"name": "",
	}}])
	_verdict == "fail" with input as _edit([
		{"op": "replace", "path": "/network/policies/1/egressRules/0/anyPort", "value": true},
		{"op": "replace", "path": "/network/policies/1/egressRules/0/ports", "value": []},
	])
}

test_fail_when_egress_is_not_isolated if {
	document := _set("/network/policies/0/egress", false)
	_entries("fail") == {{
		"verdict": "fail",
		"target": "egress",
		"message": "no NetworkPolicy with an empty podSelector isolates the egress of the namespace",
		"evidence": {"policies": document.network.policies},
	}} with input as document
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
	_entries("unknown") == {{
		"verdict": "unknown",
		"target": "egress",
		"message": "the tenant's namespace does not exist",
	}} with input as document
}

test_malformed_facts_do_not_pass if {
	every document in [
		{},
		json.remove(fixture.good, ["network"]),
		json.remove(fixture.good, ["namespace"]),
		json.remove(fixture.good, ["params"]),
		json.remove(fixture.good, ["object"]),
		_set("/network/policies", null),
		_edit([{"op": "remove", "path": "/network/policies/1/pods"}]),
		_edit([{"op": "remove", "path": "/network/policies/1/egressRules/0/peers/0/except"}]),
		_edit([{"op": "remove", "path": "/network/policies/0/egress"}]),
	] {
		not _verdict in {"pass", "not-applicable"} with input as document
	}
}

test_what_is_granted_to_security_groups_may_be_open if {
	block := object.union(fixture.good.network.policies[1].egressRules[0].peers[0], {"cidr": "10.1.0.0/16", "except": []})
	open := [
		{"op": "replace", "path": "/network/policies/1/egressRules/0/peers", "value": [block]},
		{"op": "replace", "path": "/network/policies/1/egressRules/0/ports", "value": []},
		{"op": "replace", "path": "/network/policies/1/egressRules/0/anyPort", "value": true},
	]
	grant := {"selects": true, "reason": "partner", "cidrs": ["10.0.0.0/8"]}
	granted := array.concat(open, [{"op": "replace", "path": "/params/grants/securityGroups", "value": [grant]}])
	_verdict == "fail" with input as _edit(open)
	_verdict == "pass" with input as _edit(granted)
	every change in [{"selects": false}, {"cidrs": ["10.2.0.0/16"]}] {
		document := json.patch(_edit(granted), [{"op": "replace", "path": "/params/grants/securityGroups/0", "value": object.union(grant, change)}])
		_verdict == "fail" with input as document
	}
}
