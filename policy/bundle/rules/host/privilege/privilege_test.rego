package cato.rules.host.privilege_test

import data.cato.lib.bridges_fixture_test as fixture
import data.cato.lib.verdict
import data.cato.rules.host.privilege as rule

passing := {fixture.both, fixture.planned, fixture.serving}

_verdict := verdict.of(rule.judged, rule.report)

_set(path, value) := json.patch(fixture.serving, [{"op": "replace", "path": path, "value": value}])

# _dhcp is where the fixture's DHCP server is.
_dhcp := "/bridges/0/containers/2"

test_pass_with_what_the_tasks_need if {
	every document in passing {
		_verdict == "pass" with input as document
	}
	_verdict == "pass" with input as _set("/bridges/0/volumes", [])
	_verdict == "pass" with input as _set("/bridges/0/containers/0/seccomp", "Localhost")
}

test_fail_of_pods_with_more_of_the_node if {
	every change in [
		["/bridges/0/hostPID", true],
		["/bridges/0/hostIPC", true],
		["/bridges/0/token", true],
		["/bridges/0/volumes", [{"name": "root", "kind": "hostPath"}]],
		["/bridges/0/others", ["shareProcessNamespace"]],
	] {
		_verdict == "fail" with input as _set(change[0], change[1])
	}
}

test_fail_of_containers_with_more_than_their_task_needs if {
	every change in [
		["/privileged", true],
		["/escalates", true],
		["/dropsAll", false],
		["/readOnly", false],
		["/seccomp", "Unconfined"],
		["/seccomp", ""],
		["/others", ["lifecycle"]],
		["/adds", ["NET_ADMIN", "SYS_ADMIN"]],
		["/adds", ["CAP_NET_ADMIN"]],
		["/adds", ["ALL"]],
	] {
		every container in ["/bridges/0/containers/0", _dhcp] {
			_verdict == "fail" with input as _set(concat("", [container, change[0]]), change[1])
		}
	}
}

# Raw sockets are for the server alone, and only where there is to be one.
test_fail_of_raw_sockets_elsewhere if {
	_verdict == "fail" with input as _set("/bridges/0/containers/0/adds", ["NET_ADMIN", "NET_RAW"])
	_verdict == "fail" with input as _set("/object/platform/0/dhcp", false)
	_verdict == "fail" with input as _set($"{_dhcp}/runs", "other")
}

test_fail_names_container_and_right if {
	some entry in rule.report with input as _set($"{_dhcp}/adds", ["NET_ADMIN", "SYS_MODULE"])
	entry.message == "DaemonSet kube-system/virtfoundry-bridge-setup container dhcp has capability SYS_MODULE, which its task does not need"
}

test_unknown_of_what_is_not_there_yet if _verdict == "unknown" with input as fixture.awaited

test_unknown_where_the_configuration_is_not_known if _verdict == "unknown" with input as _set("/object/platform", [])

test_not_applicable_with_both_networks_off if _verdict == "not-applicable" with input as fixture.off

test_malformed_facts_do_not_pass if {
	every document in [
		{},
		json.remove(fixture.both, ["bridges"]),
		json.remove(fixture.off, ["object"]),
		_set("/bridges", null),
		_set("/bridges/0/containers", null),
		_set("/bridges/0/containers", []),
		_set("/bridges/0/volumes", null),
		_set("/bridges/0/others", null),
		_set($"{_dhcp}/adds", null),
		_set($"{_dhcp}/runs", null),
		_set("/object/platform/0/dhcp", null),
	] {
		not _verdict in {"pass", "not-applicable"} with input as document
	}
}
