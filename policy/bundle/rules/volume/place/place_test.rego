package cato.rules.volume.place_test

import data.cato.lib.holding_fixture_test as fixture
import data.cato.lib.verdict
import data.cato.rules.volume.place as rule

passing := {fixture.disk, fixture.disk_snapshot, fixture.instance_snapshot}

_verdict := verdict.of(rule.judged, rule.report)

_set(path, value) := json.patch(fixture.disk, [{"op": "replace", "path": path, "value": value}])

test_pass_in_the_tenants_namespace if {
	every document in passing {
		_verdict == "pass" with input as document
	}
}

test_fail_in_a_namespace_of_nobody if {
	every document in [
		_set("/namespace/0/owners", []),
		_set("/namespace/0/owners/0/uid", "0b1d3c5e-0000-4000-8000-000000000099"),
		_set("/namespace/0/labels/virtfoundry.io~1tenant", "other"),
		_set("/subject/namespace", "default"),
		_set("/fabric/tenants", []),
	] {
		_verdict == "fail" with input as document
	}
}

test_unknown_without_a_namespace if _verdict == "unknown" with input as _set("/namespace", [])

test_malformed_facts_do_not_pass if {
	every document in [
		{},
		json.remove(fixture.disk, ["namespace"]),
		json.remove(fixture.disk, ["fabric"]),
		_set("/namespace/0/labels", null),
	] {
		not _verdict in {"pass", "not-applicable"} with input as document
	}
}
