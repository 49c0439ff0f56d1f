package cato.grants.delete_unused_test

import data.cato.grants.delete_unused
import data.cato.lib.fabric_fixture_test as fixture

passing := fixture.network

_used := json.patch(passing, [{"op": "replace", "path": "/fabric/users", "value": [{
	"kind": "Instance",
	"namespace": "virtfoundry-tenant-acme",
	"name": "web-1",
	"path": "spec.nics[0]",
}]}])

test_given_when_nothing_uses_it if {
	every document in [fixture.network, fixture.vpc, fixture.address] {
		delete_unused.given != set() with input as document
	}
}

test_not_given_while_something_does if delete_unused.given == set() with input as _used

test_malformed_facts_give_nothing if {
	every broken in [
		{},
		json.remove(passing, ["fabric"]),
		json.remove(passing, ["subject"]),
		json.patch(passing, [{"op": "replace", "path": "/fabric/users", "value": null}]),
	] {
		delete_unused.given == set() with input as broken
	}
}
