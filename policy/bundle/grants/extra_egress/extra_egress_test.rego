package cato.grants.extra_egress_test

import data.cato.grants.extra_egress
import data.cato.lib.machine_fixture_test.good

_port(protocol, number, end) := {"protocol": protocol, "number": number, "end": end, "name": ""}

_entry := {"path": "spec.network.egress[0]", "cidr": "10.1.0.0/16", "valid": true, "ports": [_port("TCP", 443, null)]}

_grant := {"selects": true, "reason": "mirror", "cidrs": ["192.0.2.0/24", "10.0.0.0/8"], "ports": [_port("TCP", 400, 500)]}

_document(entries, grants) := json.patch(good, [
	{"op": "replace", "path": "/object/machine/0/egress", "value": entries},
	{"op": "replace", "path": "/params/grants/egress", "value": grants},
])

passing := {
	_document([_entry], [_grant]),
	_document([object.union(_entry, {"ports": []})], [object.union(_grant, {"ports": []})]),
}

test_given_within_a_block_and_its_ports if {
	extra_egress.given == {{
		"because": "each egress entry lies within a block that the profile grants to this namespace",
		"evidence": {"egress": [_entry], "grants": [_grant]},
	}} with input as _document([_entry], [_grant])
}

test_given_by_several_grants_together if {
	other := object.union(_entry, {"cidr": "fd00:1::/64"})
	extra_egress.given != set() with input as _document([_entry, other], [_grant, object.union(_grant, {"cidrs": ["fd00::/8"]})])
}

test_given_on_every_port_by_a_grant_of_every_port if {
	every entry in [_entry, object.union(_entry, {"ports": []})] {
		extra_egress.given != set() with input as _document([entry], [object.union(_grant, {"ports": []})])
	}
}

test_not_given_beyond_the_grant if {
	every entry in [
		object.union(_entry, {"cidr": "10.0.0.0/7"}),
		object.union(_entry, {"cidr": "0.0.0.0/0"}),
		object.union(_entry, {"cidr": "nowhere", "valid": true}),
		object.union(_entry, {"valid": false}),
		object.union(_entry, {"ports": []}),
		object.union(_entry, {"ports": [_port("UDP", 443, null)]}),
		object.union(_entry, {"ports": [_port("TCP", 443, 501)]}),
		object.union(_entry, {"ports": [_port("TCP", 443, null), _port("TCP", 22, null)]}),
	] {
		extra_egress.given == set() with input as _document([entry], [_grant])
		extra_egress.given == set() with input as _document([_entry, entry], [_grant])
	}
}

test_not_given_when_block_and_ports_come_from_two_grants if {
	grants := [object.union(_grant, {"ports": [_port("TCP", 22, null)]}), object.union(_grant, {"cidrs": ["192.0.2.0/24"]})]
	extra_egress.given == set() with input as _document([_entry], grants)
}

test_not_given_by_a_grant_to_others if {
	extra_egress.given == set() with input as _document([_entry], [object.union(_grant, {"selects": false})])
}

test_not_given_for_nothing if {
	extra_egress.given == set() with input as _document([], [_grant])
	extra_egress.given == set() with input as good
}

test_malformed_facts_give_nothing if {
	document := _document([_entry], [_grant])
	every broken in [
		{},
		json.remove(document, ["object"]),
		json.remove(document, ["params"]),
		json.patch(document, [{"op": "remove", "path": "/params/grants/egress/0/cidrs"}]),
		json.patch(document, [{"op": "remove", "path": "/params/grants/egress/0/ports"}]),
		json.patch(document, [{"op": "remove", "path": "/object/machine/0/egress/0/valid"}]),
	] {
		extra_egress.given == set() with input as broken
	}
}
