# METADATA
# title: Dedicated processors only with the grant
# description: |
#   No place that decides about processors (the spec, the template, the running instance, an instancetype) asks for
#   dedicated ones, or the grant dedicated_cpu is given.
# custom:
#   id: CPU-001
#   topic: dedicated-cpu
#   severity: medium
#   subjects: [UDSVirtualMachine, VirtualMachine, Instance]
#   enforces: [admission, plan]
#   controls:
#     - id: sc-6
#       statements: [sc-6_smt]
#   parameters: [grants.dedicatedCPU]
#   remediation: Remove spec.cpu.dedicated, or have the profile's grants.dedicatedCPU select the namespace.
package cato.rules.compute.dedicated

import data.cato.grants.dedicated_cpu as grant
import data.cato.lib.result

# METADATA
# description: All places together, so that one that is missing is missed.
judged contains "processors" if not _nowhere

# METADATA
# description: Nobody asks for dedicated processors.
report contains result.pass("processors", {"placements": input.compute.placements}) if {
	not _nowhere
	_shared
}

# METADATA
# description: Whoever asks has the grant.
report contains result.pass("processors", {"placements": input.compute.placements, "grant": grant.given}) if {
	not _shared
	not _nowhere
	grant.given != set()
	is_array(input.compute.placements)
}

# METADATA
# description: A launcher pod is placed on dedicated processors, or the custom resource asks for them.
report contains result.fail("processors", fault.message, fault.evidence) if {
	not _shared
	grant.given == set()
	some fault in _faults
}

# METADATA
# description: Nothing decides about processors.
report contains result.not_applicable("nothing places the machine on processors") if _nowhere

_nowhere if {
	input.compute.placements == []
	input.object.machine == []
}

_shared if {
	every placement in input.compute.placements {
		placement.dedicated == false
	}
	every machine in input.object.machine {
		machine.dedicated == false
	}
}

_faults contains {"message": $"{placement.path} is true without the grant dedicated_cpu", "evidence": {"placement": placement}} if {
	some placement in input.compute.placements
	placement.dedicated == true
}

_faults contains {"message": message, "evidence": {"machine": machine}} if {
	some machine in input.object.machine
	machine.dedicated == true
	message := "spec.cpu.dedicated is true without the grant dedicated_cpu: remove it, or ask for the grant"
}
