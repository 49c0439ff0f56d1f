package cato.lib.guest_test

import data.cato.lib.guest
import data.cato.lib.machine_fixture_test as machine

_told := machine.good.guest

_data := _told.userData[0]

_with(change) := object.union(machine.good, {"guest": object.union(_told, change)})

_blind(document) := reasons if reasons := guest.blind with input as document

_read(document) if guest.read with input as document

test_all_is_read if {
	_read(machine.good)
	_blind(machine.good) == set()
}

test_what_was_not_read_is_named if {
	part := object.union(_data, {"decoded": {"unread": [{"part": "part 2", "reason": "an include"}]}})
	_blind(_with({"userData": [part]})) == {$"{_data.path} part 2: an include"}
	not _read(_with({"userData": [part]}))
	_blind(_with({"otherSeeds": [{"path": "VirtualMachine/v spec", "reason": "is a seed"}]})) == {"VirtualMachine/v spec: is a seed"}
	not _read(_with({"otherSeeds": [{"path": "VirtualMachine/v spec", "reason": "is a seed"}]}))
}

test_each_form_counts if {
	every missing in machine.good.network.launchers {
		seeded := [launcher.name | some launcher in machine.good.network.launchers; launcher.name != missing.name]
		_blind(_with({"seeded": seeded})) == {$"{missing.path} has no cloud-init user data: what the guest does is left to its image"}
		not _read(_with({"seeded": seeded}))
	}
	not _read(_with({"userData": []}))
	not _read(object.union(machine.good, {"network": {"launchers": []}}))
}

test_unconfigured_only_without_anything if {
	bare := {"osType": "windows", "userData": []}
	guest.unconfigured with input as _with(bare)
	every change in [{"osType": "linux"}, {"osType": ""}, {"userData": [_data]}, {"otherSeeds": [{"path": "VirtualMachine/v spec", "reason": "is a seed"}]}, {"accessCredentials": [{}]}] {
		not _is_unconfigured(_with(object.union(bare, change)))
	}
}

_is_unconfigured(document) if guest.unconfigured with input as document

test_settings_of_sshd if {
	guest.keeps({"effect": "hardens"})
	guest.keeps({"effect": "other"})
	not guest.keeps({"effect": "weakens"})
	not guest.keeps({"effect": ""})
	guest.password_settings & guest.key_settings == set()
}
