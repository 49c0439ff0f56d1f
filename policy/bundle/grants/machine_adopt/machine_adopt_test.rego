package cato.grants.machine_adopt_test

import data.cato.grants.machine_adopt as grant
import data.cato.lib.instance_fixture_test as fixture

passing := _with({"owners": []})

_machine := fixture.good.object.instance[0].existing[0]

_with(changes) := fixture.with_instance({"existing": [object.union(_machine, changes)]})

test_given_when_labelled_and_nobodys if {
	grant.given == {{
		"because": "the labels of the VirtualMachine are this Instance's and nobody controls it",
		"evidence": {"machine": object.union(_machine, {"owners": []})},
	}} with input as passing
	grant.given != set() with input as _with({"owners": [object.union(_machine.owners[0], {"controller": false})]})
}

test_not_given_otherwise if {
	every document in [
		fixture.good,
		fixture.with_instance({"existing": []}),
		_with({"owners": [], "name": "other"}),
		json.patch(passing, [{"op": "replace", "path": "/object/instance/0/existing/0/labels", "value": {}}]),
		json.patch(passing, [{"op": "replace", "path": "/object/instance/0/existing/0/labels/virtfoundry.io~1instance", "value": "other"}]),
	] {
		grant.given == set() with input as document
	}
}

test_malformed_facts_give_nothing if {
	every document in [{}, json.remove(passing, ["object"]), _with({"owners": null}), _with({"owners": [], "labels": null})] {
		grant.given == set() with input as document
	}
}
