package cato.grants.shared_network_test

import data.cato.grants.shared_network
import data.cato.lib.fabric_fixture_test as fixture

_public := object.union(fixture.neighbour, {"namespace": "virtfoundry-system", "name": "public", "type": "shared"})

_grant := {"selects": true, "reason": "internet", "networks": ["virtfoundry-system/public", "other/public"]}

_document(networks, grants) := json.patch(fixture.network, [
	{"op": "replace", "path": "/subject/kind", "value": "Instance"},
	{"op": "replace", "path": "/fabric/wanted", "value": networks},
	{"op": "replace", "path": "/params/grants/sharedNetworks", "value": grants},
])

passing := _document([_public], [_grant])

test_given_for_what_is_shared_and_named if shared_network.given != set() with input as passing

test_not_given_for_what_is_not_shared_or_not_named if {
	every change in [{"name": "other"}, {"namespace": "other"}, {"namespace": "virtfoundry-tenant-acme"}, {"type": "isolated"}, {"namespace": ""}] {
		shared_network.given == set() with input as _document([object.union(_public, change)], [_grant])
	}
	shared_network.given == set() with input as _document([_public, object.union(_public, {"name": "other"})], [_grant])
}

test_not_given_by_a_grant_to_others if {
	shared_network.given == set() with input as _document([_public], [object.union(_grant, {"selects": false})])
	shared_network.given == set() with input as _document([_public], [])
}

test_not_given_for_nothing if shared_network.given == set() with input as _document([], [_grant])

test_malformed_facts_give_nothing if {
	every broken in [
		{},
		json.remove(passing, ["fabric"]),
		json.remove(passing, ["params"]),
		json.remove(passing, ["subject"]),
		json.patch(passing, [{"op": "replace", "path": "/fabric/wanted", "value": [{}]}]),
	] {
		shared_network.given == set() with input as broken
	}
}
