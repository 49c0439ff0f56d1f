# METADATA
# title: What makes the host bridges may change the nodes' networks and nothing else
# description: |
#   The pods that make the host bridges have the node's network and none of its processes, no token, and no volume but empty
#   ones. Each container has capability NET_ADMIN alone, beside it NET_RAW and NET_BIND_SERVICE where it serves DHCP that is
#   switched on; it is not privileged, gains no privilege, has a seccomp profile and a root file system that it cannot write.
#   What else of a pod could give a right or run a program is not set.
# custom:
#   id: HST-001
#   topic: host-bridge-privilege
#   severity: high
#   subjects: [ConfigMap]
#   judges: [plan, live]
#   enforces: [plan]
#   controls:
#     - {id: ac-6, statements: [ac-6_smt], objectives: [ac-6_obj]}
#   remediation: |
#     Undo what was changed of DaemonSet virtfoundry-bridge-setup, or delete it: the operator makes it anew. One that the operator
#     did not make is to be removed by who made it.
package cato.rules.host.privilege

import data.cato.lib.bridges
import data.cato.lib.result

# METADATA
# description: The pods as a whole, and each of their containers.
judged contains target if {
	some target in ["pods", "containers"]
	not bridges.nothing
}

# METADATA
# description: The pods have the node's network alone.
report contains result.pass("pods", {"bridges": input.bridges}) if {
	bridges.made
	every maker in input.bridges {
		maker.hostPID == false
		maker.hostIPC == false
		maker.token == false
		maker.others == []
		is_array(maker.volumes)
		every volume in maker.volumes {
			volume.kind == "emptyDir"
		}
	}
}

# METADATA
# description: The containers have what their task needs.
report contains result.pass("containers", {"bridges": input.bridges, "platform": input.object.platform}) if {
	bridges.made
	every maker in input.bridges {
		every container in maker.containers {
			_confined(container)
			is_array(container.adds)
			every capability in container.adds {
				_needed(capability, container)
			}
		}
	}
}

# METADATA
# description: The pods have more of the node, a token, or what nothing here needs.
report contains result.fail("pods", $"{maker.path} {problem}", {"maker": maker}) if {
	some maker in input.bridges
	some problem, is in _pod_problem(maker)
	is == true
}

# METADATA
# description: A volume could be the node's, or hold a token.
report contains result.fail("pods", $"{maker.path} has volume {volume.name} of {volume.kind}", {"maker": maker}) if {
	some maker in input.bridges
	some volume in maker.volumes
	volume.kind != "emptyDir"
}

# METADATA
# description: What is not looked at one by one is not to be there.
report contains result.fail("pods", $"{maker.path} sets {field}, which nothing here needs", {"maker": maker}) if {
	some maker in input.bridges
	some field in maker.others
}

# METADATA
# description: A container has more than its task needs.
report contains result.fail("containers", $"{container.path} {problem}", {"container": container}) if {
	some container in input.bridges[_].containers
	some problem, is in _container_problem(container)
	is == true
}

# METADATA
# description: Every system call of the node can be made.
report contains result.fail("containers", $"{container.path} has no seccomp profile", {"container": container}) if {
	some container in input.bridges[_].containers
	is_string(container.seccomp)
	not container.seccomp in {"RuntimeDefault", "Localhost"}
}

# METADATA
# description: What is not looked at one by one is not to be there.
report contains result.fail("containers", $"{container.path} sets {field}, which its task does not need", {"container": container}) if {
	some container in input.bridges[_].containers
	some field in container.others
}

# METADATA
# description: A container has a capability that its task does not need.
report contains result.fail("containers", message, {"container": container, "platform": input.object.platform}) if {
	some container in input.bridges[_].containers
	some capability in container.adds
	_beyond(capability, container)
	message := $"{container.path} has capability {capability}, which its task does not need"
}

# METADATA
# description: It is to be made.
report contains result.unknown("pods", "the DaemonSet that makes the bridges does not exist yet") if bridges.awaited

# METADATA
# description: There is nothing, and is to be nothing.
report contains result.not_applicable("both networks are switched off, and nothing makes a bridge") if bridges.nothing

_confined(container) if {
	container.privileged == false
	container.escalates == false
	container.dropsAll == true
	container.readOnly == true
	container.others == []
	container.seccomp in {"RuntimeDefault", "Localhost"}
}

_needed("NET_ADMIN", _)

_needed(capability, container) if {
	capability in {"NET_RAW", "NET_BIND_SERVICE"}
	container.runs == "dhcp"
	some platform in input.object.platform
	platform.dhcp == true
}

_beyond(capability, _) if not capability in {"NET_ADMIN", "NET_RAW", "NET_BIND_SERVICE"}

_beyond(capability, container) if {
	capability in {"NET_RAW", "NET_BIND_SERVICE"}
	container.runs in {"bridge", "other"}
}

_beyond(capability, container) if {
	capability in {"NET_RAW", "NET_BIND_SERVICE"}
	container.runs == "dhcp"
	some platform in input.object.platform
	platform.dhcp == false
}

_pod_problem(maker) := {
	"sees the processes of the node (hostPID)": maker.hostPID,
	"shares the node's IPC (hostIPC)": maker.hostIPC,
	"has a ServiceAccount's token": maker.token,
}

_container_problem(container) := {
	"is privileged": container.privileged,
	"may gain privileges (allowPrivilegeEscalation)": container.escalates,
	"keeps the runtime's default capabilities (drop ALL is missing)": container.dropsAll == false,
	"writes its root file system (readOnlyRootFilesystem is not true)": container.readOnly == false,
}
