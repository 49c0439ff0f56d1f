package cato.lib.boot_test

import data.cato.lib.boot
import data.cato.lib.machine_fixture_test as machine

_root := machine.good.disks[0]

_seed := machine.good.disks[1]

_is_settled(disks) if boot.settled with input as {"disks": disks}

_running(disk, boots) := object.union(disk, {"launcher": "instance", "boot": boots})

test_the_disk_that_boots if {
	boot.disks == {_root} with input as machine.good
	boot.settled with input as machine.good
	boot.target(_root) == "template rootdisk"
}

test_an_instance_may_boot_from_another_disk if {
	other := object.union(_running(_root, true), {"name": "other"})
	boot.disks == {_root, other} with input as {"disks": [_root, _running(_root, false), other]}
	_is_settled([_root, _running(_root, false), other])
}

test_an_instance_may_differ_in_what_does_not_boot if _is_settled([_root, _seed, _running(_seed, false)])

test_unsettled if {
	every disks in [
		[],
		null,
		[_seed],
		[_running(_root, true)],
		[_root, _running(_root, false)],
		[_root, object.remove(_seed, ["boot"])],
		[_root, object.union(_seed, {"boot": null})],
	] {
		not _is_settled(disks)
	}
	boot.unsettled == "which disk the machine boots from cannot be told"
}
