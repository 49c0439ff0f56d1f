package cato.rules.namespace.slug_unique_test

import data.cato.lib.tenant_fixture_test as fixture
import data.cato.lib.verdict
import data.cato.rules.namespace.slug_unique as rule

passing := {fixture.good, fixture.planned, _with({}, [_rival]), _with({}, [object.union(_rival, {"deleting": true, "ownsNamespace": true})])}

_verdict := verdict.of(rule.judged, rule.report)

# The fixture's Tenant is acme-corp, made at eight.
_rival := {
	"name": "acme-new",
	"uid": "0b1d3c5e-0000-4000-8000-000000000098",
	"createdAt": "2026-11-20T08:00:01Z",
	"deleting": false,
	"ownsNamespace": false,
}

_with(tenant, rivals) := json.patch(fixture.good, [{
	"op": "replace",
	"path": "/object/tenant/0",
	"value": object.union_n([fixture.good.object.tenant[0], tenant, {"rivals": rivals}]),
}])

_new := {"createdAt": "", "ownsNamespace": false}

_free := {"ownsNamespace": false}

test_pass_without_rivals if {
	_verdict == "pass" with input as fixture.good
	rule.report == {{"verdict": "pass", "target": "slug", "evidence": {"tenant": fixture.good.object.tenant[0]}}} with input as fixture.good
}

test_pass_when_it_comes_first if {
	every document in [
		_with({}, [_rival]),
		_with({}, [object.union(_rival, {"createdAt": "2020-01-01T00:00:00Z"})]),
		_with(_free, [_rival]),
		_with(_free, [object.union(_rival, {"createdAt": ""})]),
		_with(_free, [object.union(_rival, {"createdAt": "2026-11-20T08:00:00Z"})]),
		_with(_free, [object.union(_rival, {"createdAt": "2026-11-20T09:00:00+01:00"})]),
		_with(_new, [object.union(_rival, {"createdAt": ""})]),
		_with(_new, [object.union(_rival, {"deleting": true, "ownsNamespace": true})]),
	] {
		_verdict == "pass" with input as document
	}
}

test_fail_names_the_rival_that_holds_the_slug if {
	rival := object.union(_rival, {"ownsNamespace": true})
	document := _with(_free, [_rival, rival])
	rule.report == {{
		"verdict": "fail",
		"target": "slug",
		"message": "slug acme belongs to Tenant acme-new",
		"evidence": {"tenant": document.object.tenant[0], "rival": rival},
	}} with input as document
	_verdict == "fail" with input as document
}

test_fail_when_it_comes_later if {
	every document in [
		_with(_new, [_rival]),
		_with(_free, [object.union(_rival, {"createdAt": "2026-11-20T07:59:59Z"})]),
		_with(_free, [object.union(_rival, {"createdAt": "2026-11-20T08:00:00Z", "name": "acme"})]),
		_with(_new, [object.union(_rival, {"createdAt": "", "name": "acme"})]),
		_with({}, [object.union(_rival, {"ownsNamespace": true, "createdAt": "2026-11-20T07:00:00Z"})]),
	] {
		_verdict == "fail" with input as document
	}
}

# Of two rivals exactly one fails, whichever is judged.
test_pass_of_one_is_fail_of_the_other if {
	every rival in [_rival, object.union(_rival, {"createdAt": ""}), object.union(_rival, {"ownsNamespace": true}), object.union(_rival, {"name": "a"})] {
		mine := _with(_free, [rival])
		theirs := json.patch(
			_with(rival, [object.union(_rival, {
				"name": "acme-corp",
				"createdAt": fixture.good.object.tenant[0].createdAt,
			})]),
			[{"op": "replace", "path": "/subject/name", "value": rival.name}],
		)
		words := {word | some document in [mine, theirs]; word := _verdict with input as document}
		words == {"pass", "fail"}
	}
}

test_unknown_without_tenant if {
	document := json.patch(fixture.good, [{"op": "replace", "path": "/object/tenant", "value": []}])
	_verdict == "unknown" with input as document
	rule.report == {{"verdict": "unknown", "target": "slug", "message": "the Tenant is not described"}} with input as document
}

test_malformed_facts_do_not_pass if {
	every document in [
		{},
		json.remove(fixture.good, ["object"]),
		_with({}, null),
		_with({}, [{}]),
		_with(_free, [json.remove(_rival, ["createdAt"])]),
		_with({}, [json.remove(_rival, ["ownsNamespace"])]),
		json.patch(fixture.good, [{"op": "remove", "path": "/object/tenant/0/rivals"}]),
	] {
		not _verdict in {"pass", "not-applicable"} with input as document
	}
}
