package cato.grants.secondary_network_test

import data.cato.grants.secondary_network
import data.cato.lib.machine_fixture_test.good

_grant := {"selects": true, "reason": "plant", "networks": ["mission-a/lan", "mission-a/dmz", "default/lan"]}

_document(networks, grants) := json.patch(good, [
	{"op": "replace", "path": "/object/machine/0/networks", "value": networks},
	{"op": "replace", "path": "/params/grants/secondaryNetworks", "value": grants},
])

passing := _document(["mission-a/lan"], [_grant])

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
		json.remove(passing, ["object"]),
		json.remove(passing, ["params"]),
		json.remove(passing, ["subject"]),
		json.patch(passing, [{"op": "replace", "path": "/subject/namespace", "value": ""}]),
		json.patch(passing, [{"op": "remove", "path": "/params/grants/secondaryNetworks/0/networks"}]),
	] {
		secondary_network.given == set() with input as broken
	}
}
