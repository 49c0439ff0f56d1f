package cato.grants.unverified_disk_test

import data.cato.grants.unverified_disk as grant
import data.cato.lib.machine_fixture_test as machine

passing := _with(true, {"source": "upload", "phase": "Succeeded"})

_with(allowed, step) := object.union(machine.good, {
	"params": {"allowUnverifiedDisk": allowed},
	"disks": [object.union(disk, {"lineage": [object.union(import_, step) | some import_ in disk.lineage]}) |
		some disk in machine.good.disks
	],
})

test_given_for_a_complete_upload if {
	[reason | some reason in grant.given][0].because == "the profile allows guests whose disk nothing can verify" with input as passing
}

test_not_given_otherwise if {
	every document in [
		_with(false, {"source": "upload", "phase": "Succeeded"}),
		_with(true, {"source": "upload", "phase": "UploadReady"}),
		_with(true, {"source": "upload", "phase": "Failed", "reason": "ChecksumError"}),
		_with(true, {"source": "http", "phase": "Succeeded"}),
		_with(true, {"source": "pvc", "phase": "Succeeded"}),
		object.union(passing, {"disks": []}),
	] {
		grant.given == set() with input as document
	}
}

test_malformed_gives_nothing if {
	every document in [{}, _with("true", {"source": "upload", "phase": "Succeeded"}), _with(true, {"source": null, "phase": null})] {
		grant.given == set() with input as document
	}
}
