package cato.rules.guest.root_login_test

import data.cato.lib.machine_fixture_test as machine
import data.cato.lib.verdict
import data.cato.rules.guest.root_login as rule

passing := {object.union(document, {"moment": moment}) |
	some moment in ["admission", "plan", "live"]
	some document in [
		machine.good,
		_decoded({"users": [_root({"keys": 0})]}),
		_decoded({"disableRootOpts": "blocks", "sshd": [
			_setting("permitrootlogin", "no", "hardens"),
			_setting("passwordauthentication", "yes", "weakens"),
		]}),
		_decoded({"nested": [_nested({"disableRoot": "true"})]}),
		_with({"accessCredentials": [_credential(["ops"]), object.union(_credential([]), {"kind": "userPassword"})]}),
	]
}

_data := machine.good.guest.userData[0]

_with(change) := object.union(machine.good, {"guest": object.union(machine.good.guest, change)})

_decoded(change) := _with({"userData": [object.union(_data, {"decoded": change})]})

_root(change) := object.union(object.union(_data.decoded.users[0], {"name": "root", "root": true}), change)

_setting(keyword, value, effect) := {
	"path": "write_files[0]",
	"file": "/etc/ssh/sshd_config.d/10.conf",
	"keyword": keyword,
	"value": value,
	"inMatch": false,
	"effect": effect,
	"order": "before",
}

_nested(change) := object.union(
	{
		"path": "write_files[0]",
		"file": "/etc/cloud/cloud.cfg.d/99.cfg",
		"sshPasswordAuth": "unset",
		"disableRoot": "unset",
		"disableRootOpts": "unset",
	},
	change,
)

_credential(users) := {
	"path": "VirtualMachine/web spec.template.spec.accessCredentials[0]",
	"kind": "sshPublicKey",
	"method": "qemuGuestAgent",
	"users": users,
	"secret": "keys",
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

_unknown_because(change, doubt) if {
	document := _decoded(change)
	message := $"{_data.path} does not show that root is kept out: {doubt}"
	_same(_reports(document), {{"verdict": "unknown", "target": "guest", "message": message}})
	_judge(document) == "unknown"
}

test_pass if {
	every document in passing {
		_judge(document) == "pass"
	}
	_same(_reports(machine.good), {{"verdict": "pass", "target": "guest", "evidence": {"guest": machine.good.guest}}})
}

test_fail_if_root_is_let_in if {
	_fails({"disableRoot": "false"}, "disable_root lets root in: disable_root is false")
	_fails({"disableRootOpts": "permits"}, "disable_root_opts do not end a session of root")
	_fails({"rootKeys": [{"path": "users[0]", "kind": "import-id"}]}, "users[0] lets root in (import-id)")
	_fails({"users": [_root({})]}, "users[0] gives root authorized keys")
	_fails({"sshd": [_setting("permitrootlogin", "yes", "weakens")]}, "write_files[0] writes permitrootlogin yes for sshd")
	_fails({"nested": [_nested({"disableRoot": "false"})]}, "write_files[0] lets root in by /etc/cloud/cloud.cfg.d/99.cfg")
}

test_fail_if_the_guest_agent_writes_keys_for_root if {
	document := _with({"accessCredentials": [_credential(["ops", "root"])]})
	_same(_reports(document), {{
		"verdict": "fail",
		"target": "guest",
		"message": $"{_credential([]).path} gives root the keys of Secret keys",
		"evidence": {"credential": _credential(["ops", "root"])},
	}})
	_judge(document) == "fail"
}

test_fail_outweighs_what_is_not_read if {
	_judge(_decoded({"disableRoot": "false", "unread": [{"part": "part 2", "reason": "an include"}]})) == "fail"
}

test_malformed_credential_is_unknown if {
	_judge(_with({"accessCredentials": [object.union(_credential([]), {"kind": "other"})]})) == "unknown"
	_judge(_with({"accessCredentials": [_credential(null)]})) == "unknown"
}

test_unknown_if_left_to_the_image if _unknown_because({"disableRoot": "unset"}, "disable_root is left to the image")

test_unknown_if_something_may_let_root_in if {
	doubt := "a setting of sshd or cloud-init bears on it"
	_unknown_because({"sshd": [_setting("authorizedkeysfile", "/etc/keys/%u", "weakens")]}, doubt)
	_unknown_because({"sshd": [_setting("include", "/etc/x.conf", "weakens")]}, doubt)
	_unknown_because({"nested": [_nested({"disableRootOpts": "permits"})]}, doubt)
	_unknown_because({"users": [_root({"keys": 0, "importsKeys": true})]}, doubt)
}

test_unknown_if_not_all_is_read if {
	_judge(_decoded({"unread": [{"part": "part 2", "reason": "an include"}]})) == "unknown"
	_judge(_with({"userData": []})) == "unknown"
	_judge(_with({"otherSeeds": [{"path": "VirtualMachine/v spec", "reason": "is a seed"}]})) == "unknown"
}

test_unknown_when_facts_are_missing if {
	every broken in [{}, json.remove(machine.good, ["guest"]), _with({"userData": null}), _with({"accessCredentials": null})] {
		_judge(broken) == "unknown"
	}
}

test_not_applicable_to_windows_without_cloud_init if {
	windows := _with({"osType": "windows", "userData": []})
	_same(_reports(windows), {{"verdict": "not-applicable", "message": "a windows guest without cloud-init"}})
	_judge(windows) == "not-applicable"
}
