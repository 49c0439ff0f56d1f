package cato.rules.fabric.place_test

import data.cato.lib.fabric_fixture_test as fixture
import data.cato.lib.verdict
import data.cato.rules.fabric.place as rule

passing := {fixture.network, fixture.vpc, fixture.address, fixture.group, fixture.shared}

_verdict := verdict.of(rule.judged, rule.report)

_set(path, value) := json.patch(fixture.network, [{"op": "replace", "path": path, "value": value}])

test_pass_where_the_tenant_owns_the_namespace if {
	every document in passing {
		_verdict == "pass" with input as document
	}
	platform := json.patch(fixture.address, [{"op": "replace", "path": "/subject/namespace", "value": "virtfoundry-system"}])
	_verdict == "pass" with input as platform
}

test_fail_in_a_namespace_of_nobody if {
	owner := fixture.network.namespace[0].owners[0]
	every document in [
		_set("/namespace/0/owners", []),
		_set("/namespace/0/owners", [object.union(owner, {"uid": "0b1d3c5e-0000-4000-8000-000000000099"})]),
		_set("/namespace/0/owners", [object.union(owner, {"kind": "Team"})]),
		_set("/namespace/0/owners", [object.union(owner, {"group": "example.com"})]),
		_set("/namespace/0/owners", [object.union(owner, {"controller": false})]),
		_set("/namespace/0/labels/virtfoundry.io~1tenant", "other"),
		_set("/namespace/0/labels/app.kubernetes.io~1part-of", "other"),
		_set("/subject/namespace", "default"),
		_set("/subject/namespace", "virtfoundry-system"),
		_set("/fabric/tenants", []),
		_set("/fabric/tenants/0/uid", "0b1d3c5e-0000-4000-8000-000000000099"),
		_set("/object/network/0/type", "shared"),
	] {
		_verdict == "fail" with input as document
	}
}

test_fail_says_where_the_shared_one_belongs if {
	document := _set("/object/network/0/type", "shared")
	rule.report == {{
		"verdict": "fail",
		"target": "namespace",
		"message": "a shared Network lies in namespace virtfoundry-tenant-acme, not in virtfoundry-system",
		"evidence": {"subject": document.subject},
	}} with input as document
}

# Two empty uids are no proof in a cluster, where every Tenant has one.
test_empty_uids_prove_nothing_live if {
	planned := json.patch(fixture.network, [
		{"op": "replace", "path": "/moment", "value": "plan"},
		{"op": "replace", "path": "/namespace/0/owners/0/uid", "value": ""},
		{"op": "replace", "path": "/fabric/tenants/0/uid", "value": ""},
	])
	_verdict == "pass" with input as planned
	_verdict == "fail" with input as json.patch(planned, [{"op": "replace", "path": "/moment", "value": "live"}])
}

test_unknown_without_a_namespace if {
	_verdict == "unknown" with input as _set("/namespace", [])
}

test_malformed_facts_do_not_pass if {
	every document in [
		{},
		json.remove(fixture.network, ["namespace"]),
		json.remove(fixture.network, ["subject"]),
		json.remove(fixture.network, ["fabric"]),
		_set("/object/network", []),
		_set("/namespace/0/labels", null),
	] {
		not _verdict in {"pass", "not-applicable"} with input as document
	}
}
