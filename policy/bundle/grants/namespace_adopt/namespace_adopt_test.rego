package cato.grants.namespace_adopt_test

import data.cato.grants.namespace_adopt
import data.cato.lib.tenant_fixture_test.good

passing := json.patch(good, [{"op": "replace", "path": "/namespace/0/owners", "value": []}])

_set(path, value) := json.patch(passing, [{"op": "replace", "path": path, "value": value}])

test_given_when_marked_as_ours_and_nobodys if {
	namespace_adopt.given == {{
		"because": "name and labels of the namespace are this Tenant's and nobody controls it",
		"evidence": {"namespace": passing.namespace[0]},
	}} with input as passing
}

test_given_beside_an_owner_that_does_not_control if {
	owner := object.union(good.namespace[0].owners[0], {"controller": false})
	namespace_adopt.given != set() with input as _set("/namespace/0/owners", [owner])
}

test_not_given_twice_or_for_others if {
	every document in [
		good,
		_set("/namespace", []),
		_set("/namespace/0/name", "virtfoundry-tenant-other"),
		_set("/namespace/0/labels", {}),
		_set("/namespace/0/owners", [object.union(good.namespace[0].owners[0], {"uid": "0b1d3c5e-0000-4000-8000-000000000099"})]),
		_set("/object/tenant/0/slug", "other"),
	] {
		namespace_adopt.given == set() with input as document
	}
}

test_malformed_facts_give_nothing if {
	every document in [
		{},
		json.remove(passing, ["namespace"]),
		json.remove(passing, ["object"]),
		_set("/namespace/0/owners", null),
		json.patch(passing, [{"op": "remove", "path": "/namespace/0/owners"}]),
	] {
		namespace_adopt.given == set() with input as document
	}
}
