package cato.rules.guest.root_scripts_test

import data.cato.lib.machine_fixture_test as machine
import data.cato.lib.verdict
import data.cato.rules.guest.root_scripts as rule

passing := {object.union(_running([_plain, _welcome]), {"moment": moment}) | some moment in ["admission", "plan", "live"]}

_data := machine.good.guest.userData[0]

_plain := _script([])

_welcome := _script(["password-lock", "sshd-harden", "sudoers", "user-keys"])

_script(touches) := {
	"path": "runcmd[0]",
	"origin": "runcmd",
	"file": "",
	"touches": touches,
	"opaque": [],
}

_with(list) := object.union(machine.good, {"guest": object.union(machine.good.guest, {"userData": list})})

_running(scripts) := _with([object.union(_data, {"decoded": {"scripts": scripts}})])

_reports(document) := entries if entries := rule.report with input as document

_judge(document) := word if {
	word := verdict.of({t | some t in rule.judged}, rule.report) with input as document
}

_same(one, other) if one == other

_unknown_because(script, reason) if {
	_same(_reports(_running([script])), {{
		"verdict": "unknown",
		"target": "scripts",
		"message": $"{_data.path} runcmd[0] (runcmd): {reason}",
	}})
	_judge(_running([script])) == "unknown"
}

test_pass if {
	every document in passing {
		_judge(document) == "pass"
	}
	document := _running([_plain])
	_same(_reports(document), {{"verdict": "pass", "target": "scripts", "evidence": {"userData": document.guest.userData}}})
}

test_pass_for_passwords if _judge(_running([_script(["password"])])) == "pass"

test_fail_names_the_script if {
	keys := _script(["root-keys"])
	found := {entry | some entry in _reports(_running([_plain, keys])); entry.verdict == "fail"}
	_same(found, {{
		"verdict": "fail",
		"target": "scripts",
		"message": $"{_data.path} runcmd[0] (runcmd) touches root's keys",
		"evidence": {"script": keys},
	}})
	_judge(_running([_plain, keys])) == "fail"
}

test_unknown_for_sshd_and_accounts if {
	_unknown_because(_script(["sshd"]), "it touches sshd")
	_unknown_because(_script(["root-account"]), "it touches root-account")
	_judge(_running([_script(["accounts"])])) == "pass"
}

test_unknown_for_what_does_not_show_what_it_does if {
	every why in ["fetched", "encoded", "binary", "obfuscated", "interpreter", "too-large"] {
		_unknown_because(object.union(_plain, {"opaque": [why]}), $"it is {why}, so it does not show what it does")
	}
}

test_unknown_for_changes_of_pam_and_cloud_init if {
	every touch in ["pam", "cloud-config", "something-new"] {
		_unknown_because(_script([touch]), $"it touches {touch}")
	}
}

test_malformed_script_is_unknown if {
	every change in [{"opaque": null}, {"touches": null}, {"touches": [null]}] {
		_judge(_running([object.union(_plain, change)])) == "unknown"
	}
}

test_unknown_when_facts_are_missing if {
	every broken in [{}, json.remove(machine.good, ["guest"]), _with(null), _running(null)] {
		_judge(broken) == "unknown"
	}
}

test_not_applicable_without_scripts if {
	every document in [machine.good, _with([])] {
		_same(_reports(document), {{"verdict": "not-applicable", "message": "the user data runs no script"}})
		_judge(document) == "not-applicable"
	}
}
