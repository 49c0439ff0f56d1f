package cato.rules.image.verified_test

import data.cato.lib.instance_fixture_test as instance
import data.cato.lib.machine_fixture_test as machine
import data.cato.lib.verdict
import data.cato.rules.image.verified as rule

passing := {
	machine.good,
	_owned_by_nobody(_boots(_root)),
	_owned_by_nobody(_boots(_container_disk)),
	_clone,
	_clone_of_registry,
	_registry,
	_compared_upload,
}

_root := machine.good.disks[0]

_asked := machine.good.object.machine[0]

_imported := _root.lineage[0]

_sum := _imported.checksum[0]

_image := {
	"text": "docker://quay.io/containerdisks/fedora@sha256:9f2c",
	"valid": true,
	"problem": "",
	"registry": "quay.io",
	"path": ["containerdisks", "fedora"],
	"tag": "",
	"algorithm": "sha256",
	"digest": "9f2c",
}

_container_disk := object.union(_root, {"volumeKind": "containerDisk", "image": [_image], "lineage": [], "claim": []})

_registry := object.union(
	_imports({"source": "registry", "checksum": [], "image": [_image]}),
	_asking({"sourceType": "registry", "checksum": [], "image": [_image]}),
)

_compared_upload := object.union(_imports({"source": "upload"}), {"cluster": {"cdiUploadChecksum": true}})

_cloned := object.union(_imported, {"source": "pvc", "checksum": []})

_clone := _clone_by([_cloned, _imported])

_clone_of_registry := _clone_by([_cloned, _registry.disks[0].lineage[0]])

_clone_by(lineage) := object.union(
	_boots(object.union(_root, {"lineage": lineage})),
	_asking({"sourceType": "dataSource", "checksum": []}),
)

_boots(disk) := object.union(machine.good, {"disks": [disk, machine.good.disks[1]]})

_imports(change) := _boots(object.union(_root, {"lineage": [object.union(_imported, change)]}))

_asking(change) := {"object": {"machine": [object.union(_asked, change)]}}

_owned_by_nobody(document) := object.union(document, {"object": {"machine": []}})

_reports(document) := entries if entries := rule.report with input as document

_says(document, word, message) if {
	some entry in _reports(document)
	entry.verdict == word
	entry.message == message
	_judge(document) == word
}

_judge(document) := word if {
	word := verdict.of({t | some t in rule.judged}, rule.report) with input as document
}

_same(one, other) if one == other

test_pass if {
	every document in passing {
		_judge(document) == "pass"
	}
	_same(_reports(machine.good), {{"verdict": "pass", "target": "template rootdisk", "evidence": {"disk": _root}}})
}

test_pass_for_a_clone_of_a_clone if {
	lineage := [object.union(_cloned, {"source": "dataSource"}), object.union(_cloned, {"source": "snapshot"}), _imported]
	_judge(_clone_by(lineage)) == "pass"
}

test_fail_names_the_import if {
	bare := _imports({"checksum": []})
	_same(_reports(bare), {{
		"verdict": "fail",
		"target": "template rootdisk",
		"message": $"DataVolume mission-a/web-dv imports {_imported.url} without a checksum: nothing compared it",
		"evidence": {"disk": bare.disks[0]},
	}})
	_judge(bare) == "fail"
}

test_fail_for_weak_functions if {
	weak := _imports({"checksum": [object.union(_sum, {"algorithm": "md5", "digest": "9e10"})]})
	message := concat(" ", [
		"DataVolume mission-a/web-dv has DataVolume/web-dv spec.source.http.checksum md5:9e10,",
		"which is of md5, which is no approved hash function",
	])
	_says(object.union(weak, _asking({"checksum": [object.union(_sum, {"algorithm": "md5", "digest": "9e10"})]})), "fail", message)
}

test_fail_for_an_upload_that_nothing_compared if {
	message := "DataVolume mission-a/web-dv was uploaded, and nothing compared what was sent"
	_says(_imports({"source": "upload", "checksum": []}), "fail", message)
	_says(_imports({"source": "upload"}), "fail", message)
}

test_fail_for_sources_without_comparison if {
	every source in ["s3", "gcs", "imageio", "vddk"] {
		message := $"DataVolume mission-a/web-dv has a source {source}, for which CDI compares nothing"
		_says(_imports({"source": source, "checksum": []}), "fail", message)
	}
	_says(_imports({"pullMethod": "node"}), "fail", "DataVolume mission-a/web-dv pulls by the node, where CDI ignores the checksum")
}

