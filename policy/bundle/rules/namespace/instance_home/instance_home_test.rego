package cato.rules.namespace.instance_home_test

import data.cato.lib.instance_fixture_test as fixture
import data.cato.lib.verdict
import data.cato.rules.namespace.instance_home as rule

passing := {object.union(fixture.good, {"moment": moment}) | some moment in ["admission", "plan", "live"]} | {_planned}

_planned := json.patch(fixture.good, [
	{"op": "replace", "path": "/moment", "value": "plan"},
	{"op": "replace", "path": "/namespace/0/owners/0/uid", "value": ""},
	{"op": "replace", "path": "/object/instance/0/tenant/0/uid", "value": ""},
])

_set(path, value) := json.patch(fixture.good, [{"op": "replace", "path": path, "value": value}])

_judge(document) := verdict.of({t | some t in rule.judged}, entries) if entries := _reports(document)

_reports(document) := entries if entries := rule.report with input as document

_messages(document) := {entry.message | some entry in _reports(document); entry.verdict == "fail"}

test_pass if {
	every document in passing {
		_judge(document) == "pass"
	}
}

test_fail_without_a_tenant if {
	_messages(_set("/object/instance/0/tenant", [])) == {"namespace virtfoundry-tenant-acme is controlled by no Tenant that exists"}
	_judge(_set("/object/instance/0/tenant", [])) == "fail"
}

test_fail_for_the_label_of_another if {
	_messages(_set("/namespace/0/labels/virtfoundry.io~1tenant", "other")) == {"namespace virtfoundry-tenant-acme is not labelled virtfoundry.io/tenant=acme"}
	_messages(_set("/namespace/0/labels", {})) == {
		"namespace virtfoundry-tenant-acme is not labelled app.kubernetes.io/part-of=virtfoundry",
		"namespace virtfoundry-tenant-acme is not labelled virtfoundry.io/tenant=acme",
	}
}

test_fail_for_another_name if {
	_messages(_set("/object/instance/0/tenant/0/namespaceName", "virtfoundry-tenant-other")) == {"namespace virtfoundry-tenant-acme is not virtfoundry-tenant-other, the one of Tenant acme-corp"}
	_judge(_set("/subject/namespace", "default")) == "fail"
}

test_fail_for_an_owner_of_the_same_name if {
	every document in [
		_set("/namespace/0/owners/0/uid", "0b1d3c5e-0000-4000-8000-000000000099"),
		_set("/namespace/0/owners/0/group", "example.com"),
		_set("/namespace/0/owners", []),
	] {
		_messages(document) == {"namespace virtfoundry-tenant-acme is not controlled by Tenant acme-corp alone"}
	}
}

test_fail_for_a_tenant_without_a_uid_in_a_cluster if {
	_judge(object.union(_planned, {"moment": "live"})) == "fail"
}

test_unknown_without_a_namespace if {
	_judge(_set("/namespace", [])) == "unknown"
}

test_malformed_facts_do_not_pass if {
	every document in [{}, json.remove(fixture.good, ["object"]), json.remove(fixture.good, ["namespace"]), _set("/namespace", null)] {
		_judge(document) == "unknown"
	}
}
