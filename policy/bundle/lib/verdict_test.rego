package cato.lib.verdict_test

import data.cato.lib.result
import data.cato.lib.verdict

_pass(target) := result.pass(target, {"seen": true})

test_fail_outweighs_all if {
	verdict.of({"a"}, {_pass("a"), result.unknown("a", "late"), result.fail("a", "bad", {})}) == "fail"
}

test_fail_counts_for_a_target_that_is_not_judged if verdict.of(set(), {result.fail("b", "bad", {})}) == "fail"

test_pass_needs_each_target if {
	verdict.of({"a", "b"}, {_pass("a"), _pass("b")}) == "pass"
	verdict.of({"a", "b"}, {_pass("a")}) == "unknown"
}

test_pass_for_no_target_is_unknown if {
	verdict.of({"a"}, {_pass("a"), _pass("b")}) == "unknown"
	verdict.of(set(), {_pass("b")}) == "unknown"
}

test_an_unknown_outweighs_passes if verdict.of({"a"}, {_pass("a"), result.unknown("a", "late")}) == "unknown"

test_not_applicable_needs_to_stand_alone if {
	verdict.of(set(), {result.not_applicable("none")}) == "not-applicable"
	verdict.of({"a"}, {result.not_applicable("none")}) == "unknown"
	verdict.of({"a"}, {_pass("a"), result.not_applicable("none")}) == "unknown"
}

test_silence_is_unknown if {
	verdict.of(set(), set()) == "unknown"
	verdict.of({"a"}, set()) == "unknown"
}

test_malformed_is_unknown if {
	some entry in [
		"pass",
		null,
		{"verdict": "pass"},
		{"verdict": "pass", "target": 1, "evidence": {}},
		{"verdict": "pass", "target": "a", "evidence": {}, "more": 1},
		{"verdict": "unknown", "target": "a"},
		{"verdict": "not-applicable", "message": null},
		{"verdict": "satisfied", "target": "a"},
	]
	verdict.of({"a"}, {_pass("a"), entry}) == "unknown"
}

test_targets_are_strings if {
	verdict.of({1}, {result.pass(1, {})}) == "unknown"
	verdict.of({1}, {result.not_applicable("none")}) == "unknown"
}
