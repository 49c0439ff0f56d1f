package cato.rules.network.instance_nics_test

import data.cato.lib.instance_fixture_test as fixture
import data.cato.lib.verdict
import data.cato.rules.network.instance_nics as rule

passing := {fixture.good, _pod_alone, _both, _shared(["virtfoundry-system/public"])}

_nic := fixture.good.object.instance[0].nics[0]

_pod_alone := fixture.with_instance({"nics": [], "podNetwork": true})

_both := fixture.with_instance({"podNetwork": true})

_public := object.union(_nic, {"in": "virtfoundry-system", "type": "shared", "nad": "virtfoundry-system/public"})

_shared(granted) := object.union(
	fixture.with_instance({"nics": [_public]}),
	{"params": {"grants": {"secondaryNetworks": [{"selects": true, "reason": "public", "networks": granted}]}}},
)

_open := [{"op": "replace", "path": "/network/policies", "value": []}]

_judge(document) := verdict.of({t | some t in rule.judged}, entries) if entries := _reports(document)

_reports(document) := entries if entries := rule.report with input as document

_messages(document) := {entry.message | some entry in _reports(document); entry.verdict == "fail"}

test_pass if {
	every document in passing {
		_judge(document) == "pass"
	}
}

test_fail_without_any_nic if {
	_messages(fixture.with_instance({"nics": []})) == {"the Instance has no NIC and does not ask for the pod network"}
}

test_fail_if_the_pod_network_is_not_granted if {
	every document in [_pod_alone, _both] {
		_messages(json.patch(document, _open)) == {"the pod network is asked for and not granted"}
	}
}

test_unknown_while_a_network_does_not_exist if {
	lost := object.union(_nic, {"found": false, "in": "", "type": "", "nad": "", "network": "Web servers"})
	document := fixture.with_instance({"nics": [_nic, lost]})
	_judge(document) == "unknown"
	"spec.nics[0] names Network Web servers, which does not exist" in {entry.message | some entry in _reports(document)}
}

test_fail_for_a_network_of_another if {
	message := "a NIC is on a Network that is neither the namespace's own nor granted"
	every nic in [_public, object.union(_nic, {"nad": "virtfoundry-tenant-other/web"}), object.union(_nic, {"in": "virtfoundry-system"})] {
		_messages(fixture.with_instance({"nics": [nic]})) == {message}
	}
	_messages(_shared(["virtfoundry-system/other"])) == {message}
}

test_unknown_while_a_network_is_made if {
	_judge(fixture.with_instance({"nics": [object.union(_nic, {"nad": ""})]})) == "unknown"
}

test_malformed_facts_do_not_pass if {
	every document in [{}, json.remove(fixture.good, ["object"]), fixture.with_instance({"nics": null}), fixture.with_instance({"podNetwork": null})] {
		_judge(document) == "unknown"
	}
}
