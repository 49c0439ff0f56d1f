# METADATA
# title: An instance is attached to what it names, and to nothing by default
# description: |
#   Each NIC names a Network that exists and is attached by that Network's own NetworkAttachmentDefinition. The pod network
#   is asked for and granted, or left out: an Instance without any NIC would get it from KubeVirt unasked.
# custom:
#   id: NET-012
#   topic: instance-network
#   severity: high
#   subjects: [Instance]
#   enforces: [admission, plan]
#   always_applies: true
#   parameters: [grants.secondaryNetworks]
#   controls:
#     - {id: sc-7, statements: [sc-7_smt.a], objectives: [sc-7_obj.a-4]}
#     - {id: ac-4, statements: [ac-4_smt], objectives: [ac-4_obj]}
#   remediation: |
#     Name a Network of the own namespace by its metadata.name in spec.nics. For the pod network set the annotation
#     virtfoundry.io/allow-pod-network to true in a namespace whose policies isolate both directions.
package cato.rules.network.instance_nics

import data.cato.grants.pod_network
import data.cato.grants.secondary_network
import data.cato.lib.result

# METADATA
# description: All NICs are one target, so that one that is missing cannot drop out.
judged := {"nics"}

# METADATA
# description: Every NIC is attached as it may be, and there is one.
report contains result.pass("nics", {"instance": instance, "because": reasons}) if {
	some instance in input.object.instance
	reasons := _reasons(instance)
	_attached(instance, reasons)
}

# METADATA
# description: Neither NICs nor a wish for the pod network.
report contains result.fail("nics", "the Instance has no NIC and does not ask for the pod network", {"instance": instance}) if {
	some instance in input.object.instance
	instance.nics == []
	instance.podNetwork == false
}

# METADATA
# description: The wish is not granted.
report contains result.fail("nics", "the pod network is asked for and not granted", {"instance": instance}) if {
	some instance in input.object.instance
	instance.podNetwork == true
	pod_network.given == set()
}

# METADATA
# description: |
#   The name leads nowhere yet: what one folder holds is applied in the order of its files. A Network has a display name
#   as well, which is no reference.
report contains result.unknown("nics", $"{nic.path} names Network {nic.network}, which does not exist") if {
	some instance in input.object.instance
	some nic in instance.nics
	nic.found == false
}

# METADATA
# description: The Network is not this tenant's and not granted, or is attached by what is another's.
report contains result.fail("nics", "a NIC is on a Network that is neither the namespace's own nor granted", {"instance": instance}) if {
	some instance in input.object.instance
	instance.nics[0]
	every nic in instance.nics {
		nic.found == true
		nic.nad != ""
	}
	secondary_network.given == set()
}

# METADATA
# description: The Network is still being made.
report contains result.unknown("nics", $"{nic.path}: Network {nic.network} has no NetworkAttachmentDefinition yet") if {
	some instance in input.object.instance
	some nic in instance.nics
	nic.found == true
	nic.nad == ""
}

# What is asked for, each with what gives it.
_reasons(instance) := array.concat(
	[grant.because | instance.podNetwork == true; some grant in pod_network.given],
	[grant.because | instance.nics[0]; some grant in secondary_network.given],
)

_attached(instance, reasons) if {
	instance.nics == []
	instance.podNetwork == true
	count(reasons) == 1
}

_attached(instance, reasons) if {
	instance.nics[0]
	instance.podNetwork == false
	count(reasons) == 1
}

_attached(instance, reasons) if {
	instance.nics[0]
	instance.podNetwork == true
	count(reasons) == 2
}
