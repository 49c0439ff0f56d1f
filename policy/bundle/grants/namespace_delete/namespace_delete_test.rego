package cato.grants.namespace_delete_test

import data.cato.grants.namespace_delete
import data.cato.lib.tenant_fixture_test as fixture

passing := fixture.good

_set(path, value) := json.patch(passing, [{"op": "replace", "path": path, "value": value}])

test_given_for_what_this_tenant_controls if {
	namespace_delete.given == {{
		"because": "name, labels and controller of the namespace are this Tenant's",
		"evidence": {"namespace": passing.namespace[0]},
	}} with input as passing
}

test_not_given_on_labels_alone if {
	every owners in [[], [object.union(passing.namespace[0].owners[0], {"controller": false})]] {
		namespace_delete.given == set() with input as _set("/namespace/0/owners", owners)
	}
}

test_not_given_for_others if {
	every document in [
		fixture.planned,
		_set("/namespace", []),
		_set("/namespace/0/name", "virtfoundry-tenant-other"),
		_set("/namespace/0/name", "default"),
		_set("/namespace/0/labels", {"app.kubernetes.io/part-of": "virtfoundry"}),
		_set("/namespace/0/owners/0/uid", "0b1d3c5e-0000-4000-8000-000000000099"),
		_set("/namespace/0/owners/0/uid", ""),
		_set("/object/tenant/0/slug", "other"),
	] {
		namespace_delete.given == set() with input as document
	}
}

test_malformed_facts_give_nothing if {
	every document in [
		{},
		json.remove(passing, ["namespace"]),
		json.remove(passing, ["object"]),
		json.remove(passing, ["subject"]),
		_set("/namespace/0/owners", null),
		_set("/subject/uid", ""),
		json.patch(passing, [{"op": "remove", "path": "/namespace/0/labels"}]),
	] {
		namespace_delete.given == set() with input as document
	}
}
