package cato.rules.compute.dedicated_test

import data.cato.lib.machine_fixture_test as machine
import data.cato.lib.verdict
import data.cato.rules.compute.dedicated as rule

passing := {object.union(document, {"moment": moment}) |
	some moment in ["admission", "plan", "live"]
	some document in [machine.good, _of_an_instance, _granted]
}

_placements := machine.good.compute.placements

_pinned := object.union(_placements[1], {"dedicated": true})

_asked := object.union(machine.good.object.machine[0], {"dedicated": true})

_asking := object.union(machine.good, {"object": {"machine": [_asked]}})

_of_an_instance := object.union(machine.good, {"object": {"machine": []}})

_placed(placements) := object.union(machine.good, {"compute": {"placements": placements}})

_granted := object.union(_asking, {
	"compute": {"placements": [_placements[0], _pinned]},
	"params": {"grants": {"dedicatedCPU": [{"selects": true, "reason": "real-time guests"}]}},
})

_reports(document) := entries if entries := rule.report with input as document

_judge(document) := word if {
	word := verdict.of({t | some t in rule.judged}, rule.report) with input as document
}

_same(one, other) if one == other

test_pass if {
	every document in passing {
		_judge(document) == "pass"
	}
	_same(_reports(machine.good), {{"verdict": "pass", "target": "processors", "evidence": {"placements": _placements}}})
}

test_fail_names_the_place if {
	document := _placed([_placements[0], _pinned])
	_same(_reports(document), {{
		"verdict": "fail",
		"target": "processors",
		"message": $"{_pinned.path} is true without the grant dedicated_cpu",
		"evidence": {"placement": _pinned},
	}})
	_judge(document) == "fail"
}

test_fail_if_only_the_spec_asks if {
	_same(_reports(_asking), {{
		"verdict": "fail",
		"target": "processors",
		"message": "spec.cpu.dedicated is true without the grant dedicated_cpu: remove it, or ask for the grant",
		"evidence": {"machine": _asked},
	}})
	_judge(_asking) == "fail"
}

test_fail_with_a_grant_for_other_namespaces if {
	other := {"params": {"grants": {"dedicatedCPU": [{"selects": false, "reason": "elsewhere"}]}}}
	_judge(object.union(_asking, other)) == "fail"
}

test_malformed_placement_is_unknown if {
	every dedicated in [null, "false", 0] {
		_judge(_placed([object.union(_placements[0], {"dedicated": dedicated})])) == "unknown"
	}
}

test_unknown_when_facts_are_missing if {
	every broken in [{}, json.remove(machine.good, ["compute"]), json.remove(machine.good, ["object"]), _placed(null)] {
		_judge(broken) == "unknown"
	}
}

test_not_applicable_to_what_is_placed_nowhere if {
	nowhere := object.union(_placed([]), {"object": {"machine": []}})
	_same(_reports(nowhere), {{"verdict": "not-applicable", "message": "nothing places the machine on processors"}})
	_judge(nowhere) == "not-applicable"
}
