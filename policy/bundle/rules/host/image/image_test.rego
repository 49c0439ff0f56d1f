package cato.rules.host.image_test

import data.cato.lib.bridges_fixture_test as fixture
import data.cato.lib.verdict
import data.cato.rules.host.image as rule

passing := {fixture.both, fixture.planned, fixture.serving}

_verdict := verdict.of(rule.judged, rule.report)

_image(change) := json.patch(fixture.serving, [{"op": "replace", "path": $"/bridges/0/containers/2/image/{name}", "value": value} | some name, value in change])

test_pass_of_images_by_digest if {
	every document in passing {
		_verdict == "pass" with input as document
	}
}

test_fail_of_an_image_that_can_change if {
	every change in [
		{"algorithm": "", "digest": ""},
		{"algorithm": "md5"},
		{"valid": false, "algorithm": "", "digest": "", "problem": "is no reference"},
	] {
		_verdict == "fail" with input as _image(change)
	}
}

test_fail_names_the_image if {
	some entry in rule.report with input as _image({"text": "docker.io/library/alpine:3", "algorithm": "", "digest": ""})
	entry.message == "DaemonSet kube-system/virtfoundry-bridge-setup container dhcp has image docker.io/library/alpine:3, which no digest pins"
}

test_unknown_of_what_is_not_there_yet if _verdict == "unknown" with input as fixture.awaited

test_not_applicable_with_both_networks_off if _verdict == "not-applicable" with input as fixture.off

test_malformed_facts_do_not_pass if {
	every document in [
		{},
		json.remove(fixture.both, ["bridges"]),
		json.remove(fixture.off, ["object"]),
		_image({"algorithm": null}),
		_image({"digest": null}),
		_image({"valid": null}),
		json.patch(fixture.both, [{"op": "replace", "path": "/bridges/0/containers", "value": []}]),
	] {
		not _verdict in {"pass", "not-applicable"} with input as document
	}
}
