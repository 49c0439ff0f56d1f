package cato.lib.result_test

import data.cato.lib.result

test_pass if result.pass("disk", {"a": 1}) == {"verdict": "pass", "target": "disk", "evidence": {"a": 1}}

test_fail if {
	result.fail("disk", "too big", {"a": 1}) == {
		"verdict": "fail",
		"target": "disk",
		"message": "too big",
		"evidence": {"a": 1},
	}
}

test_unknown if result.unknown("disk", "no image") == {"verdict": "unknown", "target": "disk", "message": "no image"}

test_not_applicable if result.not_applicable("no disk") == {"verdict": "not-applicable", "message": "no disk"}
