package cato.rules.namespace.slug_test

import data.cato.lib.tenant_fixture_test as fixture
import data.cato.lib.verdict
import data.cato.rules.namespace.slug as rule

passing := {fixture.good, fixture.planned}

_verdict := verdict.of(rule.judged, rule.report)

_slug(slug) := json.patch(fixture.good, [{"op": "replace", "path": "/object/tenant/0/slug", "value": slug}])

_letters(n) := concat("", [letter | some _ in numbers.range(1, n); letter := "a"])

test_pass_of_a_dns_label if {
	_verdict == "pass" with input as fixture.good
	rule.report == {{"verdict": "pass", "target": "slug", "evidence": {"tenant": fixture.good.object.tenant[0]}}} with input as fixture.good
}

test_pass_at_the_limit if _verdict == "pass" with input as _slug(_letters(44))

test_fail_beyond_the_limit if {
	document := _slug(_letters(45))
	_verdict == "fail" with input as document
	rule.report == {{
		"verdict": "fail",
		"target": "slug",
		"message": $"slug {_letters(45)} (45 characters) is not a DNS label of at most 44 characters",
		"evidence": {"tenant": document.object.tenant[0]},
	}} with input as document
}

test_fail_of_what_is_no_dns_label if {
	every slug in ["", "-", "-a", "a-", "Acme", "a_b", "a.b", "ä", "a b", "a\n"] {
		_verdict == "fail" with input as _slug(slug)
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
		json.patch(fixture.good, [{"op": "replace", "path": "/object/tenant", "value": null}]),
		json.patch(fixture.good, [{"op": "remove", "path": "/object/tenant/0/slug"}]),
	] {
		not _verdict in {"pass", "not-applicable"} with input as document
	}
}
