package cato.rules.fabric.separation_test

import data.cato.lib.fabric_fixture_test as fixture
import data.cato.lib.verdict
import data.cato.rules.fabric.separation as rule

passing := {fixture.network}

_verdict := verdict.of(rule.judged, rule.report)

_own(change) := json.patch(fixture.network, [{"op": "replace", "path": "/fabric/attachments/0", "value": object.union(fixture.attachment, change)}])

_sharing(reach) := json.patch(fixture.network, [{"op": "replace", "path": "/fabric/sharing", "value": [object.union(fixture.attachment, {
	"namespace": "virtfoundry-tenant-other",
	"reach": reach,
})]}])

test_pass_in_a_vlan_of_its_own if _verdict == "pass" with input as fixture.network

test_fail_of_an_attachment_that_is_not_apart if {
	every change in [{"vlan": 0}, {"vlan": 1}, {"vlan": 4095}, {"defaultVLAN": true}, {"type": "macvlan"}, {"bridge": ""}] {
		_verdict == "fail" with input as _own(change)
	}
}

test_fail_beside_another_in_the_segment if {
	every reach in ["vlan", "trunk", "untagged"] {
		_verdict == "fail" with input as _sharing(reach)
	}
}

test_fail_names_the_other if {
	document := _sharing("vlan")
	rule.report == {{
		"verdict": "fail",
		"target": "segment",
		"message": "NetworkAttachmentDefinition virtfoundry-tenant-other/web leads to the same segment of bridge virtfoundry-br0",
		"evidence": {"attachments": document.fabric.attachments, "other": document.fabric.sharing[0]},
	}} with input as document
}

test_unknown_where_it_cannot_be_told if {
	_verdict == "unknown" with input as _sharing("unknown")
	_verdict == "unknown" with input as _own({"problem": "spec.config is no CNI configuration", "vlan": 0})
	_verdict == "unknown" with input as json.patch(fixture.network, [{"op": "replace", "path": "/fabric/attachments", "value": []}])
}

test_not_applicable_to_a_shared_network if _verdict == "not-applicable" with input as fixture.shared

test_malformed_facts_do_not_pass if {
	every document in [
		{},
		json.remove(fixture.network, ["fabric"]),
		json.remove(fixture.network, ["object"]),
		json.patch(fixture.network, [{"op": "replace", "path": "/fabric/sharing", "value": null}]),
		_own({"defaultVLAN": null}),
		_own({"vlan": null}),
	] {
		not _verdict in {"pass", "not-applicable"} with input as document
	}
}
