package cato.rules.guest.no_password_test

import data.cato.lib.machine_fixture_test as machine
import data.cato.lib.verdict
import data.cato.rules.guest.no_password as rule

passing := {object.union(document, {"moment": moment}) |
	some moment in ["admission", "plan", "live"]
	some document in [machine.good, _marked, _keys]
}

_data := machine.good.guest.userData[0]

_with(change) := object.union(machine.good, {"guest": object.union(machine.good.guest, change)})

_decoded(change) := _with({"userData": [object.union(_data, {"decoded": change})]})

_marked := _decoded({"passwords": [object.union(_password, {"kind": "marker", "usable": false, "why": "no password matches it"})]})

_keys := _with({"accessCredentials": [_credential("sshPublicKey")]})

_password := {
	"path": "users[1].hashed_passwd",
	"user": "breakglass",
	"mechanism": "hashed_passwd",
	"kind": "hash",
	"usable": true,
	"why": "",
}

_credential(kind) := {
	"path": "VirtualMachine/web spec.template.spec.accessCredentials[0]",
	"kind": kind,
	"method": "qemuGuestAgent",
	"users": [],
	"secret": "logins",
}

_reports(document) := entries if entries := rule.report with input as document

_judge(document) := word if {
	word := verdict.of({t | some t in rule.judged}, rule.report) with input as document
}

_same(one, other) if one == other

test_pass if {
	every document in passing {
		_judge(document) == "pass"
	}
	_same(_reports(machine.good), {{"verdict": "pass", "target": "guest", "evidence": {"guest": machine.good.guest}}})
}

test_fail_names_the_mechanism_and_never_the_value if {
	document := _decoded({"passwords": [_password]})
	_same(_reports(document), {{
		"verdict": "fail",
		"target": "guest",
		"message": $"{_data.path} users[1].hashed_passwd sets a usable password (hashed_passwd, hash)",
		"evidence": {"password": _password, "userData": document.guest.userData[0]},
	}})
	_judge(document) == "fail"
}

test_fail_whatever_the_kind if {
	every kind in ["text", "hash", "random", "empty"] {
		_judge(_decoded({"passwords": [object.union(_password, {"kind": kind})]})) == "fail"
	}
}

test_fail_for_a_password_by_the_guest_agent if {
	document := _with({"accessCredentials": [_credential("userPassword")]})
	found := {entry | some entry in _reports(document); entry.verdict == "fail"}
	_same(found, {{
		"verdict": "fail",
		"target": "guest",
		"message": $"{_credential("userPassword").path} sets passwords from Secret logins",
		"evidence": {"credential": _credential("userPassword")},
	}})
	_judge(document) == "fail"
	_judge(object.union(document, {"guest": {"osType": "windows", "userData": []}})) == "fail"
}

test_fail_outweighs_what_is_not_read if {
	_judge(_decoded({"passwords": [_password], "unread": [{"part": "part 2", "reason": "an include"}]})) == "fail"
}

test_malformed_credential_is_unknown if {
	every kind in ["", "other", null] {
		_judge(_with({"accessCredentials": [_credential(kind)]})) == "unknown"
	}
}

test_unknown_for_an_unlocked_account if {
	open := object.union(_data.decoded.users[0], {"lockPasswd": "false", "locked": false})
	_same(_reports(_decoded({"users": [open]})), {{
		"verdict": "unknown",
		"target": "guest",
		"message": $"{_data.path} users[0] does not lock the password of the account: the image may have one",
	}})
	_judge(_decoded({"users": [open]})) == "unknown"
}

test_unknown_for_a_password_whose_default_user_is_left_out if {
	kept := object.union(_password, {"mechanism": "password", "path": "password", "usable": false})
	dropped := _decoded({"defaultUser": "dropped", "passwords": [kept]})
	_same(_reports(dropped), {{
		"verdict": "unknown",
		"target": "guest",
		"message": $"{_data.path} password is for a default user, which the list of users leaves out",
	}})
	_judge(dropped) == "unknown"
	_judge(_decoded({"defaultUser": "dropped", "passwords": [object.union(kept, {"kind": "empty"})]})) == "pass"
}

test_unknown_if_not_all_is_read if {
	_judge(_decoded({"unread": [{"part": "part 2", "reason": "an include"}]})) == "unknown"
	_judge(_with({"userData": []})) == "unknown"
	_judge(_with({"otherSeeds": [{"path": "VirtualMachine/v spec", "reason": "is a seed"}]})) == "unknown"
}

test_unknown_when_facts_are_missing if {
	every broken in [
		{},
		json.remove(machine.good, ["guest"]),
		json.remove(machine.good, ["guest/accessCredentials"]),
		_with({"userData": null}),
		_decoded({"passwords": [object.union(_password, {"usable": null})]}),
	] {
		_judge(broken) == "unknown"
	}
}

test_not_applicable_to_windows_without_cloud_init if {
	windows := _with({"osType": "windows", "userData": []})
	_same(_reports(windows), {{"verdict": "not-applicable", "message": "a windows guest without cloud-init"}})
	_judge(windows) == "not-applicable"
}
