package cato.grants.pod_network_test

import data.cato.grants.pod_network as grant
import data.cato.lib.instance_fixture_test as fixture

passing := fixture.with_instance({"podNetwork": true})

_policy := fixture.good.network.policies[0]

_policies(policies) := json.patch(passing, [{"op": "replace", "path": "/network/policies", "value": policies}])

test_given_when_asked_for_and_confined if {
	grant.given == {{
		"because": "the annotation asks for the pod network, and policies of the namespace isolate both directions",
		"evidence": {"instance": passing.object.instance[0], "policies": [_policy.ref]},
	}} with input as passing
}

test_not_given_unasked if grant.given == set() with input as fixture.good

test_not_given_where_a_direction_is_open if {
	every policies in [
		[],
		[object.union(_policy, {"ingress": false})],
		[object.union(_policy, {"egress": false})],
		[object.union(_policy, {"pods": [{"key": "app", "operator": "In", "values": ["web"]}]})],
	] {
		grant.given == set() with input as _policies(policies)
	}
}

test_malformed_facts_give_nothing if {
	every document in [{}, json.remove(passing, ["object"]), json.remove(passing, ["network"]), fixture.with_instance({"podNetwork": "true"})] {
		grant.given == set() with input as document
	}
}
