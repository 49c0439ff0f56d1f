package cato.rules.volume.snapclass_test

import data.cato.lib.holding_fixture_test as fixture
import data.cato.lib.verdict
import data.cato.rules.volume.snapclass as rule

passing := {fixture.disk_snapshot, _default, _longhorn, _configured}

_default := json.patch(fixture.disk_snapshot, [
	{"op": "replace", "path": "/volume/snapshotClasses", "value": [_class("a", true), _class("b", false)]},
	{"op": "replace", "path": "/volume/snapshots/0/class", "value": ""},
])

_longhorn := json.patch(fixture.disk_snapshot, [
	{"op": "replace", "path": "/volume/claims/0/class", "value": "longhorn"},
	{"op": "replace", "path": "/volume/classes/0/name", "value": "longhorn"},
	{"op": "replace", "path": "/volume/snapshotClasses", "value": [_class("longhorn", false), _class("b", true)]},
	{"op": "replace", "path": "/volume/snapshots/0/class", "value": "longhorn"},
])

# The platform's configuration names a class where the driver has several.
_configured := json.patch(fixture.disk_snapshot, [
	{"op": "replace", "path": "/params/snapshotClass", "value": "b"},
	{"op": "replace", "path": "/volume/snapshotClasses", "value": [_class("a", true), _class("b", true)]},
	{"op": "replace", "path": "/volume/snapshots/0/class", "value": "b"},
])

_class(name, default_) := {"name": name, "driver": fixture.class.provisioner, "default": default_}

_verdict := verdict.of(rule.judged, rule.report)

_set(path, value) := json.patch(fixture.disk_snapshot, [{"op": "replace", "path": path, "value": value}])

test_pass_of_a_driver_that_can if {
	every document in [fixture.disk_snapshot, _default, _longhorn, _configured, _set("/volume/snapshots", [])] {
		_verdict == "pass" with input as document
	}
}

test_fail_where_the_cluster_cannot if {
	every document in [
		_set("/cluster/volumeSnapshots", false),
		_set("/volume/snapshotClasses", []),
		_set("/volume/snapshotClasses/0/driver", "other.example.com"),
		_set("/volume/snapshotClasses", [_class("a", false), _class("b", false)]),
		_set("/volume/snapshotClasses", [_class("a", true), _class("b", true)]),
		_set("/volume/classes/0/provisioner", "rancher.io/local-path"),
		json.patch(_configured, [{"op": "replace", "path": "/params/snapshotClass", "value": "c"}]),
		json.patch(_configured, [{"op": "replace", "path": "/volume/snapshotClasses/1/driver", "value": "other.example.com"}]),
		json.patch(_longhorn, [{"op": "replace", "path": "/volume/snapshotClasses", "value": [_class("b", true)]}]),
		json.patch(fixture.disk_snapshot, [
			{"op": "replace", "path": "/volume/claims/0/class", "value": "local-path"},
			{"op": "replace", "path": "/volume/classes/0/name", "value": "local-path"},
		]),
	] {
		_verdict == "fail" with input as document
	}
}

test_unknown_without_a_class if {
	every document in [
		_set("/volume/classes", []),
		_set("/volume/claims", []),
		_set("/volume/claims/0/class", ""),
		_set("/volume/snapshots/0/class", "other"),
		_set("/cluster/volumeSnapshots", null),
	] {
		_verdict == "unknown" with input as document
	}
}

# A platform whose configuration nobody knows may name any class.
test_unknown_where_the_configuration_is_not_known if {
	every document in [
		_set("/volume/snapshotClasses", [_class("a", true), _class("b", true)]),
		json.patch(_configured, [{"op": "replace", "path": "/params/snapshotClass", "value": "c"}]),
	] {
		_verdict == "unknown" with input as json.patch(document, [{"op": "add", "path": "/gaps/params.snapshotClass", "value": "the file is wrong"}])
	}
}

test_malformed_facts_do_not_pass if {
	every document in [
		{},
		json.remove(fixture.disk_snapshot, ["cluster"]),
		json.remove(fixture.disk_snapshot, ["volume"]),
		_set("/volume/snapshotClasses", null),
		_set("/volume/classes", null),
		_set("/volume/snapshots", null),
	] {
		not _verdict in {"pass", "not-applicable"} with input as document
	}
}
