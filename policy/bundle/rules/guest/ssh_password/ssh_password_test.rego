package cato.rules.guest.ssh_password_test

import data.cato.lib.machine_fixture_test as machine
import data.cato.lib.verdict
import data.cato.rules.guest.ssh_password as rule

passing := {object.union(document, {"moment": moment}) |
	some moment in ["admission", "plan", "live"]
	some document in [
		machine.good,
		_decoded({"sshd": [_setting("passwordauthentication", "no", "hardens"), _setting("permitrootlogin", "yes", "weakens")]}),
		_decoded({"nested": [_nested("disabled")]}),
	]
}

_data := machine.good.guest.userData[0]

_with(list) := object.union(machine.good, {"guest": object.union(machine.good.guest, {"userData": list})})

_changed(change) := object.union(_data, {"decoded": change})

_decoded(change) := _with([_changed(change)])

_setting(keyword, value, effect) := {
	"path": "write_files[0]",
	"file": "/etc/ssh/sshd_config.d/10.conf",
	"keyword": keyword,
	"value": value,
	"inMatch": false,
	"effect": effect,
	"order": "before",
}

_nested(auth) := {
	"path": "write_files[0]",
	"file": "/etc/cloud/cloud.cfg.d/99.cfg",
	"sshPasswordAuth": auth,
	"disableRoot": "unset",
	"disableRootOpts": "unset",
}

_reports(document) := entries if entries := rule.report with input as document

_judge(document) := word if {
	word := verdict.of({t | some t in rule.judged}, rule.report) with input as document
}

_same(one, other) if one == other

_fails(change, problem) if {
	document := _decoded(change)
	_same(_reports(document), {{
		"verdict": "fail",
		"target": "guest",
		"message": $"{_data.path} {problem}",
		"evidence": {"userData": document.guest.userData[0]},
	}})
	_judge(document) == "fail"
}

test_pass if {
	every document in passing {
		_judge(document) == "pass"
	}
	_same(_reports(machine.good), {{"verdict": "pass", "target": "guest", "evidence": {"userData": [_data]}}})
}

test_fail_if_passwords_are_turned_on if _fails({"sshPasswordAuth": "enabled"}, "ssh_pwauth turns SSH password logins on")

test_fail_if_left_to_the_image if {
	every state in ["unset", "unchanged"] {
		_fails({"sshPasswordAuth": state}, $"leaves SSH password logins to the image (ssh_pwauth is {state})")
	}
}

test_fail_for_ignored_data if _judge(_decoded({"format": "ignored", "sshPasswordAuth": "unset"})) == "fail"

test_fail_if_sshd_is_told_otherwise if {
	every keyword in ["passwordauthentication", "kbdinteractiveauthentication", "permitemptypasswords", "authenticationmethods"] {
		_fails({"sshd": [_setting(keyword, "yes", "weakens")]}, $"write_files[0] writes {keyword} yes for sshd")
	}
}

test_fail_if_a_written_configuration_turns_it_on if {
	_fails({"nested": [_nested("enabled")]}, "write_files[0] turns SSH password logins on by /etc/cloud/cloud.cfg.d/99.cfg")
}

test_fail_if_only_one_form_is_bad if {
	running := object.union(_changed({"sshPasswordAuth": "enabled"}), {"launcher": "instance"})
	_judge(_with([_data, running])) == "fail"
	template := _changed({"sshPasswordAuth": "enabled"})
	_judge(_with([template, object.union(_data, {"launcher": "instance"})])) == "fail"
}

test_fail_outweighs_what_is_not_read if {
	_judge(_decoded({"sshPasswordAuth": "enabled", "unread": [{"part": "part 2", "reason": "an include"}]})) == "fail"
}

test_malformed_value_fails if _fails(
	{"sshPasswordAuth": "invalid"},
	"leaves SSH password logins to the image (ssh_pwauth is invalid)",
)

test_unknown_if_not_all_is_read if {
	every state in ["disabled", "unset"] {
		_judge(_decoded({"sshPasswordAuth": state, "unread": [{"part": "part 2", "reason": "an include"}]})) == "unknown"
	}
	_judge(_with([])) == "unknown"
	_judge(object.union(machine.good, {"guest": object.union(machine.good.guest, {"otherSeeds": [{"path": "VirtualMachine/v spec", "reason": "is a seed"}]})})) == "unknown"
}

test_unknown_if_a_drop_in_may_turn_it_off if {
	off := _setting("passwordauthentication", "no", "hardens")
	_judge(_decoded({"sshPasswordAuth": "unset", "sshd": [off]})) == "unknown"
	_judge(_decoded({"sshPasswordAuth": "unset", "sshd": [object.union(off, {"inMatch": true})]})) == "fail"
}

test_unknown_settings_prove_nothing if {
	_judge(_decoded({"sshd": [_setting("include", "/etc/x.conf", "weakens")]})) == "unknown"
	_judge(_decoded({"sshd": [_setting("new", "yes", "")]})) == "unknown"
	_judge(_decoded({"nested": [_nested("invalid")]})) == "unknown"
	_judge(_decoded({"sshPasswordAuth": ""})) == "unknown"
}

test_unknown_when_facts_are_missing if {
	every broken in [{}, json.remove(machine.good, ["guest"]), json.remove(machine.good, ["guest/userData"]), _with(null)] {
		_judge(broken) == "unknown"
	}
}

test_not_applicable_to_windows_without_cloud_init if {
	windows := object.union(machine.good, {"guest": object.union(machine.good.guest, {"osType": "windows", "userData": []})})
	_same(_reports(windows), {{"verdict": "not-applicable", "message": "a windows guest without cloud-init"}})
	_judge(windows) == "not-applicable"
}
