package cato.rules.spec.bounds_test

import data.cato.lib.machine_fixture_test as machine
import data.cato.lib.verdict
import data.cato.rules.spec.bounds as rule

passing := {object.union(document, {"moment": moment}) |
	some moment in ["admission", "plan", "live"]
	some document in [machine.good, _full, _clone]
}

_asked := machine.good.object.machine[0]

_disk := {"name": "data", "size": {"text": "20Gi", "value": 21474836480, "problem": ""}}

_egress := {"path": "spec.network.egress[0]", "cidr": "192.0.2.0/24", "valid": true, "ports": []}

_full := _asking({"dataDisks": [_disk], "egress": [_egress]})

_clone := _asking({"sourceType": "dataSource", "checksum": [], "diskSize": _empty})

_empty := {"text": "", "value": null, "problem": ""}

_asking(change) := object.union(machine.good, {"object": {"machine": [object.union(_asked, change)]}})

_size(text, value, problem) := {"text": text, "value": value, "problem": problem}

_same(one, other) if one == other

_judge(document) := word if {
	word := verdict.of({t | some t in rule.judged}, rule.report) with input as document
}

_fails(document, target, message, evidence) if {
	found := {entry | some entry in rule.report; entry.verdict == "fail"} with input as document
	_same(found, {{"verdict": "fail", "target": target, "message": message, "evidence": evidence}})
	_judge(document) == "fail"
}

test_pass if {
	every document in passing {
		_judge(document) == "pass"
	}
	entries := rule.report with input as machine.good
	evidence := object.filter(_asked, ["memory", "diskSize", "sourceType", "cores", "dataDisks", "egress"])
	_same(entries, {{"verdict": "pass", "target": target, "evidence": evidence} | some target in rule.judged})
}

test_pass_at_the_bounds if {
	every value in [67108864, 1099511627776] {
		_judge(_asking({"memory": _size("at", value, "")})) == "pass"
	}
	every cores in [1, 256] {
		_judge(_asking({"cores": cores})) == "pass"
	}
	_judge(_asking({"diskSize": _size("4Ei", 4611686018427387904, "")})) == "pass"
}

test_fail_beyond_the_bounds if {
	bounds := "give 64Mi to 1Ti, such as 4Gi"
	small := _size("63Mi", 66060288, "")
	_fails(_asking({"memory": small}), "spec.memory", $"spec.memory \"63Mi\" is out of bounds: {bounds}", {"memory": small})
	large := _size("2Ti", 2199023255552, "")
	_fails(_asking({"memory": large}), "spec.memory", $"spec.memory \"2Ti\" is out of bounds: {bounds}", {"memory": large})
	none := _asking({"memory": _empty})
	_fails(none, "spec.memory", $"spec.memory \"\" is empty: {bounds}", {"memory": _empty})
	every cores in [-1, 0, 257] {
		many := _asking({"cores": cores})
		message := $"spec.cpu.cores {cores} is out of bounds: give 1 to 256"
		_fails(many, "spec.cpu.cores", message, {"machine": many.object.machine[0]})
	}
}

test_fail_for_sizes_that_hold_nothing_or_too_much if {
	zero := _asking({"diskSize": _size("0", 0, "")})
	message := "spec.diskSize \"0\" holds nothing: give a size such as 10Gi, at most 4Ei"
	_fails(zero, "spec.diskSize", message, {"machine": zero.object.machine[0]})
	_judge(_asking({"diskSize": _size("5Ei", 5764607523034234880, "")})) == "fail"
	negative := object.union(_disk, {"size": _size("-1Gi", -1073741824, "")})
	_fails(
		_asking({"dataDisks": [_disk, negative]}), "spec.dataDisks",
		"spec.dataDisks data size \"-1Gi\" holds nothing: give a size such as 20Gi, at most 4Ei", {"disk": negative},
	)
	_judge(_asking({"dataDisks": [object.union(_disk, {"size": _empty})]})) == "fail"
}

test_fail_for_a_source_without_a_size if {
	every source in ["http", "upload", "registry", "blank"] {
		document := _asking({"sourceType": source, "diskSize": _empty})
		message := $"spec.diskSize is empty: give the virtual size of the disk, such as 10Gi, for sourceType {source}"
		_fails(document, "spec.diskSize", message, {"machine": document.object.machine[0]})
	}
}

test_malformed_quantities_fail_and_say_why if {
	odd := _size("1e1.5", null, "has an exponent that is no whole number from -100 to 100")
	reason := "\"1e1.5\" has an exponent that is no whole number from -100 to 100"
	_fails(
		_asking({"memory": odd}), "spec.memory",
		$"spec.memory {reason}: give 64Mi to 1Ti, such as 4Gi", {"memory": odd},
	)
	disk := _asking({"diskSize": odd})
	message := $"spec.diskSize {reason}: give a size such as 10Gi, at most 4Ei"
	_fails(disk, "spec.diskSize", message, {"machine": disk.object.machine[0]})
}

test_malformed_destination_fails if {
	odd := object.union(_egress, {"cidr": "10.0.0.0/33", "valid": false})
	_fails(
		_asking({"egress": [_egress, odd]}), "spec.network.egress",
		"spec.network.egress[0].cidr \"10.0.0.0/33\" is not a CIDR: write an address with its prefix length, such as 192.0.2.0/24",
		{"egress": odd},
	)
}

test_unknown_when_facts_are_missing if {
	every broken in [
		{},
		json.remove(machine.good, ["object"]),
		json.remove(machine.good, ["params/maxMemory"]),
		json.remove(machine.good, ["params/maxCores"]),
		json.remove(machine.good, ["object/machine/0/dataDisks"]),
		json.remove(machine.good, ["object/machine/0/egress"]),
		_asking({"memory": _size("4Gi", null, "")}),
		_asking({"cores": null}),
	] {
		_judge(broken) == "unknown"
	}
}
