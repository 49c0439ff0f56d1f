package cato.rules.host.bridges_test

import data.cato.lib.bridges_fixture_test as fixture
import data.cato.lib.verdict
import data.cato.rules.host.bridges as rule

passing := {fixture.both, fixture.planned, fixture.serving}

_verdict := verdict.of(rule.judged, rule.report)

_set(path, value) := json.patch(fixture.serving, [{"op": "replace", "path": path, "value": value}])

# _with gives the first container, which makes the bridge of network public, another variable of a name.
_with(name, value) := _set("/bridges/0/containers/0/variables", [_changed(variable, name, value) | some variable in fixture.public.variables])

_changed(variable, name, value) := object.union(variable, {"value": value}) if variable.name == name

_changed(variable, name, _) := variable if variable.name != name

_messages(document) := messages if {
	messages := {entry.message | some entry in rule.report; entry.verdict == "fail"} with input as document
}

test_pass_of_what_is_asked_for if {
	every document in passing {
		_verdict == "pass" with input as document
	}
}

test_fail_of_what_nobody_asks_for if {
	every document in [
		_set("/object/platform/0/bridges", []),
		_set("/bridges/0/namespace", "default"),
		_set("/bridges/0/hostNetwork", false),
		_set("/object/platform/0/dhcp", false),
		_set("/bridges/0/containers", [fixture.public, fixture.isolated]),
		_set("/bridges/0/containers", [fixture.public, fixture.dhcp]),
		_with("BRIDGE", "br0"),
		_set("/bridges", [fixture.maker, object.union(fixture.maker, {"namespace": "default"})]),
	] {
		_verdict == "fail" with input as document
	}
}

# An interface of a node is in a bridge when the configuration names it, and never else.
test_fail_of_an_uplink_that_is_not_named if {
	_messages(_with("UPLINK", "eth0")) == {"DaemonSet kube-system/virtfoundry-bridge-setup container public takes interface eth0 of the node into bridge vf-pub0, whose uplink it is not"}
	_messages(_with("UPLINK", "")) == {"DaemonSet kube-system/virtfoundry-bridge-setup container public leaves out eth1, the uplink of bridge vf-pub0"}
	_verdict == "fail" with input as _set("/object/platform/0/bridges/0/uplink", "")
}

test_fail_of_another_program if {
	every document in [
		_set("/bridges/0/containers/0/runs", "other"),
		_set("/bridges/0/containers/0/arguments", ["-x"]),
		_set("/bridges/0/containers/0/variables", array.concat(fixture.public.variables, [{"name": "PATH", "value": "/tmp", "from": ""}])),
		_set("/bridges/0/containers/0/variables", array.concat(fixture.public.variables, [{"name": "INTERVAL", "value": "", "from": "other"}])),
		_set("/bridges/0/containers/2/variables", [{"name": "LD_PRELOAD", "value": "/tmp/x", "from": ""}]),
		_set("/bridges/0/containers/2/arguments", array.concat(fixture.dhcp.arguments, ["--dhcp-script=/tmp/x"])),
		_set("/bridges/0/containers/2/arguments", ["--interface=eth0"]),
	] {
		_verdict == "fail" with input as document
	}
}

test_unknown_of_what_is_not_there_yet if _verdict == "unknown" with input as fixture.awaited

test_unknown_where_the_configuration_is_not_known if {
	_verdict == "unknown" with input as json.patch(fixture.both, [{"op": "replace", "path": "/object/platform", "value": []}])
}

# Which of two values the script reads is not for a rule to guess.
test_unknown_of_a_variable_that_is_there_twice if {
	twice := array.concat(fixture.public.variables, [{"name": "UPLINK", "value": "eth1", "from": ""}])
	_verdict == "unknown" with input as _set("/bridges/0/containers/0/variables", twice)
}

test_not_applicable_with_both_networks_off if _verdict == "not-applicable" with input as fixture.off

test_malformed_facts_do_not_pass if {
	every document in [
		{},
		json.remove(fixture.both, ["bridges"]),
		json.remove(fixture.off, ["object"]),
		_set("/bridges", null),
		_set("/bridges/0/containers", []),
		_set("/bridges/0/containers/0/variables", null),
		_set("/bridges/0/containers/0/arguments", null),
		_set("/bridges/0/containers/0/runs", null),
		_set("/object/platform/0/bridges", null),
		_set("/object/platform/0/dhcp", null),
		_set("/bridges/0/hostNetwork", null),
	] {
		not _verdict in {"pass", "not-applicable"} with input as document
	}
}
