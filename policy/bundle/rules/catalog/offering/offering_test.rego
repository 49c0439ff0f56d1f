package cato.rules.catalog.offering_test

import data.cato.lib.instance_fixture_test as fixture
import data.cato.lib.verdict
import data.cato.rules.catalog.offering as rule

passing := {fixture.good, fixture.offering, _pinning(true)}

_pinning(platform) := object.union(fixture.offering, {"object": {"offering": [object.union(
	fixture.offering.object.offering[0],
	{"dedicatedCPU": true, "platformOwned": platform},
)]}})

_judge(document) := word if {
	word := verdict.of({t | some t in rule.judged}, rule.report) with input as document
}

_reports(document) := entries if entries := rule.report with input as document

_messages(document) := {entry.message | some entry in _reports(document); entry.verdict == "fail"}

test_pass if {
	every document in passing {
		_judge(document) == "pass"
	}
}

test_unknown_while_the_name_leads_nowhere if {
	_judge(fixture.with_instance({"offering": []})) == "unknown"
	_same({entry.message | some entry in _reports(fixture.with_instance({"offering": []}))}, {"Offering medium does not exist"})
}

_same(one, other) if one == other

test_fail_for_a_wish_without_effect if {
	_messages(_pinning(false)) == {"Offering medium has dedicatedCPU and is not the platform's own: its guests run unpinned"}
}

test_not_applicable_without_a_name if {
	_judge(fixture.with_instance({"offeringName": "", "offering": []})) == "not-applicable"
}

test_malformed_facts_do_not_pass if {
	every document in [{}, json.remove(fixture.good, ["object"]), fixture.with_instance({"offering": null})] {
		_judge(document) == "unknown"
	}
}

test_unknown_without_facts if _judge({}) == "unknown"
