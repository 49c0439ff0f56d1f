package cato.rules.image.allowlist_test

import data.cato.lib.machine_fixture_test as machine
import data.cato.lib.verdict
import data.cato.rules.image.allowlist as rule

passing := {object.union(machine.good, {"moment": moment, "images": [_fedora]}) | some moment in ["admission", "plan", "live"]}

_fedora := {
	"path": "VirtualMachine/web spec.template.spec.volumes[0].containerDisk.image",
	"launcher": "template",
	"use": "disk",
	"image": {
		"text": "quay.io/containerdisks/fedora:42",
		"valid": true,
		"problem": "",
		"registry": "quay.io",
		"path": ["containerdisks", "fedora"],
		"tag": "42",
		"algorithm": "",
		"digest": "",
	},
}

_target := $"disk {_fedora.path}"

_with(uses) := object.union(machine.good, {"images": uses})

_of(registry, path) := object.union(_fedora, {"image": {"registry": registry, "path": path}})

test_pass if {
	every document in passing {
		_verdict == "pass" with input as document
	}
	rule.report == {{"verdict": "pass", "target": _target, "evidence": {"use": _fedora}}} with input as _with([_fedora])
}

test_pass_for_exactly_the_repository_of_an_entry if {
	exact := [{"op": "replace", "path": "params/imagePrefixes", "value": [{
		"text": "quay.io/containerdisks/fedora",
		"registry": "quay.io",
		"path": ["containerdisks", "fedora"],
	}]}]
	_verdict == "pass" with input as json.patch(_with([_fedora]), exact)
}

test_fail_for_what_only_begins_alike if {
	every use in [
		_of("quay.io", ["containerdisks-mirror", "fedora"]),
		_of("quay.io", ["containerdisk", "fedora"]),
		_of("quay.io", ["containerdisks"]),
		_of("quay.io.example.com", ["containerdisks", "fedora"]),
		_of("quay.io:8443", ["containerdisks", "fedora"]),
		_of("docker.io", ["quay.io", "containerdisks", "fedora"]),
		_of("quay.io", ["evil", "containerdisks", "fedora"]),
	] {
		_verdict == "fail" with input as _with([use])
	}
}

# What the platform's file allows is not known while nobody can read it.
test_unknown_where_the_list_is_not_known if {
	other := _with([_of("quay.io", ["other", "fedora"])])
	_verdict == "unknown" with input as json.patch(other, [{"op": "add", "path": "/gaps/params.imagePrefixes", "value": "the file is wrong"}])
}

test_fail_names_image_and_place if {
	other := object.union(_fedora, {"image": {"text": "quay.io/other/fedora", "path": ["other", "fedora"]}})
	found := {entry | some entry in rule.report; entry.verdict == "fail"} with input as _with([other])
	found == {{
		"verdict": "fail",
		"target": _target,
		"message": $"{_fedora.path} quay.io/other/fedora lies below no allowed prefix: use an image of an allowed one",
		"evidence": {"use": other, "prefixes": machine.good.params.imagePrefixes},
	}}
}

test_fail_if_one_of_several_is_foreign if {
	sidecar := object.union(_of("docker.io", ["library", "hook"]), {"use": "sidecar", "path": "annotation[0]"})
	_verdict == "fail" with input as _with([_fedora, sidecar])
}

test_fail_without_any_entry if {
	_verdict == "fail" with input as json.patch(_with([_fedora]), [{"op": "replace", "path": "params/imagePrefixes", "value": []}])
}

test_malformed_reference_fails_and_says_why if {
	odd := object.union(_fedora, {"image": {"text": "UPPER/case", "valid": false, "problem": "is not lower case", "registry": "", "path": []}})
	rule.report == {{
		"verdict": "fail",
		"target": _target,
		"message": $"{_fedora.path} UPPER/case is not lower case: write registry/path@sha256:digest",
		"evidence": {"use": odd},
	}} with input as _with([odd])
}

test_not_applicable_without_images if {
	_verdict == "not-applicable" with input as _with([])
	rule.report == {{"verdict": "not-applicable", "message": "no container image is used"}} with input as _with([])
}

test_unknown_or_fail_when_facts_are_missing if {
	every broken in [{}, json.remove(_with([_fedora]), ["images"]), _with(null)] {
		_verdict == "unknown" with input as broken
	}
	_verdict == "unknown" with input as json.remove(_with([_fedora]), ["images/0/image/valid"])
}

_verdict := verdict.of({t | some t in rule.judged}, rule.report)
