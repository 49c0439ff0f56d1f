package cato.grants.dedicated_cpu_test

import data.cato.grants.dedicated_cpu as grant
import data.cato.lib.machine_fixture_test as machine

passing := _with([_source])

_source := {"selects": true, "reason": "real-time guests"}

_with(sources) := object.union(machine.good, {"params": {"grants": {"dedicatedCPU": sources}}})

test_given_by_a_source_that_selects_the_namespace if {
	other := {"selects": false, "reason": "elsewhere"}
	expected := {{"because": "real-time guests", "evidence": {"source": _source}}}
	grant.given == expected with input as passing
	grant.given == expected with input as _with([other, _source])
}

test_not_given_otherwise if {
	grant.given == set() with input as machine.good
	grant.given == set() with input as _with([{"selects": false, "reason": "elsewhere"}])
}

test_malformed_gives_nothing if {
	every document in [{}, _with(null), _with([{"selects": "true", "reason": "text"}]), _with([{"selects": true}])] {
		grant.given == set() with input as document
	}
}
