package cato.rules.image.pinned_test

import data.cato.lib.instance_fixture_test as fixture
import data.cato.lib.verdict
import data.cato.rules.image.pinned as rule

passing := {object.union(fixture.good, {"moment": "plan"}), object.union(fixture.template, {"moment": "admission"})}

_use := fixture.template.images[0]

_of(image) := object.union(fixture.template, {"images": [object.union(_use, {"image": object.union(fixture.image, image)})]})

_judge(document) := word if {
	word := verdict.of({t | some t in rule.judged}, rule.report) with input as document
}

_reports(document) := entries if entries := rule.report with input as document

_messages(document) := {entry.message | some entry in _reports(document)}

test_pass if {
	every document in passing {
		_judge(document) == "pass"
	}
}

test_fail_for_a_tag if {
	tagged := _of({"text": "quay.io/containerdisks/ubuntu:22.04", "tag": "22.04", "algorithm": "", "digest": ""})
	_judge(tagged) == "fail"
	_messages(tagged) == {"spec.image quay.io/containerdisks/ubuntu:22.04 names no digest: a tag can be moved to other content"}
}

test_fail_for_what_is_no_reference if {
	_messages(_of({"text": "a b", "valid": false, "problem": "is no reference"})) == {"spec.image a b is no reference"}
}

test_not_applicable_without_images if _judge(object.union(fixture.template, {"images": []})) == "not-applicable"

test_malformed_facts_do_not_pass if {
	every document in [{}, json.remove(fixture.good, ["images"]), _of({"valid": null})] {
		_judge(document) == "unknown"
	}
}

test_unknown_without_facts if _judge({}) == "unknown"
