package cato.grants.dedicated_cpu_test

import data.cato.grants.dedicated_cpu as grant
import data.cato.lib.instance_fixture_test as instance
import data.cato.lib.machine_fixture_test as machine

passing := {_with([_source]), _asking({"dedicatedCPU": true}, {}), _asking({}, {"dedicatedCPU": true})}

_asking(wish, offering) := instance.with_instance(object.union(wish, {"offering": [object.union(_offering, offering)]}))

_offering := instance.good.object.instance[0].offering[0]

_source := {"selects": true, "reason": "real-time guests"}

_with(sources) := object.union(machine.good, {"params": {"grants": {"dedicatedCPU": sources}}})

test_given_by_a_source_that_selects_the_namespace if {
	other := {"selects": false, "reason": "elsewhere"}
	expected := {{"because": "real-time guests", "evidence": {"source": _source}}}
	grant.given == expected with input as _with([_source])
	grant.given == expected with input as _with([other, _source])
}

test_not_given_otherwise if {
	grant.given == set() with input as machine.good
	grant.given == set() with input as _with([{"selects": false, "reason": "elsewhere"}])
}

test_given_to_an_instance_by_an_offering_of_the_platform if {
	every document in [_asking({"dedicatedCPU": true}, {}), _asking({}, {"dedicatedCPU": true})] {
		grant.given == {{"because": "the Offering is the platform's own", "evidence": {"instance": document.object.instance[0]}}} with input as document
	}
}

test_not_given_to_an_instance_otherwise if {
	every document in [
		_asking({}, {}),
		_asking({"dedicatedCPU": true}, {"platformOwned": false}),
		instance.with_instance({"dedicatedCPU": true, "offering": []}),
		object.union(
			instance.with_instance({"dedicatedCPU": true, "offering": []}),
			{"params": {"grants": {"dedicatedCPU": [_source]}}},
		),
	] {
		grant.given == set() with input as document
	}
}

test_malformed_gives_nothing if {
	every document in [{}, _with(null), _with([{"selects": "true", "reason": "text"}]), _with([{"selects": true}])] {
		grant.given == set() with input as document
	}
}
