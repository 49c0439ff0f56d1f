package cato.rules.source.namespace_test

import data.cato.lib.machine_fixture_test.good
import data.cato.lib.verdict
import data.cato.rules.source.namespace as rule

_source := {
	"path": "DataVolume/web-dv spec.source.pvc",
	"kind": "PersistentVolumeClaim",
	"namespace": "golden",
	"name": "linux-9",
	"labels": {"kubernetes.io/metadata.name": "golden"},
}

_grant := {"selects": true, "reason": "the platform's images", "namespaces": ["golden"]}

_document(foreign, grants) := json.patch(good, [
	{"op": "replace", "path": "/foreign", "value": foreign},
	{"op": "replace", "path": "/params/grants/crossNamespaceSources", "value": grants},
])

passing := {object.union(_document([_source], [_grant]), {"moment": moment}) | some moment in ["admission", "plan", "live"]}

_judge(document) := word if {
	word := verdict.of({target | some target in rule.judged}, rule.report) with input as document
}

test_pass_when_granted if {
	every document in passing {
		_judge(document) == "pass"
	}
}

test_fail_names_the_source if {
	found := rule.report with input as _document([_source], [])
	found == {{
		"verdict": "fail",
		"target": "sources",
		"message": "DataVolume/web-dv spec.source.pvc: PersistentVolumeClaim golden/linux-9 is of another namespace, and the grant is not given",
		"evidence": {"source": _source},
	}}
}

test_fail_when_one_of_two_is_not_granted if {
	_judge(_document([_source, object.union(_source, {"namespace": "mission-b"})], [_grant])) == "fail"
}

test_not_applicable_in_the_own_namespace if _judge(good) == "not-applicable"

test_unknown_when_facts_are_missing if {
	every document in [{}, json.remove(good, ["foreign"])] {
		_judge(document) == "unknown"
	}
}

test_malformed_facts_are_no_pass if {
	every document in [
		json.patch(good, [{"op": "replace", "path": "/foreign", "value": null}]),
		_document([null], []),
		_document([object.union(_source, {"namespace": null})], [_grant]),
	] {
		_judge(document) in {"unknown", "fail"}
	}
}
