package cato.rules.storage.size_test

import data.cato.lib.machine_fixture_test as machine
import data.cato.lib.verdict
import data.cato.rules.storage.size as rule

passing := {object.union(document, {"moment": moment}) |
	some moment in ["admission", "plan", "live"]
	some document in [machine.good, _planned, _taken_as_it_is, _pending]
}

_root := machine.good.disks[0]

_import := _root.lineage[0]

_claim := _root.claim[0]

_planned := _boots(_before)

_before := {"claim": [], "lineage": [object.union(_import, {"phase": "Pending"})]}

_taken_as_it_is := _requests({"requestKind": "pvc", "requestBytes": 11381663335, "requiredBytes": 11381663335})

_pending := _claims({"phase": "Pending", "capacityBytes": null})

_boots(change) := object.union(machine.good, {"disks": [object.union(_root, change), machine.good.disks[1]]})

_requests(change) := _boots({"lineage": [object.union(_import, change)]})

_claims(change) := _boots({"claim": [object.union(_claim, change)]})

_reports(document) := entries if entries := rule.report with input as document

_judge(document) := word if {
	word := verdict.of({t | some t in rule.judged}, rule.report) with input as document
}

_same(one, other) if one == other

_unknown_because(document, reason) if {
	_judge(document) == "unknown"
	_same(_reports(document), {{"verdict": "unknown", "target": "template rootdisk", "message": reason}})
}

test_pass if {
	every document in passing {
		_judge(document) == "pass"
	}
	_same(_reports(machine.good), {{"verdict": "pass", "target": "template rootdisk", "evidence": {"disk": _root}}})
}

test_pass_for_a_claim_without_datavolume if _judge(_boots({"lineage": []})) == "pass"

test_fail_for_a_file_system_claim_as_large_as_the_disk if {
	tight := _requests({"requestKind": "pvc", "requiredBytes": 11381663335})
	_same(_reports(tight), {{
		"verdict": "fail",
		"target": "template rootdisk",
		"message": "DataVolume mission-a/web-dv requests 10737418240 bytes, but the disk needs 11381663335",
		"evidence": {"disk": tight.disks[0]},
	}})
	_judge(tight) == "fail"
}

test_fail_for_a_request_below_the_disk if _judge(_requests({"requestBytes": 10737418239})) == "fail"

test_fail_for_a_bound_claim_that_is_too_small if {
	small := _claims({"capacityBytes": 10737418240})
	_same(_reports(small), {{
		"verdict": "fail",
		"target": "template rootdisk",
		"message": "PersistentVolumeClaim web-dv has 10737418240 bytes, but disk and file system need 11381663335",
		"evidence": {"disk": small.disks[0]},
	}})
	_judge(small) == "fail"
}

test_fail_for_an_unbound_claim_that_asks_for_too_little if {
	_judge(_claims({"phase": "Pending", "capacityBytes": null, "requestBytes": 1})) == "fail"
}

test_malformed_size_fails_and_says_why if {
	asked := object.union(machine.good.object.machine[0], {"diskSize": {"text": "10Gx", "value": null, "problem": "has an unknown suffix"}})
	odd := object.union(_boots({"virtualBytes": null}), {"object": {"machine": [asked]}})
	found := {entry | some entry in _reports(odd); entry.verdict == "fail"}
	_same(found, {{
		"verdict": "fail",
		"target": "spec.diskSize",
		"message": "spec.diskSize 10Gx has an unknown suffix: give a size such as 10Gi",
		"evidence": {"machine": asked},
	}})
	_judge(odd) == "fail"
}

test_unknown_sizes_prove_nothing if {
	_unknown_because(_requests({"requestBytes": null}), "what is requested of CDI is not known")
	_unknown_because(_requests({"requestKind": ""}), "what is requested of CDI is not known")
	_unknown_because(_claims({"capacityBytes": null}), "the size of the claim, or what it must hold, is not known")
	_unknown_because(_claims({"requiredBytes": null}), "the size of the claim, or what it must hold, is not known")
	_unknown_because(_boots({"virtualBytes": 0}), "the disk's virtual size is not known")
	_unknown_because(_boots(object.union(_before, {"virtualBytes": 0})), "the disk's virtual size is not known")
	_unknown_because(_boots({"virtualBytes": 0, "lineage": []}), "the disk's virtual size is not known")
	_judge(_boots({"virtualBytes": null})) == "unknown"
	_judge(object.union(machine.good, {"disks": []})) == "unknown"
}

test_unknown_if_the_claim_of_an_import_is_gone if {
	reason := "the size of the claim, or what it must hold, is not known"
	_unknown_because(_boots({"claim": []}), reason)
	_unknown_because(_boots({"claim": [], "lineage": [object.union(_import, {"phase": "ImportInProgress"})]}), reason)
	_judge(object.union(_boots({"claim": []}), {"moment": "plan"})) == "pass"
}

test_unknown_if_the_inflated_request_overflows if _unknown_because(
	_requests({"requiredBytes": null}),
	"what is requested of CDI is not known",
)

test_unknown_when_facts_are_missing if {
	every broken in [
		{},
		json.remove(machine.good, ["disks"]),
		json.remove(machine.good, ["disks/0/claim"]),
		json.remove(machine.good, ["disks/0/lineage"]),
		json.remove(machine.good, ["disks/0/boot"]),
	] {
		_judge(broken) == "unknown"
	}
}

test_not_applicable_without_a_claim if {
	container := _boots({"volumeKind": "containerDisk", "lineage": [], "claim": []})
	_same(_reports(container), {{"verdict": "not-applicable", "message": "no claim holds the boot disk"}})
	_judge(container) == "not-applicable"
}