test_fail_for_a_mismatch if {
	_says(
		_imports({"phase": "Failed", "reason": "ChecksumError"}), "fail",
		"DataVolume mission-a/web-dv failed: its content does not have the checksum asked for",
	)
}

test_fail_for_tags if {
	tag := object.union(_image, {"text": "quay.io/a/b:1", "algorithm": "", "digest": ""})
	container := _boots(object.union(_container_disk, {"image": [tag]}))
	_says(
		_owned_by_nobody(container), "fail",
		$"{_root.path} image quay.io/a/b:1 names no digest: a tag can be moved to other content",
	)
	_says(
		_imports({"source": "registry", "checksum": [], "image": [tag]}), "fail",
		"DataVolume mission-a/web-dv imports quay.io/a/b:1, which names no digest: a tag can be moved to other content",
	)
}

test_fail_for_other_content_than_asked_for if {
	_says(
		_imports({"checksum": [object.union(_sum, {"digest": "ffff"})]}), "fail",
		$"DataVolume mission-a/web-dv holds sha256:ffff, yet the spec asks for {_sum.digest}",
	)
	_says(
		object.union(_registry, _asking({"sourceType": "registry", "checksum": [], "image": [object.union(_image, {"digest": "ffff"})]})), "fail",
		"DataVolume mission-a/web-dv holds sha256:9f2c, yet the spec asks for ffff",
	)
}

test_fail_for_a_clone_of_an_unverified_disk if {
	upload := object.union(_imported, {"name": "golden", "source": "upload", "checksum": []})
	lineage := _boots(object.union(_root, {"lineage": [_cloned, upload]}))
	_says(lineage, "fail", "DataVolume mission-a/golden was uploaded, and nothing compared what was sent")
}

test_fail_if_only_the_instance_runs_another_disk if {
	other := object.union(_imports({"source": "upload", "checksum": []}).disks[0], {"launcher": "instance"})
	_judge(object.union(machine.good, {"disks": array.concat(machine.good.disks, [other])})) == "fail"
}

test_a_kernel_counts_as_a_disk if {
	kernel := {"path": "VirtualMachine/web spec.template.spec.domain.firmware.kernelBoot.container.image", "launcher": "template", "use": "kernel", "image": _image}
	_judge(object.union(machine.good, {"images": [kernel]})) == "pass"
	tag := object.union(kernel, {"image": {"text": "quay.io/a/b:1", "algorithm": "", "digest": ""}})
	_says(
		object.union(machine.good, {"images": [tag]}), "fail",
		$"{kernel.path} quay.io/a/b:1 names no digest: a tag can be moved to other content",
	)
}

test_malformed_checksum_fails if {
	short := object.union(_sum, {"digest": "ff", "valid": false, "problem": "has a digest of the wrong length for sha256"})
	_judge(_owned_by_nobody(_imports({"checksum": [short]}))) == "fail"
}

test_unknown_after_an_edit if {
	reason := "SourceChanged: a DataVolume was edited after it was made, so its content is of another source"
	_says(_imports({"edited": true}), "unknown", reason)
	_same(_reports(_imports({"edited": true, "checksum": []})), {{"verdict": "unknown", "target": "template rootdisk", "message": reason}})
}

test_unknown_while_nothing_is_shown if {
	_says(
		_boots(object.union(_root, {"lineage": []})), "unknown",
		"no DataVolume is behind it (dataVolume): where its content came from is not known",
	)
	_says(_imports({"phase": "ImportInProgress"}), "unknown", "an import or a clone that it rests on has not succeeded")
	_says(_boots(object.union(_root, {"lineage": [_cloned]})), "unknown", "the origin of its clone is not found")
	_says(_imports({"source": "none"}), "unknown", "nothing shows that its content is what was asked for")
	_says(_boots(_container_disk), "unknown", "nothing shows that its content is what was asked for")
	_says(object.union(machine.good, {"disks": []}), "unknown", "which disk the machine boots from cannot be told")
}

