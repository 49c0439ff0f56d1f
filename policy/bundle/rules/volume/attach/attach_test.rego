package cato.rules.volume.attach_test

import data.cato.lib.holding_fixture_test as fixture
import data.cato.lib.verdict
import data.cato.rules.volume.attach as rule

passing := {fixture.disk, _detached, _moving}

_detached := json.patch(fixture.disk, [
	{"op": "replace", "path": "/object/disk/0/instance", "value": ""},
	{"op": "replace", "path": "/volume/instances", "value": []},
	{"op": "replace", "path": "/volume/machines", "value": []},
	{"op": "replace", "path": "/volume/uses", "value": []},
])

# Detached by its spec, and still to be taken out.
_moving := json.patch(_detached, [
	{"op": "replace", "path": "/moment", "value": "plan"},
	{"op": "replace", "path": "/volume/uses", "value": fixture.disk.volume.uses},
])

_verdict := verdict.of(rule.judged, rule.report)

_set(path, value) := json.patch(fixture.disk, [{"op": "replace", "path": path, "value": value}])

test_pass_of_the_one_instance if {
	every document in [fixture.disk, _detached, _moving, _set("/volume/uses", []), _set("/volume/machines", [])] {
		_verdict == "pass" with input as document
	}
}

test_fail_of_another_instance if {
	every document in [
		_set("/volume/instances/0/deleting", true),
		_set("/volume/machines/0/owners", []),
		_set("/volume/machines/0/owners/0/uid", "0b1d3c5e-0000-4000-8000-000000000099"),
		_set("/volume/machines/0/owners/0/kind", "UDSVirtualMachine"),
		_set("/volume/machines/0/owners/0/controller", false),
	] {
		_verdict == "fail" with input as document
	}
}

test_fail_of_a_machine_that_took_it if {
	every document in [
		_set("/volume/uses/0/name", "other"),
		json.patch(_moving, [{"op": "replace", "path": "/moment", "value": "live"}]),
		json.patch(_moving, [{"op": "replace", "path": "/volume/uses/0/hotPlugged", "value": false}]),
	] {
		_verdict == "fail" with input as document
	}
}

test_unknown_while_there_is_no_such_instance if {
	_verdict == "unknown" with input as _set("/volume/instances", [])
}

test_unknown_where_nobody_looked if {
	_verdict == "unknown" with input as json.remove(fixture.disk, ["volume/uses"])
	_verdict == "unknown" with input as json.remove(fixture.disk, ["volume/machines"])
}

test_malformed_facts_do_not_pass if {
	every document in [
		{},
		json.remove(fixture.disk, ["volume"]),
		json.remove(fixture.disk, ["object"]),
		_set("/volume/uses", null),
		_set("/volume/machines", null),
		_set("/volume/instances", null),
		_set("/object/disk", []),
	] {
		not _verdict in {"pass", "not-applicable"} with input as document
	}
}
