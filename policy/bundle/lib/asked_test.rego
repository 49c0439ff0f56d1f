package cato.lib.asked_test

import data.cato.lib.asked
import data.cato.lib.instance_fixture_test as fixture
import data.cato.lib.machine_fixture_test as machine

_origin := machine.good.disks[0].lineage[0]

_other := json.patch(_origin, [{"op": "replace", "path": "/checksum/0/digest", "value": "ffff"}])

_image := {"algorithm": "sha256", "digest": "9f2c"}

_of_image := json.patch(fixture.importing, [
	{"op": "replace", "path": "/object/instance/0/templates/0/checksum", "value": []},
	{"op": "replace", "path": "/object/instance/0/templates/0/import", "value": [_image]},
])

test_the_digest_of_the_template if {
	asked.by_template(_origin) with input as fixture.importing
	asked.by_template(object.union(_origin, {"checksum": [], "image": [_image]})) with input as _of_image
	every document in [fixture.importing, _of_image] {
		every origin in [_other, object.union(_origin, {"checksum": []})] {
			not asked.by_template(origin) with input as document
			message := asked.otherwise(origin) with input as document
			startswith(message, "SourceChanged: DataVolume mission-a/web-dv was made of other content")
		}
	}
}

test_a_machine_of_no_instance_has_no_template if {
	asked.by_template(_other) with input as machine.good
	not asked.otherwise(_other) with input as machine.good
}

test_nothing_is_asked_for_where_that_is_not_known if {
	every document in [
		{},
		fixture.good,
		json.remove(fixture.importing, ["object/instance/0/templates"]),
		json.remove(fixture.importing, ["object/instance/0/templates/0/checksum"]),
		json.patch(fixture.importing, [{"op": "replace", "path": "/object/instance/0/templates", "value": []}]),
		json.patch(fixture.importing, [{"op": "replace", "path": "/object/instance/0/templates/0/checksum", "value": null}]),
	] {
		not asked.by_template(_origin) with input as document
	}
}
