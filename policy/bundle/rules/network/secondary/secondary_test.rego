package cato.rules.network.secondary_test

import data.cato.lib.instance_fixture_test as instance
import data.cato.lib.machine_fixture_test.good
import data.cato.lib.verdict
import data.cato.rules.network.secondary as rule

passing := {good, _granted, instance.good}

test_pass_of_an_instance_on_its_own_network if _verdict == "pass" with input as instance.good

test_fail_for_an_instance_on_another_network if {
	elsewhere := [{"op": "replace", "path": "/network/nics/1/network", "value": "virtfoundry-tenant-acme/db"}]
	_verdict == "fail" with input as json.patch(instance.good, elsewhere)
}

_verdict := verdict.of({target | some target in rule.judged}, rule.report)

_edit(patches) := json.patch(good, patches)

_nics(nics) := _edit([{"op": "replace", "path": "/network/nics", "value": nics}])

_nic := good.network.nics[0]

_lan := {
	"name": "lan",
	"launcher": "template",
	"path": "VirtualMachine/web spec.template.spec.domain.devices.interfaces[1]",
	"binding": "bridge",
	"network": "mission-a/lan",
}

_granted := _edit([
	{"op": "add", "path": "/network/nics/-", "value": _lan},
	{"op": "add", "path": "/object/machine/0/networks/-", "value": "mission-a/lan"},
	{"op": "add", "path": "/params/grants/secondaryNetworks/-", "value": {"selects": true, "reason": "plant", "networks": ["mission-a/lan"]}},
])

test_pass_by_masquerade_on_the_pod_network if {
	_verdict == "pass" with input as good
	rule.report == {{"verdict": "pass", "target": "nics", "evidence": {"nics": good.network.nics}}} with input as good
}

test_pass_when_asked_for_and_granted if _verdict == "pass" with input as _granted

test_pass_of_a_granted_network_by_any_binding if {
	every binding in ["sriov", "macvtap", "plugin:vdpa", "default"] {
		_verdict == "pass" with input as json.patch(_granted, [{"op": "replace", "path": "/network/nics/2/binding", "value": binding}])
	}
}

test_fail_names_the_nic_around_the_policies if {
	document := json.patch(_granted, [{"op": "replace", "path": "/params/grants/secondaryNetworks", "value": []}])
	rule.report == {{
		"verdict": "fail",
		"target": "nics",
		"message": "NIC lan goes around NetworkPolicy by mission-a/lan, which is not asked for, not of this namespace or not granted",
		"evidence": {"nic": _lan},
	}} with input as document
	_verdict == "fail" with input as document
}

test_fail_when_not_granted_or_not_asked_for if {
	every patch in [
		{"op": "replace", "path": "/params/grants/secondaryNetworks/0/selects", "value": false},
		{"op": "replace", "path": "/params/grants/secondaryNetworks/0/networks", "value": ["mission-a/other"]},
		{"op": "replace", "path": "/object/machine/0/networks", "value": []},
		{"op": "replace", "path": "/object/machine/0/networks", "value": ["mission-a/lan", "mission-a/other"]},
		{"op": "replace", "path": "/object/machine", "value": []},
		{"op": "replace", "path": "/network/nics/2/network", "value": "mission-a/other"},
		{"op": "replace", "path": "/network/nics/2/network", "value": "other"},
	] {
		_verdict == "fail" with input as json.patch(_granted, [patch])
	}
}

test_fail_in_another_namespace_even_when_listed if {
	document := json.patch(_granted, [
		{"op": "replace", "path": "/network/nics/2/network", "value": "default/lan"},
		{"op": "replace", "path": "/object/machine/0/networks", "value": ["default/lan"]},
		{"op": "replace", "path": "/params/grants/secondaryNetworks/0/networks", "value": ["default/lan"]},
	])
	_verdict == "fail" with input as document
}

test_fail_of_other_bindings_on_the_pod_network if {
	every binding in ["bridge", "sriov", "macvtap", "passt", "slirp", "plugin:passt"] {
		nic := object.union(_nic, {"binding": binding})
		_verdict == "fail" with input as _nics([_nic, nic])
		rule.report == {{
			"verdict": "fail",
			"target": "nics",
			"message": $"NIC default is on the pod network by {binding}, not by masquerade",
			"evidence": {"nic": nic},
		}} with input as _nics([_nic, nic])
	}
}

test_unknown_default_binding if {
	document := _nics([object.union(_nic, {"binding": "default"})])
	_verdict == "unknown" with input as document
	rule.report == {{
		"verdict": "unknown",
		"target": "nics",
		"message": "NIC default has the cluster's default binding, which may be bridge",
	}} with input as document
}

test_unknown_network if {
	document := _nics([object.union(_nic, {"network": "absent"})])
	_verdict == "unknown" with input as document
	rule.report == {{
		"verdict": "unknown",
		"target": "nics",
		"message": "NIC default names a network that the machine does not declare",
	}} with input as document
}

test_unknown_without_launcher if {
	document := json.patch(_nics([]), [{"op": "replace", "path": "/network/launchers", "value": []}])
	_verdict == "unknown" with input as document
	rule.report == {{
		"verdict": "unknown",
		"target": "nics",
		"message": "no launcher pod is described: the VirtualMachine does not exist yet",
	}} with input as document
}

test_not_applicable_without_nic if {
	_verdict == "not-applicable" with input as _nics([])
	rule.report == {{"verdict": "not-applicable", "message": "the machine has no NIC"}} with input as _nics([])
}

test_malformed_facts_do_not_pass if {
	every document in [
		{},
		json.remove(good, ["network"]),
		json.remove(good, ["network/nics"]),
		json.remove(good, ["network/launchers"]),
		_edit([{"op": "remove", "path": "/network/nics/0/binding"}]),
		_edit([{"op": "remove", "path": "/network/nics/1/network"}]),
		_nics([{}]),
	] {
		not _verdict in {"pass", "not-applicable"} with input as document
	}
}
