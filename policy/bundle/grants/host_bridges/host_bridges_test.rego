package cato.grants.host_bridges_test

import data.cato.grants.host_bridges
import data.cato.lib.bridges_fixture_test as fixture

passing := {fixture.both, fixture.awaited}

test_given_where_a_network_is_switched_on if {
	every document in passing {
		host_bridges.given != set() with input as document
	}
}

test_not_given_where_both_are_off if host_bridges.given == set() with input as fixture.off

test_malformed_facts_give_nothing if {
	every broken in [
		{},
		json.remove(fixture.both, ["object"]),
		json.patch(fixture.both, [{"op": "replace", "path": "/object/platform", "value": []}]),
		json.patch(fixture.both, [{"op": "replace", "path": "/object/platform/0/bridges", "value": null}]),
	] {
		host_bridges.given == set() with input as broken
	}
}
