package cato.rules.image.requested_test

import data.cato.lib.machine_fixture_test as machine
import data.cato.lib.verdict
import data.cato.rules.image.requested as rule

passing := {json.patch(document, [{"op": "replace", "path": "moment", "value": moment}]) |
	some moment in ["admission", "plan"]
	some document in [_http, _upload_compared, _registry]
}

_http := machine.good

_upload_compared := json.patch(_upload, [{"op": "replace", "path": "cluster/cdiUploadChecksum", "value": true}])

_upload := _as({"sourceType": "upload", "url": ""})

_registry := _as({"sourceType": "registry", "url": _pinned.text, "image": [_pinned], "checksum": []})

_pinned := {
	"text": "docker://quay.io/containerdisks/fedora@sha256:9f2c",
	"valid": true,
	"problem": "",
	"registry": "quay.io",
	"path": ["containerdisks", "fedora"],
	"tag": "",
	"algorithm": "sha256",
	"digest": "9f2c",
}

_asked := machine.good.object.machine[0]

_as(change) := json.patch(machine.good, [{"op": "replace", "path": "object/machine/0", "value": object.union(_asked, change)}])

_sum(change) := [object.union(_asked.checksum[0], change)]

_fails(message, document) if {
	expected := {{
		"verdict": "fail",
		"target": "spec",
		"message": message,
		"evidence": {"machine": document.object.machine[0]},
	}}
	_same(rule.report, expected) with input as document
}

_same(one, other) if one == other

test_pass if {
	every document in passing {
		_verdict == "pass" with input as document
	}
	rule.report == {{"verdict": "pass", "target": "spec", "evidence": {"machine": _asked}}} with input as machine.good
}

test_fail_for_http_without_checksum if {
	bare := _as({"checksum": []})
	_fails($"spec.checksum is empty for {_asked.url}: give sha256:<64 hexadecimal digits> of the file", bare)
}

test_fail_for_weak_functions if {
	every algorithm in ["md5", "sha1"] {
		_verdict == "fail" with input as _as({"checksum": _sum({"algorithm": algorithm})})
		_verdict == "fail" with input as _as({"sourceType": "upload", "checksum": _sum({"algorithm": algorithm})})
	}
}

test_fail_for_a_registry_tag if {
	tagged := _as({"sourceType": "registry", "image": [object.union(_pinned, {"text": "docker://quay.io/a/b:1", "tag": "1", "algorithm": "", "digest": ""})]})
	message := concat("", [
		"spec.url docker://quay.io/a/b:1 names no digest: a tag can be moved to other content: ",
		"write docker://registry/path@sha256:<64 hexadecimal digits>",
	])
	_fails(message, tagged)
}

test_malformed_checksum_fails_and_names_field_value_and_remedy if {
	short := _as({"checksum": _sum({"digest": "9f2c", "valid": false, "problem": "has a digest of the wrong length for sha256"})})
	message := concat("", [
		"spec.checksum sha256:9f2c has a digest of the wrong length for sha256: ",
		"give sha256:<64 hexadecimal digits> of the file",
	])
	_fails(message, short)
}

test_malformed_checksum_fails_whatever_the_source if {
	every source in ["http", "upload", "registry", "dataSource", "pvc", "blank"] {
		document := _as({"sourceType": source, "image": [_pinned], "checksum": _sum({"valid": false, "problem": "is odd"})})
		_verdict == "fail" with input as document
	}
}

test_malformed_reference_fails if {
	_verdict == "fail" with input as _as({"sourceType": "registry", "image": [object.union(_pinned, {"valid": false, "problem": "is odd"})]})
}

test_unknown_for_an_upload_that_nothing_compares if {
	rule.report == {{
		"verdict": "unknown",
		"target": "spec",
		"message": "the CDI of this cluster does not compare the checksum of an upload",
	}} with input as _upload
	_verdict == "unknown" with input as _upload
	rule.report == {{
		"verdict": "unknown",
		"target": "spec",
		"message": "spec.checksum is empty: nothing is there to compare the upload with",
	}} with input as _as({"sourceType": "upload", "checksum": []})
}

test_unknown_for_clones if {
	every source in ["dataSource", "pvc"] {
		_verdict == "unknown" with input as _as({"sourceType": source, "checksum": []})
	}
}

test_unknown_when_facts_are_missing if {
	every broken in [
		{},
		json.remove(machine.good, ["object/machine/0/sourceType"]),
		json.remove(machine.good, ["object/machine/0/checksum"]),
		json.patch(machine.good, [{"op": "replace", "path": "object/machine", "value": []}]),
		_as({"sourceType": "torrent"}),
		_as({"sourceType": "registry", "image": []}),
	] {
		_verdict == "unknown" with input as broken
	}
}

test_not_applicable_for_an_empty_disk if {
	blank := _as({"sourceType": "blank", "checksum": []})
	_verdict == "not-applicable" with input as blank
	rule.report == {{"verdict": "not-applicable", "message": "an empty disk has no content to verify"}} with input as blank
	_verdict == "unknown" with input as _as({"sourceType": "blank"})
}

_verdict := verdict.of({t | some t in rule.judged}, rule.report)
