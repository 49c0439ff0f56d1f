package cato.rules.volume.claim_test

import data.cato.lib.holding_fixture_test as fixture
import data.cato.lib.verdict
import data.cato.rules.volume.claim as rule

passing := {fixture.disk, _planned, _unbound, _growing}

_unbound := _set("/volume/claims/0/capacity", null)

_growing := json.patch(_set("/volume/claims/0/capacity", 10737418240), [{"op": "replace", "path": "/volume/classes/0/expandable", "value": true}])

_planned := json.patch(fixture.disk, [
	{"op": "replace", "path": "/moment", "value": "plan"},
	{"op": "replace", "path": "/subject/uid", "value": ""},
	{"op": "replace", "path": "/volume/claims/0/uid", "value": ""},
	{"op": "replace", "path": "/volume/claims/0/owners/0/uid", "value": ""},
])

_verdict := verdict.of(rule.judged, rule.report)

_set(path, value) := json.patch(fixture.disk, [{"op": "replace", "path": path, "value": value}])

test_pass_of_an_own_volume if {
	every document in passing {
		_verdict == "pass" with input as document
	}
}

test_fail_of_a_claim_of_another if {
	owner := fixture.disk.volume.claims[0].owners[0]
	every owners in [
		[],
		[object.union(owner, {"uid": "0b1d3c5e-0000-4000-8000-000000000099"})],
		[object.union(owner, {"kind": "DataVolume"})],
		[object.union(owner, {"group": "cdi.kubevirt.io"})],
		[object.union(owner, {"name": "other"})],
		[object.union(owner, {"controller": false})],
	] {
		_verdict == "fail" with input as _set("/volume/claims/0/owners", owners)
	}
}

# Two empty uids are no proof in a cluster.
test_empty_uids_prove_nothing_live if _verdict == "fail" with input as json.patch(_planned, [{"op": "replace", "path": "/moment", "value": "live"}])

test_fail_of_a_volume_that_is_no_such_disk if {
	every document in [
		_set("/volume/claims/0/modes", ["ReadWriteMany"]),
		_set("/volume/claims/0/modes", []),
		_set("/volume/claims/0/bytes", 21474836481),
		_set("/volume/claims/0/bytes", 21474836479),
		_set("/object/disk/0/bytes", null),
		json.patch(_growing, [{"op": "replace", "path": "/volume/classes/0/expandable", "value": false}]),
	] {
		_verdict == "fail" with input as document
	}
}

test_unknown_without_a_volume if {
	_verdict == "unknown" with input as _set("/volume/claims", [])
	_verdict == "unknown" with input as _set("/volume/claims/0/bytes", null)
	_verdict == "unknown" with input as _set("/object/disk/0/claim", "other")
	_verdict == "unknown" with input as json.patch(_growing, [{"op": "replace", "path": "/volume/classes", "value": []}])
}

test_malformed_facts_do_not_pass if {
	every document in [
		{},
		json.remove(fixture.disk, ["volume"]),
		json.remove(fixture.disk, ["object"]),
		json.remove(fixture.disk, ["subject"]),
		_set("/volume/claims", null),
		_set("/volume/claims/0/owners", null),
		_set("/object/disk", []),
	] {
		not _verdict in {"pass", "not-applicable"} with input as document
	}
}
