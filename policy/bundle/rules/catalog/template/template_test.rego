package cato.rules.catalog.template_test

import data.cato.lib.instance_fixture_test as fixture
import data.cato.lib.verdict
import data.cato.rules.catalog.template as rule

passing := {fixture.good, fixture.template, _of_the_platform}

_own := fixture.good.object.instance[0].templates[0]

_platform := object.union(_own, {
	"path": "Template/virtfoundry-system/ubuntu",
	"namespace": "virtfoundry-system",
	"platform": true,
})

_of_the_platform := fixture.with_instance({"templates": [_platform]})

_judge(document) := verdict.of({t | some t in rule.judged}, entries) if entries := _reports(document)

_reports(document) := entries if entries := rule.report with input as document

_messages(document) := {entry.message | some entry in _reports(document); entry.verdict == "fail"}

_same(one, other) if one == other

test_pass if {
	every document in passing {
		_judge(document) == "pass"
	}
	_same(_reports(fixture.good), {{"verdict": "pass", "target": "template", "evidence": {"template": _own}}})
}

test_fail_without_a_template if {
	_messages(fixture.with_instance({"templateName": "", "templates": []})) == {"spec.templateRef is missing: name a Template"}
	_judge(fixture.with_instance({"templateName": "", "templates": []})) == "fail"
}

test_unknown_while_the_name_leads_nowhere if {
	nowhere := "Template ubuntu exists neither in namespace virtfoundry-tenant-acme nor in virtfoundry-system"
	_judge(fixture.with_instance({"templates": []})) == "unknown"
	_same({entry.message | some entry in _reports(fixture.with_instance({"templates": []}))}, {nowhere})
}

test_fail_for_the_name_of_a_platforms_template if {
	shadowing := object.union(_own, {"shadows": true})
	message := "Template/virtfoundry-tenant-acme/ubuntu has the name of a Template of the platform"
	_messages(fixture.with_instance({"templates": [shadowing, _platform]})) == {message}
	_messages(object.union(fixture.template, {"object": {"template": [shadowing]}})) == {message}
}

test_unknown_for_a_template_from_elsewhere if {
	elsewhere := object.union(_own, {"namespace": "virtfoundry-tenant-other"})
	_judge(fixture.with_instance({"templates": [elsewhere]})) == "unknown"
}

test_malformed_facts_do_not_pass if {
	every document in [
		{},
		json.remove(fixture.good, ["object"]),
		fixture.with_instance({"templates": null}),
		fixture.with_instance({"templates": [object.union(_own, {"shadows": null})]}),
	] {
		_judge(document) == "unknown"
	}
}
