# METADATA
# title: The host bridges are those that the configuration asks for
# description: |
#   One DaemonSet, in the namespace that the configuration names, makes the bridge of each network that is switched on, and
#   nothing else; where both are off there is none. It takes no interface of a node into a bridge but the uplink that the
#   configuration names: one is never chosen from the cluster, and the script refuses one that carries an address or a route
#   of the node. DHCP is served where it is switched on. Each container runs the operator's script and nothing else.
# custom:
#   id: HST-003
#   topic: host-bridge-network
#   severity: high
#   subjects: [ConfigMap]
#   judges: [plan, live]
#   enforces: [plan]
#   controls:
#     - {id: cm-7, statements: [cm-7_smt.a], objectives: [cm-7_obj.a]}
#     - {id: sc-7, statements: [sc-7_smt.a], objectives: [sc-7_obj.a-4]}
#   remediation: |
#     Switch on in ConfigMap virtfoundry-platform what is wanted (networking.public.enabled, networking.isolated.enabled), name
#     the uplink in networking.public.bridge.uplink, and undo what was changed of DaemonSet virtfoundry-bridge-setup by hand.
package cato.rules.host.bridges

import data.cato.lib.bridges
import data.cato.lib.result

# METADATA
# description: Which bridges there are, and what runs for them.
judged contains target if {
	some target in ["networks", "tasks"]
	not bridges.nothing
}

# METADATA
# description: Each bridge that is asked for is made once, with its uplink.
report contains result.pass("networks", {"bridges": input.bridges, "platform": input.object.platform}) if {
	bridges.made
	bridges.asked
	some platform in input.object.platform
	[maker] := input.bridges
	maker.namespace == platform.namespace
	maker.hostNetwork == true
	_made(maker) == sort([{"bridge": wish.bridge, "uplink": wish.uplink} | some wish in platform.bridges])
	_serving(maker) == _served(platform)
}

# METADATA
# description: Each container does one of the two tasks.
report contains result.pass("tasks", {"bridges": input.bridges, "platform": input.object.platform}) if {
	bridges.made
	every maker in input.bridges {
		every container in maker.containers {
			_task(container)
		}
	}
}

# METADATA
# description: Nothing is asked for.
report contains result.fail("networks", $"{maker.path} is there although both networks are switched off", {"maker": maker}) if {
	some maker in input.bridges
	bridges.off
}

# METADATA
# description: It is not where the configuration says.
report contains result.fail("networks", $"{maker.path} is not in namespace {platform.namespace}, which networking.bridge.namespace names", {"maker": maker}) if {
	some maker in input.bridges
	some platform in input.object.platform
	maker.namespace != platform.namespace
}

# METADATA
# description: Bridges of a pod's own network are none of the node.
report contains result.fail("networks", $"{maker.path} has not the node's network (hostNetwork), so that it makes no bridge of a node", {"maker": maker}) if {
	some maker in input.bridges
	maker.hostNetwork == false
}

# METADATA
# description: A bridge is made that no network has.
report contains result.fail("networks", $"{container.path} makes bridge {bridge}, which no network of the configuration has", {"container": container}) if {
	some container in input.bridges[_].containers
	bridge := _value(container, "BRIDGE")
	some platform in input.object.platform
	every wish in platform.bridges {
		wish.bridge != bridge
	}
}

# METADATA
# description: An interface of the node goes into a bridge without being named for it.
report contains result.fail("networks", $"{container.path} takes interface {uplink} of the node into bridge {wish.bridge}, whose uplink it is not", {"container": container, "wish": wish}) if {
	some container in input.bridges[_].containers
	some platform in input.object.platform
	some wish in platform.bridges
	wish.bridge == _value(container, "BRIDGE")
	uplink := _value(container, "UPLINK")
	not uplink in {"", wish.uplink}
}

