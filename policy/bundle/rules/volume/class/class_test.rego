package cato.rules.volume.class_test

import data.cato.lib.holding_fixture_test as fixture
import data.cato.lib.verdict
import data.cato.rules.volume.class as rule

passing := {fixture.disk, _planned, _named, _default, _last, _configured}

# Before the claim exists, its class is chosen.
_planned := _set(fixture.disk, "/volume/claims/0/uid", "")

_named := json.patch(_planned, [
	{"op": "replace", "path": "/object/disk/0/class", "value": "fast"},
	{"op": "replace", "path": "/volume/claims/0/class", "value": "fast"},
])

_default := json.patch(_planned, [
	{"op": "replace", "path": "/volume/classes", "value": [_class("fast", true), _class("local-path", false)]},
	{"op": "replace", "path": "/volume/claims/0/class", "value": "fast"},
])

_last := json.patch(_planned, [
	{"op": "replace", "path": "/volume/classes", "value": [_class("fast", false), _class("local-path", false)]},
	{"op": "replace", "path": "/volume/claims/0/class", "value": "local-path"},
])

# The platform's configuration names a class, whatever the cluster's default is.
_configured := json.patch(_planned, [
	{"op": "replace", "path": "/params/defaultClass", "value": "fast"},
	{"op": "replace", "path": "/volume/classes", "value": [_class("fast", false), _class("longhorn", true), _class("slow", true)]},
	{"op": "replace", "path": "/volume/claims/0/class", "value": "fast"},
])

_class(name, default_) := object.union(fixture.class, {"name": name, "default": default_})

_verdict := verdict.of(rule.judged, rule.report)

_set(document, path, value) := json.patch(document, [{"op": "replace", "path": path, "value": value}])

test_pass_of_the_class_that_one_way_leads_to if {
	every document in passing {
		_verdict == "pass" with input as document
	}
}

# What is the default now does not move a volume.
test_pass_of_a_volume_that_exists if {
	_verdict == "pass" with input as _set(fixture.disk, "/volume/classes", [])
	_verdict == "pass" with input as _set(fixture.disk, "/volume/classes", [_class("a", true), _class("b", true)])
}

test_fail_of_a_class_that_does_not_exist if {
	_verdict == "fail" with input as _set(_named, "/volume/classes", [fixture.class])
	_verdict == "fail" with input as _set(_named, "/volume/classes", [])
	_verdict == "fail" with input as json.patch(_named, [
		{"op": "replace", "path": "/volume/classes", "value": []},
		{"op": "replace", "path": "/volume/claims", "value": []},
	])
}

test_fail_of_several_defaults if {
	document := _set(_default, "/volume/classes", [_class("fast", true), _class("slow", true)])
	_verdict == "fail" with input as document
	some entry in rule.report with input as document
	entry.message == "spec.storageClass is empty, and several StorageClasses are annotated as the default: fast, slow"
}

test_fail_where_there_is_none_to_choose if {
	_verdict == "fail" with input as _set(_planned, "/volume/classes", [_class("slow", false)])
	_verdict == "fail" with input as _set(_planned, "/volume/classes", [])
}

test_fail_of_a_configured_class_that_does_not_exist if {
	document := _set(_configured, "/volume/classes", [_class("longhorn", true)])
	_verdict == "fail" with input as document
	some entry in rule.report with input as document
	entry.message == "spec.storageClass is empty, and StorageClass fast of the platform's storage.defaultClass does not exist"
}

test_unknown_of_another_class_than_the_configured_one if {
	_verdict == "unknown" with input as _set(_configured, "/volume/claims/0/class", "longhorn")
}

test_unknown_where_the_classes_are_not_known if {
	every document in [_planned, _named, _configured] {
		_verdict == "unknown" with input as json.patch(document, [
			{"op": "replace", "path": "/volume/classes", "value": []},
			{"op": "add", "path": "/gaps/volume.classes", "value": "not in the input"},
		])
	}
}

# A platform whose configuration nobody knows may name any class.
test_unknown_where_the_configuration_is_not_known if {
	every document in [
		_set(_planned, "/volume/classes", [_class("slow", false)]),
		_set(_default, "/volume/classes", [_class("fast", true), _class("slow", true)]),
		_set(_configured, "/volume/classes", [_class("longhorn", true)]),
	] {
		_verdict == "unknown" with input as json.patch(document, [{"op": "add", "path": "/gaps/params.defaultClass", "value": "the file is wrong"}])
	}
}

test_fail_of_a_volume_of_another_class if _verdict == "fail" with input as _set(fixture.disk, "/object/disk/0/class", "fast")

test_unknown_of_a_class_that_was_chosen_otherwise if {
	_verdict == "unknown" with input as _set(_planned, "/volume/claims/0/class", "fast")
	_verdict == "unknown" with input as _set(_planned, "/volume/claims", [])
}

test_malformed_facts_do_not_pass if {
	every document in [
		{},
		json.remove(fixture.disk, ["volume"]),
		json.remove(fixture.disk, ["object"]),
		_set(_planned, "/volume/classes", null),
		_set(fixture.disk, "/volume/claims", null),
		_set(_planned, "/volume/claims/0/class", ""),
		_set(fixture.disk, "/object/disk", []),
		_set(_planned, "/params/defaultClass", null),
		json.remove(_planned, ["params"]),
	] {
		not _verdict in {"pass", "not-applicable"} with input as document
	}
}
