package cato.rules.catalog.class_test

import data.cato.lib.instance_fixture_test as fixture
import data.cato.lib.verdict
import data.cato.rules.catalog.class as rule

passing := {object.union(document, {"moment": moment}) |
	some moment in ["admission", "plan", "live"]
	some document in [fixture.imported, fixture.importing, _configured(fixture.imported, "standard"), _named(fixture.imported, "standard"), _classes(fixture.imported, [_longhorn, _other, _standard])]
}

_standard := fixture.imported.volume.classes[0]

_other := object.union(_standard, {"name": "other"})

_plain := object.union(_standard, {"name": "plain", "default": false})

_longhorn := object.union(_plain, {"name": "longhorn"})

_local := object.union(_plain, {"name": "local-path"})

_classes(document, classes) := json.patch(document, [{"op": "replace", "path": "/volume/classes", "value": classes}])

_named(document, class) := json.patch(document, [{"op": "replace", "path": "/object/template/0/class", "value": class}])

_configured(document, class) := json.patch(document, [{"op": "replace", "path": "/params/defaultClass", "value": class}])

_judge(document) := word if {
	word := verdict.of({t | some t in rule.judged}, rule.report) with input as document
}

_reports(document) := entries if entries := rule.report with input as document

_messages(document) := {entry.message | some entry in _reports(document); entry.verdict == "fail"}

test_pass if {
	every document in passing {
		_judge(document) == "pass"
	}
	_judge(_classes(fixture.imported, [_local, _plain])) == "pass"
	_judge(_classes(_named(fixture.imported, "plain"), [_plain])) == "pass"
	_judge(json.patch(fixture.imported, [{"op": "replace", "path": "/object/template/0/sourceType", "value": "iso"}])) == "pass"
}

test_fail_for_a_class_that_does_not_exist if {
	_messages(_named(fixture.imported, "fast")) == {"Template/virtfoundry-tenant-acme/ubuntu spec.storageClass: StorageClass fast does not exist"}
	_judge(_named(fixture.imported, "fast")) == "fail"
	_judge(_classes(_named(fixture.imported, "standard"), [])) == "fail"
}

test_fail_for_several_defaults if {
	several := "Template/virtfoundry-tenant-acme/ubuntu spec.storageClass is empty, and several StorageClasses are annotated as the default: other, standard"
	every document in [fixture.imported, fixture.importing] {
		_messages(_classes(document, [_standard, _other])) == {several}
		_judge(_classes(document, [_standard, _other])) == "fail"
	}
}

test_fail_without_a_class_to_choose if {
	none := "Template/virtfoundry-tenant-acme/ubuntu spec.storageClass is empty, and the cluster has neither longhorn nor a default StorageClass nor local-path"
	every classes in [[], [_plain]] {
		_messages(_classes(fixture.imported, classes)) == {none}
		_judge(_classes(fixture.imported, classes)) == "fail"
	}
}

# The platform's class is taken, whatever else the cluster has.
test_fail_for_a_configured_class_that_does_not_exist if {
	every classes in [[], [_longhorn], [_standard, _other]] {
		messages := _messages(_classes(_configured(fixture.imported, "fast"), classes))
		messages == {"Template/virtfoundry-tenant-acme/ubuntu spec.storageClass is empty, and StorageClass fast of the platform's storage.defaultClass does not exist"}
	}
	_judge(_configured(_named(fixture.imported, "standard"), "fast")) == "pass"
}

# A platform whose configuration nobody knows may name any class.
test_unknown_where_the_configuration_is_not_known if {
	gap := [{"op": "replace", "path": "/gaps", "value": {"params.defaultClass": "the file is wrong"}}]
	every classes in [[], [_longhorn], [_standard, _other]] {
		_judge(json.patch(_classes(fixture.imported, classes), gap)) == "unknown"
	}
	_judge(json.patch(_configured(fixture.imported, "fast"), gap)) == "unknown"
}

test_not_applicable_where_nothing_is_imported if {
	every document in [fixture.template, fixture.good, fixture.with_instance({"templates": []})] {
		_judge(document) == "not-applicable"
	}
}

test_unknown_when_facts_are_missing if {
	every document in [
		{},
		json.remove(fixture.imported, ["volume"]),
		json.remove(fixture.imported, ["params"]),
		json.remove(fixture.imported, ["volume/classes"]),
		json.remove(fixture.imported, ["object/template/0/class"]),
		json.remove(fixture.imported, ["object/template/0/sourceType"]),
		json.remove(fixture.importing, ["object/instance/0/templates"]),
	] {
		_judge(document) == "unknown"
	}
}

test_unknown_where_the_classes_are_not_known if {
	gap := [{"op": "replace", "path": "/gaps", "value": {"volume.classes": "the input holds no StorageClass"}}]
	every document in [
		_classes(fixture.imported, []),
		_classes(fixture.importing, []),
		_classes(_named(fixture.imported, "fast"), []),
		_named(fixture.imported, "fast"),
		fixture.imported,
	] {
		_judge(json.patch(document, gap)) == "unknown"
		_judge(json.remove(document, ["gaps"])) == "unknown"
	}
}

test_malformed_facts_are_no_pass if {
	every document in [
		_classes(fixture.imported, null),
		_classes(fixture.imported, [object.union(_standard, {"default": null})]),
		_named(fixture.imported, null),
		_configured(fixture.imported, null),
		json.patch(fixture.imported, [{"op": "replace", "path": "/object/template/0/sourceType", "value": null}]),
		json.patch(fixture.imported, [{"op": "replace", "path": "/object/template", "value": null}]),
		json.patch(fixture.importing, [{"op": "replace", "path": "/object/instance/0/templates", "value": null}]),
	] {
		_judge(document) in {"unknown", "fail"}
	}
}
