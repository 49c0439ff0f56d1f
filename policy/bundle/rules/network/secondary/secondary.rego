# METADATA
# title: No network goes around NetworkPolicy
# description: |
#   Each NIC is bound to the pod network by masquerade, so that its traffic passes the launcher pod's policies, or
#   to a network of the machine's own namespace that its custom resource asks for and that is granted. An Instance's
#   shared networks may lie in the platform's namespace.
# custom:
#   id: NET-003
#   topic: secondary-network
#   severity: high
#   subjects: [UDSVirtualMachine, VirtualMachine, Instance]
#   enforces: [admission, plan]
#   parameters: [grants.secondaryNetworks]
#   controls:
#     - {id: sc-7, statements: [sc-7_smt.a], objectives: [sc-7_obj.a-4]}
#     - {id: sc-7.5, statements: [sc-7.5_smt], objectives: [sc-7.5_obj-1, sc-7.5_obj-2]}
#     - {id: ac-4, statements: [ac-4_smt], objectives: [ac-4_obj]}
#   remediation: |
#     Bind the NIC to the pod network by masquerade; or name the NetworkAttachmentDefinition of the own namespace in
#     spec.network.networks and have it granted by the ComplianceProfile.
package cato.rules.network.secondary

import data.cato.grants.secondary_network
import data.cato.lib.result

# METADATA
# description: All NICs are one target, so that one that is missing cannot drop out.
judged contains "nics" if input.network.nics[0]

judged contains "nics" if input.network.launchers == []

# METADATA
# description: Each NIC passes the policies or is asked for and granted.
report contains result.pass("nics", {"nics": input.network.nics}) if {
	input.network.launchers[0]
	input.network.nics[0]
	_all_allowed
}

# METADATA
# description: The pod network by a binding that puts the guest beside the pod.
report contains result.fail("nics", $"NIC {nic.name} is on the pod network by {nic.binding}, not by masquerade", {"nic": nic}) if {
	not _all_allowed
	some nic in input.network.nics
	nic.network == "pod"
	not nic.binding in {"masquerade", "default"}
}

# METADATA
# description: A network of its own, of which NetworkPolicy knows nothing.
report contains result.fail(
	"nics",
	$"NIC {nic.name} goes around NetworkPolicy by {nic.network}, which is not asked for, not of this namespace or not granted",
	{"nic": nic},
) if {
	not _all_allowed
	some nic in input.network.nics
	not nic.network in {"pod", "absent"}
	not _secondary(nic)
}

# METADATA
# description: KubeVirt's configuration decides between masquerade and bridge when the NIC is made.
report contains result.unknown("nics", $"NIC {nic.name} has the cluster's default binding, which may be bridge") if {
	not _all_allowed
	some nic in input.network.nics
	nic.network == "pod"
	nic.binding == "default"
}

# METADATA
# description: An interface that names no network of the machine.
report contains result.unknown("nics", $"NIC {nic.name} names a network that the machine does not declare") if {
	not _all_allowed
	some nic in input.network.nics
	nic.network == "absent"
}

# METADATA
# description: What would have NICs is not there.
report contains result.unknown("nics", "no launcher pod is described: the VirtualMachine does not exist yet") if {
	input.network.launchers == []
}

# METADATA
# description: A machine without NICs has no traffic.
report contains result.not_applicable("the machine has no NIC") if {
	count(input.network.launchers) > 0
	input.network.nics == []
}

# A NIC that is allowed has no fault, so that these are looked for only where some is not.
_all_allowed if {
	every nic in input.network.nics {
		nic.network == "pod"
		nic.binding == "masquerade"
	}
}

_all_allowed if {
	every nic in input.network.nics {
		_allowed(nic)
	}
}

_allowed(nic) if {
	nic.network == "pod"
	nic.binding == "masquerade"
}

_allowed(nic) if _secondary(nic)

_secondary(nic) if {
	secondary_network.given != set()
	input.subject.namespace != ""
	[input.subject.namespace, _] = split(nic.network, "/")
	some machine in input.object.machine
	nic.network in machine.networks
}

_secondary(nic) if {
	secondary_network.given != set()
	nic.network != ""
	some instance in input.object.instance
	nic.network in {asked.nad | some asked in instance.nics}
}
