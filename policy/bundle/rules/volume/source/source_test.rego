package cato.rules.volume.source_test

import data.cato.lib.holding_fixture_test as fixture
import data.cato.lib.verdict
import data.cato.rules.volume.source as rule

passing := {fixture.disk_snapshot, fixture.instance_snapshot}

_verdict := verdict.of(rule.judged, rule.report)

_set(document, path, value) := json.patch(document, [{"op": "replace", "path": path, "value": value}])

_elsewhere := "0b1d3c5e-0000-4000-8000-000000000099"

test_pass_of_what_is_kept_as_it_says if {
	every document in passing {
		_verdict == "pass" with input as document
	}
}

test_fail_of_a_source_that_is_not_its_owners if {
	every document in [
		_set(fixture.disk_snapshot, "/volume/claims/0/owners/0/uid", _elsewhere),
		_set(fixture.disk_snapshot, "/volume/claims/0/owners", []),
		_set(fixture.instance_snapshot, "/volume/machines/0/owners/0/uid", _elsewhere),
		_set(fixture.instance_snapshot, "/volume/machines/0/owners/0/kind", "Disk"),
	] {
		_verdict == "fail" with input as document
	}
}

test_fail_of_something_else_that_is_kept if {
	every document in [
		_set(fixture.disk_snapshot, "/volume/snapshots/0/source", "other"),
		_set(fixture.disk_snapshot, "/volume/snapshots/0/sourceKind", ""),
		_set(fixture.disk_snapshot, "/volume/snapshots/0/owners", []),
		_set(fixture.instance_snapshot, "/volume/snapshots/0/source", "other"),
		_set(fixture.instance_snapshot, "/volume/snapshots/0/sourceKind", "PersistentVolumeClaim"),
		_set(fixture.instance_snapshot, "/volume/snapshots/0/deletionPolicy", "Retain"),
		_set(fixture.instance_snapshot, "/volume/snapshots/0/owners/0/uid", _elsewhere),
	] {
		_verdict == "fail" with input as document
	}
}

test_unknown_while_it_is_made if {
	every document in [
		_set(fixture.disk_snapshot, "/volume/disks", []),
		_set(fixture.disk_snapshot, "/volume/claims", []),
		_set(fixture.disk_snapshot, "/volume/snapshots", []),
		_set(fixture.instance_snapshot, "/volume/instances", []),
		_set(fixture.instance_snapshot, "/volume/machines", []),
		_set(fixture.instance_snapshot, "/volume/snapshots", []),
	] {
		_verdict == "unknown" with input as document
	}
}

test_gone_disk_is_one_finding if {
	messages := {entry.message | some entry in rule.report} with input as _set(fixture.disk_snapshot, "/volume/disks", [])
	messages == {"spec.diskRef names Disk data, which does not exist in namespace virtfoundry-tenant-acme"}
}

test_malformed_facts_do_not_pass if {
	every document in [
		{},
		json.remove(fixture.disk_snapshot, ["volume"]),
		json.remove(fixture.disk_snapshot, ["object"]),
		json.remove(fixture.instance_snapshot, ["subject"]),
		_set(fixture.disk_snapshot, "/volume/snapshots", null),
		_set(fixture.instance_snapshot, "/volume/machines", null),
		_set(fixture.instance_snapshot, "/object/instanceSnapshot", []),
	] {
		not _verdict in {"pass", "not-applicable"} with input as document
	}
}
