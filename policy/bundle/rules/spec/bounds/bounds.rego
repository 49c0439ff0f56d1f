# METADATA
# title: What is asked for can be read and lies in bounds
# description: |
#   Memory and processors lie in the bounds of the profile, sizes of disks can be read, are positive and leave room
#   for a file system, and each destination of egress is a CIDR. A disk may have at most 4Ei, so that even the
#   largest overhead CDI knows (the whole size again) stays below 2^63 bytes.
# custom:
#   id: CRB-001
#   topic: cr-bounds
#   severity: medium
#   subjects: [UDSVirtualMachine]
#   enforces: [admission, plan]
#   always_applies: true
#   controls:
#     - id: si-10
#       statements: [si-10_smt]
#       objectives: [si-10_obj]
#     - id: sc-6
#       statements: [sc-6_smt]
#   parameters: [minMemory, maxMemory, memoryBounds, maxCores]
#   remediation: Give the field a value that can be read and lies in the bounds that the message names.
package cato.rules.spec.bounds

import data.cato.lib.result

# METADATA
# description: Each of these is decided on every machine, whether or not it is written.
judged := {"spec.memory", "spec.diskSize", "spec.cpu.cores", "spec.dataDisks", "spec.network.egress"}

# METADATA
# description: What can be read and lies in its bounds.
report contains result.pass(target, asked) if {
	asked := _asked
	some target in _sound
}

# METADATA
# description: What cannot be read or is out of bounds. What is sound has no fault, so that all else is looked at for some.
report contains result.fail(fault.target, fault.message, fault.evidence) if {
	_sound != judged
	some fault in _faults
}

_asked := object.filter(machine, ["memory", "diskSize", "sourceType", "cores", "dataDisks", "egress"]) if {
	[machine] := input.object.machine
}

# Memory within the bounds of the profile: between two numbers lies nothing but a number.
_sound contains "spec.memory" if {
	[machine] := input.object.machine
	machine.memory.problem == ""
	machine.memory.text > ""
	least := input.params.minMemory
	is_number(least)
	machine.memory.value >= least
	most := input.params.maxMemory
	is_number(most)
	machine.memory.value <= most
}

_sound contains "spec.diskSize" if {
	[machine] := input.object.machine
	_size_fits(machine.diskSize)
}

# None where the source has one.
_sound contains "spec.diskSize" if {
	[machine] := input.object.machine
	machine.diskSize.text == ""
	machine.diskSize.problem == ""
	machine.diskSize.value == null
	machine.sourceType in {"dataSource", "pvc"}
}

# Processors within the bound of the profile.
_sound contains "spec.cpu.cores" if {
	[machine] := input.object.machine
	machine.cores >= 1
	most := input.params.maxCores
	is_number(most)
	machine.cores <= most
}

# Every data disk has a size within bounds.
_sound contains "spec.dataDisks" if {
	[machine] := input.object.machine
	every disk in machine.dataDisks {
		_size_fits(disk.size)
	}
}

# Every destination is a CIDR.
_sound contains "spec.network.egress" if {
	[machine] := input.object.machine
	every ask in machine.egress {
		ask.valid == true
	}
}

# Memory that cannot be read or is out of bounds.
_faults contains {"target": "spec.memory", "message": message, "evidence": {"memory": machine.memory}} if {
	some machine in input.object.machine
	some problem in _memory_problems(machine.memory)
	message := $"spec.memory \"{machine.memory.text}\" {problem}: give {input.params.memoryBounds}, such as 4Gi"
}

# A disk's size that cannot be read, holds nothing or is too large.
_faults contains {"target": "spec.diskSize", "message": message, "evidence": {"machine": machine}} if {
	some machine in input.object.machine
	some problem in _size_problems(machine.diskSize)
	message := $"spec.diskSize \"{machine.diskSize.text}\" {problem}: give a size such as 10Gi, at most 4Ei"
}

# A source that has no size of its own needs one.
_faults contains {"target": "spec.diskSize", "message": message, "evidence": {"machine": machine}} if {
	some machine in input.object.machine
	machine.diskSize.text == ""
	machine.sourceType in _sizeless
	message := $"spec.diskSize is empty: give the virtual size of the disk, such as 10Gi, for sourceType {machine.sourceType}"
}

# No processor, or more than the profile allows.
_faults contains {"target": "spec.cpu.cores", "message": message, "evidence": {"machine": machine}} if {
	some machine in input.object.machine
	_numbers([machine.cores, input.params.maxCores])
	_uncountable(machine.cores)
	message := $"spec.cpu.cores {machine.cores} is out of bounds: give 1 to {input.params.maxCores}"
}

# A data disk whose size cannot be read, holds nothing or is too large.
_faults contains {"target": "spec.dataDisks", "message": message, "evidence": {"disk": disk}} if {
	some machine in input.object.machine
	some disk in machine.dataDisks
	some problem in (_size_problems(disk.size) | _absent(disk.size))
	message := $"spec.dataDisks {disk.name} size \"{disk.size.text}\" {problem}: give a size such as 20Gi, at most 4Ei"
}

# A destination that is no CIDR.
_faults contains {"target": "spec.network.egress", "message": message, "evidence": {"egress": ask}} if {
	some machine in input.object.machine
	some ask in machine.egress
	ask.valid == false
	message := $"{ask.path}.cidr \"{ask.cidr}\" is not a CIDR: write an address with its prefix length, such as 192.0.2.0/24"
}

# Sources that bring no disk of a size of their own.
_sizeless := {"upload", "http", "registry", "blank"}

_numbers(values) if {
	every value in values {
		is_number(value)
	}
}

_memory_problems(memory) := {memory.problem | memory.problem != ""} | (_absent(memory) | {"is out of bounds" |
	is_number(memory.value)
	_outside(memory.value)
})

_outside(value) if value < input.params.minMemory

_outside(value) if value > input.params.maxMemory

_uncountable(cores) if cores < 1

_uncountable(cores) if cores > input.params.maxCores

_absent(quantity) := {"is empty" | quantity.text == ""}

_size_problems(size) := {size.problem | size.problem != ""} | {problem |
	is_number(size.value)
	problem := _size_problem(size.value)
}

_size_problem(value) := "holds nothing" if value <= 0

_size_problem(value) := "leaves no room for the overhead of a file system" if value > 4611686018427387904

# Between the two numbers lies nothing but a number; above the empty text nothing that is null. 4Ei is written out: to
# look a name up costs more than to compare.
_size_fits(size) if {
	size.problem == ""
	size.text > ""
	size.value > 0
	size.value <= 4611686018427387904
}
