package cato.rules.resources.instance_size_test

import data.cato.lib.instance_fixture_test as fixture
import data.cato.lib.verdict
import data.cato.rules.resources.instance_size as rule

passing := {fixture.good, _unlimited}

_unlimited := json.patch(fixture.good, [{"op": "replace", "path": "/limits", "value": []}, {"op": "replace", "path": "/quotas", "value": []}])

_sized(bytes) := fixture.with_instance({"memoryBytes": bytes})

_judge(document) := verdict.of({t | some t in rule.judged}, entries) if entries := _reports(document)

_reports(document) := entries if entries := rule.report with input as document

test_pass if {
	every document in passing {
		_judge(document) == "pass"
	}
	_judge(_sized(17179869183)) == "pass"
}

test_fail_without_room_for_the_overhead if {
	_judge(_sized(17179869184)) == "fail"
	{entry.message | some entry in _reports(_sized(17179869184))} == {"17179869184 bytes of memory and KubeVirt's overhead do not fit below 16Gi of LimitRange/virtfoundry-default spec.limits[0]"}
}

test_fail_by_the_quota_alone if {
	unlimited := json.patch(_sized(42949672960), [{"op": "replace", "path": "/limits", "value": []}])
	{entry.message | some entry in _reports(unlimited)} == {"42949672960 bytes of memory and KubeVirt's overhead do not fit below 40Gi of ResourceQuota/virtfoundry-default"}
}

test_a_scoped_quota_is_no_bound if {
	scoped := json.patch(_sized(42949672960), [
		{"op": "replace", "path": "/limits", "value": []},
		{"op": "replace", "path": "/quotas/0/scoped", "value": true},
	])
	_judge(scoped) == "pass"
}

test_malformed_facts_do_not_pass if {
	every document in [{}, json.remove(fixture.good, ["object"]), json.remove(fixture.good, ["limits"]), _sized(null), _sized(0)] {
		_judge(document) == "unknown"
	}
}

test_a_claims_limit_is_no_bound if {
	claims := json.patch(_sized(17179869184), [
		{"op": "replace", "path": "/limits/0/items/0/type", "value": "PersistentVolumeClaim"},
	])
	_judge(claims) == "pass"
}

test_unknown_without_facts if _judge({}) == "unknown"
