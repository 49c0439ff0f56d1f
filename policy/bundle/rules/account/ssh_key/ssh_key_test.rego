package cato.rules.account.ssh_key_test

import data.cato.lib.holding_fixture_test as fixture
import data.cato.lib.verdict
import data.cato.rules.account.ssh_key as rule

passing := {fixture.ssh_key, fixture.rsa_key}

_verdict := verdict.of(rule.judged, rule.report)

_set(path, value) := json.patch(fixture.rsa_key, [{"op": "replace", "path": path, "value": value}])

test_pass_of_a_strong_key if {
	every document in [
		fixture.ssh_key,
		fixture.rsa_key,
		_set("/object/sshKey/0/bits", 2048),
		_set("/object/sshKey/0/type", "ecdsa-sha2-nistp256"),
		_set("/object/sshKey/0/type", "sk-ssh-ed25519@openssh.com"),
	] {
		_verdict == "pass" with input as document
	}
}

test_fail_of_a_weak_key if {
	every document in [
		_set("/object/sshKey/0/bits", 2047),
		_set("/object/sshKey/0/bits", 1024),
		_set("/object/sshKey/0/type", "ssh-dss"),
		_set("/object/sshKey/0/type", "ssh-mldsa-44"),
		_set("/object/sshKey/0/type", "SSH-ED25519"),
	] {
		_verdict == "fail" with input as document
	}
}

test_fail_of_a_key_that_cannot_be_read if {
	document := json.patch(fixture.ssh_key, [
		{"op": "replace", "path": "/object/sshKey/0/valid", "value": false},
		{"op": "replace", "path": "/object/sshKey/0/problem", "value": "has more than one line"},
	])
	_verdict == "fail" with input as document
	rule.report == {{
		"verdict": "fail",
		"target": "publicKey",
		"message": "spec.publicKey has more than one line",
		"evidence": {"key": document.object.sshKey[0]},
	}} with input as document
}

# The size decides for RSA: one that is not told proves nothing.
test_unknown_without_a_size if _verdict == "unknown" with input as json.remove(fixture.rsa_key, ["object/sshKey/0/bits"])

test_malformed_facts_do_not_pass if {
	every document in [
		{},
		json.remove(fixture.ssh_key, ["object"]),
		_set("/object/sshKey", []),
		_set("/object/sshKey/0/type", null),
		_set("/object/sshKey/0/bits", null),
		_set("/object/sshKey/0/valid", null),
	] {
		not _verdict in {"pass", "not-applicable"} with input as document
	}
}