test_unknown_if_another_kind_of_digest_is_asked_for if {
	_judge(object.union(machine.good, _asking({"checksum": [object.union(_sum, {"algorithm": "sha512"})]}))) == "unknown"
	_judge(object.union(machine.good, _asking({"image": [_image]}))) == "unknown"
	_judge(object.union(_registry, _asking({}))) == "unknown"
}

test_unknown_when_facts_are_missing if {
	every broken in [
		{},
		json.remove(machine.good, ["disks"]),
		json.remove(machine.good, ["object/machine"]),
		json.remove(machine.good, ["disks/1/boot"]),
		object.union(machine.good, {"disks": null}),
	] {
		_judge(broken) == "unknown"
	}
}

test_not_applicable_to_an_empty_disk if {
	blank := object.union(_imports({"source": "blank", "checksum": []}), _asking({"sourceType": "blank", "checksum": []}))
	_same(_reports(blank), {{
		"verdict": "not-applicable",
		"message": "the machine boots from an empty disk, which has no content to verify",
	}})
	_judge(blank) == "not-applicable"
	_judge(object.union(blank, _asking({}))) == "unknown"
}

test_an_empty_disk_beside_a_verified_one if {
	empty := object.union(_imports({"source": "blank", "checksum": []}).disks[0], {"name": "other", "launcher": "instance"})
	document := object.union(machine.good, {"disks": [_root, empty]})
	_judge(_owned_by_nobody(document)) == "pass"
}

test_unknown_if_the_claim_is_not_of_this_import if {
	own := "the claim of DataVolume mission-a/web-dv is not known to be its own: what it holds is not known"
	every change in [{"claimOwned": false}, {"claimName": "other"}] {
		_says(_imports(change), "unknown", own)
		_says(_clone_by([object.union(_cloned, change), _imported]), "unknown", own)
		_says(_clone_by([_cloned, object.union(_imported, change)]), "unknown", own)
	}
	_says(
		_imports({"filledElsewhere": true}), "unknown",
		"DataVolume mission-a/web-dv takes a claim that was filled elsewhere: nothing was imported",
	)
	_judge(_imports({"claimName": ""})) == "pass"
}

test_unknown_if_the_origin_is_younger_than_its_clone if {
	younger := object.union(_imported, {"createdAt": "2026-11-20T08:00:01Z"})
	_says(
		_clone_by([_cloned, younger]), "unknown",
		"a clone is older than what it is said to be a clone of: what it was made from is not known",
	)
	_judge(_clone_by([object.union(_cloned, {"createdAt": younger.createdAt}), _imported])) == "pass"
}

test_an_adopted_claim_is_no_empty_disk if {
	blank := object.union(_imports({"source": "blank", "checksum": []}), _asking({"sourceType": "blank", "checksum": []}))
	every change in [{"filledElsewhere": true}, {"claimOwned": false}] {
		taken := object.union(blank.disks[0], {"lineage": [object.union(blank.disks[0].lineage[0], change)]})
		_judge(object.union(blank, {"disks": [taken]})) == "unknown"
	}
	early := object.union(blank.disks[0], {"claim": [], "lineage": [object.union(blank.disks[0].lineage[0], {"claimOwned": false})]})
	_judge(object.union(blank, {"disks": [early]})) == "not-applicable"
}

_of_template(disk) := json.patch(instance.importing, [{"op": "replace", "path": "/disks", "value": [disk]}])

test_pass_for_an_instance_that_holds_what_its_template_asks_for if {
	_judge(_of_template(_root)) == "pass"
	_judge(_of_template(object.union(_root, {"lineage": [_cloned, _imported]}))) == "pass"
}

test_unknown_for_an_instance_whose_volume_was_made_anew if {
	changed := "SourceChanged: DataVolume mission-a/web-dv was made of other content than the Template asks for now: the Template has changed since, or the DataVolume was made anew; a new Instance has the Template's content"
	other := object.union(_imported, {"url": "https://evil.example.com/x", "checksum": [object.union(_sum, {"digest": "ffff"})]})
	every lineage in [
		[other],
		[object.union(_imported, {"checksum": [object.union(_sum, {"algorithm": "sha512"})]})],
		[object.union(_imported, {"source": "registry", "checksum": [], "image": [_image]})],
		[object.union(_imported, {"source": "blank", "checksum": []})],
		[_cloned, other],
	] {
		_says(_of_template(object.union(_root, {"lineage": lineage})), "unknown", changed)
	}
}
