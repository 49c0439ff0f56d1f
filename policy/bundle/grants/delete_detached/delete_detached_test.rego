package cato.grants.delete_detached_test

import data.cato.grants.delete_detached
import data.cato.lib.holding_fixture_test as fixture

passing := json.patch(fixture.disk, [
	{"op": "replace", "path": "/volume/uses", "value": []},
	{"op": "replace", "path": "/volume/instances", "value": []},
])

test_given_when_no_machine_has_it if delete_detached.given != set() with input as passing

test_not_given_while_one_has_it_or_is_to_have_it if {
	every path in ["/volume/uses", "/volume/instances"] {
		value := object.get(fixture.disk, split(trim_left(path, "/"), "/"), null)
		delete_detached.given == set() with input as json.patch(passing, [{"op": "replace", "path": path, "value": value}])
	}
}

test_malformed_facts_give_nothing if {
	every broken in [
		{},
		json.remove(passing, ["volume"]),
		json.remove(passing, ["object"]),
		json.patch(passing, [{"op": "replace", "path": "/volume/uses", "value": null}]),
	] {
		delete_detached.given == set() with input as broken
	}
}
