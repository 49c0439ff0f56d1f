package cato.rules.namespace.ownership_test

import data.cato.lib.tenant_fixture_test as fixture
import data.cato.lib.verdict
import data.cato.rules.namespace.ownership as rule

passing := {fixture.good, fixture.planned}

_verdict := verdict.of(rule.judged, rule.report)

_fails := {entry | some entry in rule.report; entry.verdict == "fail"}

_edit(patches) := json.patch(fixture.good, patches)

_set(path, value) := _edit([{"op": "replace", "path": path, "value": value}])

_us := fixture.good.namespace[0].owners[0]

_predecessor := object.union(_us, {"uid": "0b1d3c5e-0000-4000-8000-000000000099"})

test_pass_when_name_labels_and_owner_fit if {
	_verdict == "pass" with input as fixture.good
	rule.report == {{"verdict": "pass", "target": target, "evidence": {"namespace": fixture.good.namespace[0]}} |
		some target in ["name", "labels", "owner"]
	} with input as fixture.good
}

test_pass_before_the_tenant_exists if _verdict == "pass" with input as fixture.planned

test_fail_names_the_owner_with_a_stale_uid if {
	document := _set("/namespace/0/owners/0", _predecessor)
	_fails == {{
		"verdict": "fail",
		"target": "owner",
		"message": "namespace virtfoundry-tenant-acme is owned by Tenant.virtfoundry.io acme-corp with uid 0b1d3c5e-0000-4000-8000-000000000099, which is not this Tenant",
		"evidence": {"namespace": document.namespace[0], "owner": _predecessor},
	}} with input as document
	_verdict == "fail" with input as document
}

test_fail_of_owners_that_do_not_fit if {
	every owners in [
		[],
		[object.union(_us, {"group": "example.com"})],
		[object.union(_us, {"group": ""})],
		[object.union(_us, {"kind": "Instance"})],
		[object.union(_us, {"name": "acme"})],
		[object.union(_us, {"uid": ""})],
		[object.union(_us, {"controller": false})],
		[_us, _us],
		[_us, object.union(_predecessor, {"controller": false})],
		[object.union(_us, {"controller": false}), _predecessor],
		[_us, {"group": "example.com", "kind": "Fleet", "name": "f", "uid": "1", "controller": false}],
	] {
		_verdict == "fail" with input as _set("/namespace/0/owners", owners)
	}
}

test_fail_without_a_controller if {
	document := _set("/namespace/0/owners", [])
	_fails == {{
		"verdict": "fail",
		"target": "owner",
		"message": "namespace virtfoundry-tenant-acme has 0 controllers among its owners, not one",
		"evidence": {"namespace": document.namespace[0]},
	}} with input as document
}

test_fail_names_the_label if {
	document := _edit([{"op": "remove", "path": "/namespace/0/labels/app.kubernetes.io~1part-of"}])
	_fails == {{
		"verdict": "fail",
		"target": "labels",
		"message": "namespace virtfoundry-tenant-acme is not labelled app.kubernetes.io/part-of=virtfoundry",
		"evidence": {"namespace": document.namespace[0]},
	}} with input as document
	_verdict == "fail" with input as _set("/namespace/0/labels/virtfoundry.io~1tenant", "other")
}

test_fail_names_the_namespace_of_another_slug if {
	document := _set("/namespace/0/name", "virtfoundry-tenant-acme2")
	_fails == {{
		"verdict": "fail",
		"target": "name",
		"message": "namespace virtfoundry-tenant-acme2 is not named virtfoundry-tenant-acme",
		"evidence": {"namespace": document.namespace[0]},
	}} with input as document
}

# Two empty uids are no proof in a cluster, where every Tenant has one.
test_fail_live_without_uids if {
	_verdict == "fail" with input as json.patch(fixture.planned, [{"op": "replace", "path": "/moment", "value": "live"}])
}

test_unknown_without_namespace if {
	_verdict == "unknown" with input as _set("/namespace", [])
	rule.report == {{"verdict": "unknown", "target": "name", "message": "the tenant's namespace does not exist"}} with input as _set("/namespace", [])
}

test_malformed_facts_do_not_pass if {
	every document in [
		{},
		json.remove(fixture.good, ["namespace"]),
		json.remove(fixture.good, ["object"]),
		json.remove(fixture.good, ["subject"]),
		_set("/namespace", null),
		_set("/object/tenant", []),
		_edit([{"op": "remove", "path": "/namespace/0/owners"}]),
		_edit([{"op": "remove", "path": "/namespace/0/owners/0/controller"}]),
		_edit([{"op": "remove", "path": "/namespace/0/labels"}]),
	] {
		not _verdict in {"pass", "not-applicable"} with input as document
	}
}