# METADATA
# description: The uplink that is asked for is left out.
report contains result.fail("networks", $"{container.path} leaves out {wish.uplink}, the uplink of bridge {wish.bridge}", {"container": container, "wish": wish}) if {
	some container in input.bridges[_].containers
	some platform in input.object.platform
	some wish in platform.bridges
	wish.bridge == _value(container, "BRIDGE")
	wish.uplink != ""
	_value(container, "UPLINK") == ""
}

# METADATA
# description: A bridge that is asked for is not made.
report contains result.fail("networks", $"{maker.path} does not make bridge {wish.bridge} of network {wish.network}", {"maker": maker, "wish": wish}) if {
	some maker in input.bridges
	some platform in input.object.platform
	some wish in platform.bridges
	every container in maker.containers {
		not _makes(container, wish.bridge)
	}
}

# METADATA
# description: DHCP is served where it is not to be, or the other way round.
report contains result.fail("networks", $"{maker.path} has {_serving(maker)} DHCP servers, and the configuration asks for {_served(platform)}", {"maker": maker, "platform": platform}) if {
	some maker in input.bridges
	some platform in input.object.platform
	_serving(maker) != _served(platform)
}

# METADATA
# description: Another program runs with the right to change the nodes' networks.
report contains result.fail("tasks", $"{container.path} runs something else than the operator's script of a bridge", {"container": container}) if {
	some container in input.bridges[_].containers
	container.runs == "other"
}

# METADATA
# description: The script is told what it does not take.
report contains result.fail("tasks", $"{container.path} has {what}, which its script does not take", {"container": container}) if {
	some container in input.bridges[_].containers
	container.runs in {"bridge", "dhcp"}
	some what in _strange(container)
}

# METADATA
# description: It is to be made.
report contains result.unknown("networks", "the DaemonSet that makes the bridges does not exist yet") if bridges.awaited

# METADATA
# description: There is nothing, and is to be nothing.
report contains result.not_applicable("both networks are switched off, and nothing makes a bridge") if bridges.nothing

# The one value of a variable; undefined when it is read from elsewhere or given twice.
_value(container, name) := value if {
	[value] := [variable.value |
		some variable in container.variables
		variable.name == name
		variable.from == ""
	]
}

_makes(container, bridge) if _value(container, "BRIDGE") == bridge

_made(maker) := sort([{"bridge": _value(container, "BRIDGE"), "uplink": _value(container, "UPLINK")} |
	some container in maker.containers
	container.runs == "bridge"
])

_serving(maker) := count([container |
	some container in maker.containers
	container.runs == "dhcp"
])

_served(platform) := 1 if platform.dhcp == true

_served(platform) := 0 if platform.dhcp == false

_task(container) if {
	container.runs in {"bridge", "dhcp"}
	is_array(container.variables)
	is_array(container.arguments)
	every variable in container.variables {
		_taken(container, variable)
	}
	every argument in container.arguments {
		_option(container, argument)
	}
}

_strange(container) := {$"variable {variable.name}" |
	some variable in container.variables
	not _taken(container, variable)
} | {$"argument {argument}" |
	some argument in container.arguments
	not _option(container, argument)
}

_taken(container, variable) if {
	container.runs == "bridge"
	variable.name in {"BRIDGE", "UPLINK", "ADDRESS", "PREFIX_LENGTH", "INTERVAL"}
	variable.from == ""
}

_taken(container, variable) if {
	container.runs == "bridge"
	variable.name == "HOST_IP"
	variable.from == "status.hostIP"
}

_option(container, argument) if {
	container.runs == "dhcp"
	some prefix in ["--dhcp-range=", "--dhcp-option=option:router,", "--dhcp-option=option:dns-server,"]
	startswith(argument, prefix)
}

# Addresses are served on the bridge of network public alone.
_option(container, argument) if {
	container.runs == "dhcp"
	some platform in input.object.platform
	some wish in platform.bridges
	wish.network == "public"
	argument == $"--interface={wish.bridge}"
}
