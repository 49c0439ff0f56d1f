package cato.rules.object.in_use_test

import data.cato.lib.fabric_fixture_test as fabric
import data.cato.lib.instance_fixture_test as instance
import data.cato.lib.verdict
import data.cato.rules.object.in_use as rule

passing := {_deleted(document) | some document in _kinds} | {_with(_going, [_user])}

_kinds := {
	fabric.network, fabric.vpc, instance.template, instance.offering,
	object.union(fabric.vpc, {"subject": {"kind": "SSHKey"}, "moment": "admission"}),
}

_deleted(document) := object.union(document, {"object": {"deleting": true}})

_with(document, users) := object.union(document, {"fabric": {"users": users}})

_user := {"kind": "Instance", "namespace": "virtfoundry-tenant-acme", "name": "web-1", "path": "spec.nics[0]"}

_going := json.patch(_deleted(fabric.network), [{"op": "replace", "path": "/namespace/0/terminating", "value": true}])

_judge(document) := word if {
	word := verdict.of({target | some target in rule.judged}, rule.report) with input as document
}

_messages(document) := messages if {
	messages := {entry.message | some entry in rule.report; entry.verdict == "fail"} with input as document
}

test_pass if {
	every document in passing {
		_judge(document) == "pass"
	}
}

test_fail_names_who_uses_it if {
	every document in _kinds {
		_judge(_with(_deleted(document), [_user])) == "fail"
	}
	_messages(_with(_deleted(fabric.network), [_user])) == {"Network web is used by Instance virtfoundry-tenant-acme/web-1 (spec.nics[0])"}
}

test_fail_names_a_few if {
	users := [object.union(_user, {"name": $"web-{i}"}) | some i in numbers.range(1, 7)]
	some message in _messages(_with(_deleted(fabric.network), users))
	endswith(message, "virtfoundry-tenant-acme/web-5 (spec.nics[0]) and 2 more")
	not contains(message, "web-6")
}

test_fail_if_another_namespace_uses_what_goes if {
	_judge(_with(_going, [_user, object.union(_user, {"namespace": "virtfoundry-tenant-other"})])) == "fail"
}

test_unknown_without_facts if _judge({}) == "unknown"

test_malformed_facts_do_not_pass if {
	document := _deleted(fabric.network)
	every broken in [
		json.remove(document, ["object"]),
		json.remove(document, ["fabric"]),
		json.remove(document, ["subject"]),
		_with(document, null),
		object.union(document, {"object": {"deleting": null}}),
		json.remove(_with(_going, [_user]), ["namespace"]),
	] {
		_judge(broken) in {"unknown", "fail"}
	}
}

test_not_applicable_while_it_stays if {
	every document in _kinds {
		_judge(_with(document, [_user])) == "not-applicable"
	}
}
