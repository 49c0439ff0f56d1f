package cato.rules.machine.ownership_test

import data.cato.lib.instance_fixture_test as fixture
import data.cato.lib.verdict
import data.cato.rules.machine.ownership as rule

passing := {fixture.good, fixture.with_instance({"existing": []})}

_machine := fixture.good.object.instance[0].existing[0]

_owned(owners) := fixture.with_instance({"existing": [object.union(_machine, {"owners": owners})]})

_judge(document) := verdict.of({t | some t in rule.judged}, entries) if entries := _reports(document)

_reports(document) := entries if entries := rule.report with input as document

test_pass if {
	every document in passing {
		_judge(document) == "pass"
	}
}

test_fail_for_anothers_or_nobodys if {
	owner := _machine.owners[0]
	every owners in [
		[],
		[object.union(owner, {"uid": "0b1d3c5e-0000-4000-8000-000000000099"})],
		[object.union(owner, {"kind": "Deployment", "group": "apps"})],
		[object.union(owner, {"controller": false})],
		[owner, object.union(owner, {"name": "other"})],
	] {
		_judge(_owned(owners)) == "fail"
	}
}

test_fail_names_the_machine if {
	entries := _reports(_owned([]))
	{entry.message | some entry in entries} == {"VirtualMachine web is not controlled by this Instance"}
}

test_malformed_facts_do_not_pass if {
	every document in [{}, json.remove(fixture.good, ["object"]), fixture.with_instance({"existing": null})] {
		_judge(document) == "unknown"
	}
}

test_unknown_without_facts if _judge({}) == "unknown"
