package cato.grants.cross_namespace_source_test

import data.cato.grants.cross_namespace_source as grant
import data.cato.lib.machine_fixture_test.good

_source := {
	"path": "spec.dataSourceRef",
	"kind": "DataSource",
	"namespace": "golden",
	"name": "linux-9",
	"labels": {},
}

_catalogued := object.union(_source, {"labels": {"cato.dev/golden-catalogue": "true"}})

_grant := {"selects": true, "reason": "the platform's images", "namespaces": ["golden", "shared"]}

_document(foreign, grants) := json.patch(good, [
	{"op": "replace", "path": "/foreign", "value": foreign},
	{"op": "replace", "path": "/params/grants/crossNamespaceSources", "value": grants},
])

passing := {_document([_source], [_grant]), _document([_catalogued], [])}

test_given_for_what_the_profile_lists if {
	secret := object.union(_source, {"kind": "Secret", "namespace": "shared"})
	grant.given == {{
		"because": "each source lies in a namespace that the profile lists, or is an image of a golden catalogue",
		"evidence": {"foreign": [_source, secret], "grants": [_grant]},
	}} with input as _document([_source, secret], [_grant])
}

test_given_for_the_images_of_a_catalogue if {
	every kind in ["DataSource", "PersistentVolumeClaim", "VolumeSnapshot"] {
		grant.given != set() with input as _document([object.union(_catalogued, {"kind": kind})], [])
	}
}

test_not_given_for_what_else_lies_in_a_catalogue if {
	every kind in ["Secret", "NetworkAttachmentDefinition", ""] {
		grant.given == set() with input as _document([object.union(_catalogued, {"kind": kind})], [])
	}
}

test_not_given_otherwise if {
	other := object.union(_source, {"namespace": "mission-b"})
	every document in [
		_document([_source], []),
		_document([_source, other], [_grant]),
		_document([_source], [object.union(_grant, {"selects": false})]),
		_document([_source], [object.union(_grant, {"namespaces": ["golden-2"]})]),
		_document([object.union(_source, {"labels": {"cato.dev/golden-catalogue": "false"}})], []),
		_document([], [_grant]),
	] {
		grant.given == set() with input as document
	}
}

test_malformed_facts_give_nothing if {
	every document in [
		{},
		json.remove(_document([_source], [_grant]), ["foreign"]),
		json.remove(_document([_source], [_grant]), ["params"]),
		_document([object.union(_source, {"namespace": null})], [_grant]),
		_document([object.union(_source, {"namespace": ""})], [object.union(_grant, {"namespaces": [""]})]),
		_document([_source], [object.union(_grant, {"selects": "true"})]),
		_document([object.union(_source, {"labels": null})], []),
	] {
		grant.given == set() with input as document
	}
}
