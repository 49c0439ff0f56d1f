package cato.rules.network.instance_address_test

import data.cato.lib.instance_fixture_test as fixture
import data.cato.lib.verdict
import data.cato.rules.network.instance_address as rule

passing := {_live, _planned, _lost, _beside}

_nic := fixture.good.object.instance[0].nics[0]

_owner := {
	"group": "virtfoundry.io",
	"kind": "Instance",
	"name": "web",
	"uid": fixture.good.subject.uid,
	"controller": true,
}

_claim := {
	"name": "web-lan",
	"uid": "0b1d3c5e-0000-4000-8000-000000000025",
	"network": "web",
	"address": "10.0.1.7",
	"held": true,
	"deleting": false,
	"written": true,
	"owners": [_owner],
}

_with(document, claims) := object.union(document, {"fabric": {"nicClaims": claims}})

_live := _with(fixture.good, [_claim])

_plan(claim) := object.union(_with(fixture.good, [claim]), {"moment": "plan"})

_planned := _plan(object.union(_claim, {"uid": "", "address": "", "held": false}))

_lost := _plan(object.union(_claim, {"owners": []}))

_shared := object.union(_nic, {"name": "wan", "type": "shared", "numbered": false, "claim": "web-wan"})

_beside := _with(fixture.with_instance({"nics": [_nic, _shared]}), [_claim])

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

test_pass_before_the_instance_exists if {
	document := object.union(_plan(object.union(_claim, {"owners": [object.union(_owner, {"uid": ""})]})), {"subject": {"uid": ""}})
	_judge(document) == "pass"
}

test_pass_if_the_address_that_is_asked_for_is_held if {
	asked := fixture.with_instance({"nics": [object.union(_nic, {"asked": "10.0.1.7"})]})
	_judge(_with(asked, [_claim])) == "pass"
	waiting := object.union(_with(asked, [object.union(_claim, {"address": ""})]), {"moment": "plan"})
	_judge(waiting) == "pass"
}

test_fail_for_an_address_of_another if {
	message := "IPAddress web-lan, which NIC lan needs, is not this Instance's"
	every change in [
		{"owners": [object.union(_owner, {"kind": "Deployment", "group": "apps"})]},
		{"owners": [object.union(_owner, {"name": "other"})]},
		{"owners": [], "written": false},
		{"owners": [object.union(_owner, {"controller": false})], "written": false},
	] {
		_messages(_plan(object.union(_claim, change))) == {message}
	}
}

test_unknown_while_an_earlier_one_goes if {
	every moment in ["plan", "live"] {
		earlier := object.union(_claim, {"owners": [object.union(_owner, {"uid": "0b1d3c5e-0000-4000-8000-000000000099"})]})
		_judge(object.union(_with(fixture.good, [earlier]), {"moment": moment})) == "unknown"
	}
}

test_unknown_until_the_guest_is_halted if {
	_judge(_plan(object.union(_claim, {"network": "db"}))) == "unknown"
	asked := fixture.with_instance({"nics": [object.union(_nic, {"asked": "10.0.1.8"})]})
	_judge(_with(asked, [_claim])) == "unknown"
}

test_unknown_while_nothing_is_held if {
	every claims in [[], [object.union(_claim, {"held": false})], [object.union(_claim, {"address": ""})], [object.union(_claim, {"owners": []})]] {
		_judge(_with(fixture.good, claims)) == "unknown"
	}
}

test_unknown_while_the_network_is_not_there if {
	lost := object.union(_nic, {"found": false, "numbered": false})
	_judge(_with(fixture.with_instance({"nics": [lost]}), [])) == "unknown"
}

test_not_applicable_without_an_isolated_network if {
	every nics in [[], [_shared]] {
		_judge(fixture.with_instance({"nics": nics})) == "not-applicable"
	}
}

test_malformed_facts_do_not_pass if {
	every document in [
		{},
		json.remove(_live, ["object"]),
		json.remove(_live, ["fabric"]),
		_with(fixture.good, null),
		_with(fixture.with_instance({"nics": null}), [_claim]),
		_with(fixture.good, [object.union(_claim, {"held": null})]),
		_with(fixture.with_instance({"nics": [object.union(_nic, {"numbered": null})]}), [_claim]),
	] {
		_judge(document) == "unknown"
	}
}
