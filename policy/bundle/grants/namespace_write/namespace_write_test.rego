package cato.grants.namespace_write_test

import data.cato.grants.namespace_write
import data.cato.lib.tenant_fixture_test.good

passing := {good, _absent, _unclaimed}

_set(path, value) := json.patch(good, [{"op": "replace", "path": path, "value": value}])

_absent := _set("/namespace", [])

_unclaimed := _set("/namespace/0/owners", [])

test_given_to_write_what_is_ours if {
	namespace_write.given == {{
		"because": "name, labels and controller of the namespace are this Tenant's",
		"evidence": {"namespace": good.namespace[0]},
	}} with input as good
}

test_given_to_create_what_does_not_exist if {
	namespace_write.given == {{
		"because": "the namespace does not exist and the slug gives a name that a tenant may have",
		"evidence": {"tenant": good.object.tenant[0]},
	}} with input as _absent
}

test_given_to_write_what_is_marked_as_ours_and_nobodys if {
	namespace_write.given == {{
		"because": "name and labels of the namespace are this Tenant's and nobody controls it",
		"evidence": {"namespace": _unclaimed.namespace[0]},
	}} with input as _unclaimed
}

test_not_given_for_a_namespace_of_others if {
	every document in [
		_set("/namespace/0/name", "virtfoundry-tenant-other"),
		_set("/namespace/0/name", "kube-system"),
		_set("/namespace/0/labels", {}),
		_set("/namespace/0/labels", {"virtfoundry.io/tenant": "acme"}),
		_set("/namespace/0/labels", {"app.kubernetes.io/part-of": "virtfoundry", "virtfoundry.io/tenant": "other"}),
		_set("/namespace/0/owners/0/uid", "0b1d3c5e-0000-4000-8000-000000000099"),
		_set("/namespace/0/owners/0/kind", "Instance"),
	] {
		namespace_write.given == set() with input as document
	}
}

test_not_given_for_a_slug_that_gives_no_name if {
	every slug in ["", "Acme", "acme-", "a.b"] {
		namespace_write.given == set() with input as json.patch(_absent, [{"op": "replace", "path": "/object/tenant/0/slug", "value": slug}])
	}
}

test_malformed_facts_give_nothing if {
	every document in [
		{},
		json.remove(good, ["namespace"]),
		json.remove(good, ["object"]),
		json.remove(good, ["subject"]),
		_set("/namespace", null),
		_set("/namespace/0/owners", null),
		_set("/object/tenant", []),
		json.patch(good, [{"op": "remove", "path": "/namespace/0/owners"}]),
		json.patch(good, [{"op": "remove", "path": "/namespace/0/owners/0/controller"}]),
	] {
		namespace_write.given == set() with input as document
	}
}
