package cato.grants.secondary_network_test

import data.cato.grants.secondary_network
import data.cato.lib.instance_fixture_test as instance
import data.cato.lib.machine_fixture_test.good

_grant := {"selects": true, "reason": "plant", "networks": ["mission-a/lan", "mission-a/dmz", "default/lan"]}

_document(networks, grants) := json.patch(good, [
	{"op": "replace", "path": "/object/machine/0/networks", "value": networks},
	{"op": "replace", "path": "/params/grants/secondaryNetworks", "value": grants},
])

passing := {_networked, instance.good, _shared(["virtfoundry-system/public"], true)}

_networked := _document(["mission-a/lan"], [_grant])

_nic := instance.good.object.instance[0].nics[0]

_shared(networks, selects) := object.union(
	instance.with_instance({"nics": [object.union(_nic, {
		"in": "virtfoundry-system",
		"type": "shared",
		"nad": "virtfoundry-system/public",
	})]}),
	{"params": {"grants": {"secondaryNetworks": [{"selects": selects, "reason": "public", "networks": networks}]}}},
)

test_given_to_an_instance if {
	every document in [instance.good, _shared(["virtfoundry-system/public"], true)] {
		count(secondary_network.given) == 1 with input as document
	}
}

test_not_given_to_an_instance_for_what_is_anothers if {
	every document in [
		_shared(["virtfoundry-system/public"], false),
		_shared(["virtfoundry-system/other"], true),
		instance.with_instance({"nics": []}),
		instance.with_instance({"nics": [_nic, object.union(_nic, {"found": false})]}),
		instance.with_instance({"nics": [object.union(_nic, {"nad": "virtfoundry-tenant-other/web"})]}),
		instance.with_instance({"nics": [object.union(_nic, {"in": "virtfoundry-system"})]}),
	] {
		secondary_network.given == set() with input as document
	}
}

test_given_when_named_in_the_own_namespace if {
	secondary_network.given == {{
		"because": "each network lies in the machine's namespace and is named by a grant of the profile",
		"evidence": {"networks": ["mission-a/lan", "mission-a/dmz"], "grants": [_grant]},
	}} with input as _document(["mission-a/lan", "mission-a/dmz"], [_grant])
}

test_not_given_for_what_is_not_named if {
	every networks in [["mission-a/other"], ["mission-a/lan", "mission-a/other"], ["lan"], ["mission-a/lan/x"], ["default/lan"], [""]] {
		secondary_network.given == set() with input as _document(networks, [_grant])
	}
}

test_not_given_by_a_grant_to_others if {
	secondary_network.given == set() with input as _document(["mission-a/lan"], [object.union(_grant, {"selects": false})])
}

test_not_given_for_nothing if secondary_network.given == set() with input as _document([], [_grant])

test_malformed_facts_give_nothing if {
	every broken in [
		{},
		json.remove(_networked, ["object"]),
		json.remove(_networked, ["params"]),
		json.remove(_networked, ["subject"]),
		json.patch(_networked, [{"op": "replace", "path": "/subject/namespace", "value": ""}]),
		json.patch(_networked, [{"op": "remove", "path": "/params/grants/secondaryNetworks/0/networks"}]),
	] {
		secondary_network.given == set() with input as broken
	}
}
