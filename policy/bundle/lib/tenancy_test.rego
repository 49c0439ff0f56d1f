package cato.lib.tenancy_test

import data.cato.lib.tenancy
import data.cato.lib.tenant_fixture_test as fixture

_slug(slug) := json.patch(fixture.good, [{"op": "replace", "path": "/object/tenant/0/slug", "value": slug}])

_namespace(patches) := json.patch(fixture.good.namespace[0], patches)

_owned_by(owners) := _namespace([{"op": "replace", "path": "/owners", "value": owners}])

_us := fixture.good.namespace[0].owners[0]

test_a_slug_gives_a_namespace_name if {
	every slug in ["acme", "a", "0", "a-b", "a--b", _letters(44)] {
		tenancy.nameable with input as _slug(slug)
	}
}

test_a_slug_that_gives_none if {
	every slug in ["", "-a", "a-", "A", "a.b", "a_b", "ä", "a\n", "a/b", _letters(45), _letters(63)] {
		not tenancy.nameable with input as _slug(slug)
	}
	not tenancy.nameable with input as {}
}

_letters(n) := concat("", [letter | some _ in numbers.range(1, n); letter := "a"])

test_the_name_is_the_prefix_and_the_whole_slug if {
	tenancy.named(fixture.good.namespace[0]) with input as fixture.good
	every slug in ["acm", "acme2", "", "ACME"] {
		not tenancy.named(fixture.good.namespace[0]) with input as _slug(slug)
	}
}

test_labels if {
	tenancy.labelled(fixture.good.namespace[0]) with input as fixture.good
	every key in ["virtfoundry.io~1tenant", "app.kubernetes.io~1part-of"] {
		path := concat("/", ["/labels", key])
		not tenancy.labelled(_namespace([{"op": "remove", "path": path}])) with input as fixture.good
		not tenancy.labelled(_namespace([{"op": "replace", "path": path, "value": "other"}])) with input as fixture.good
	}
	not tenancy.labelled(fixture.good.namespace[0]) with input as {}
}

test_the_controller_is_this_tenant_by_uid if {
	tenancy.controlled(_owned_by([_us])) with input as fixture.good
	tenancy.controlled(_owned_by([object.union(_us, {"kind": "Fleet", "controller": false}), _us])) with input as fixture.good
}

test_the_controller_is_somebody_else if {
	every owners in [
		[],
		[object.union(_us, {"uid": "0b1d3c5e-0000-4000-8000-000000000099"})],
		[object.union(_us, {"group": "example.com"})],
		[object.union(_us, {"kind": "Instance"})],
		[object.union(_us, {"name": "other"})],
		[object.union(_us, {"controller": false})],
		[_us, object.union(_us, {"uid": "0b1d3c5e-0000-4000-8000-000000000099"})],
	] {
		not tenancy.controlled(_owned_by(owners)) with input as fixture.good
	}
}

test_two_empty_uids_are_one_owner_only_before_the_tenant_exists if {
	owner := fixture.planned.namespace[0].owners[0]
	live := json.patch(fixture.planned, [{"op": "replace", "path": "/moment", "value": "live"}])
	tenancy.owner_is_subject(owner) with input as fixture.planned
	not tenancy.owner_is_subject(owner) with input as live
	not tenancy.controlled(fixture.planned.namespace[0]) with input as fixture.planned
}

test_unclaimed if {
	tenancy.unclaimed(_owned_by([]))
	tenancy.unclaimed(_owned_by([object.union(_us, {"controller": false})]))
	not tenancy.unclaimed(_owned_by([_us]))
	not tenancy.unclaimed(_owned_by(null))
	not tenancy.unclaimed({})
}

test_absent if {
	tenancy.absent with input.namespace as []
	not tenancy.absent with input as fixture.good
	not tenancy.absent with input as {}
}
