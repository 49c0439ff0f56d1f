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
#   parameters: [minMemory, maxMemory, maxCores]
#   remediation: Give the field a value that can be read and lies in the bounds that the message names.
package cato.rules.spec.bounds

import data.cato.lib.result

# METADATA
# description: Each of these is decided on every machine, whether or not it is written.
judged := {"spec.memory", "spec.diskSize", "spec.cpu.cores", "spec.dataDisks", "spec.network.egress"}

# METADATA
# description: Memory within the bounds of the profile.
report contains result.pass("spec.memory", {"memory": machine.memory}) if {
	some machine in input.object.machine
	_read(machine.memory)
	machine.memory.value >= input.params.minMemory
	machine.memory.value <= input.params.maxMemory
	_numbers([input.params.minMemory, input.params.maxMemory])
}

# METADATA
# description: Memory that cannot be read or is out of bounds.
report contains result.fail("spec.memory", message, {"memory": machine.memory}) if {
	some machine in input.object.machine
	some problem in _memory_problems(machine.memory)
	bounds := $"{input.params.minMemory} to {input.params.maxMemory} bytes"
	message := $"spec.memory \"{machine.memory.text}\" {problem}: give {bounds}, such as 4Gi"
}

# METADATA
# description: A disk's size within bounds, or none where the source has one.
report contains result.pass("spec.diskSize", {"machine": machine}) if {
	some machine in input.object.machine
	_disk_size_fits(machine)
}

# METADATA
# description: A disk's size that cannot be read, holds nothing or is too large.
report contains result.fail("spec.diskSize", message, {"machine": machine}) if {
	some machine in input.object.machine
	some problem in _size_problems(machine.diskSize)
	message := $"spec.diskSize \"{machine.diskSize.text}\" {problem}: give a size such as 10Gi, at most 4Ei"
}

# METADATA
# description: A source that has no size of its own needs one.
report contains result.fail("spec.diskSize", message, {"machine": machine}) if {
	some machine in input.object.machine
	machine.diskSize.text == ""
	machine.sourceType in _sizeless
	message := $"spec.diskSize is empty: give the virtual size of the disk, such as 10Gi, for sourceType {machine.sourceType}"
}

# METADATA
# description: Processors within the bound of the profile.
report contains result.pass("spec.cpu.cores", {"machine": machine}) if {
	some machine in input.object.machine
	machine.cores >= 1
	machine.cores <= input.params.maxCores
	_numbers([machine.cores, input.params.maxCores])
}

# METADATA
# description: No processor, or more than the profile allows.
report contains result.fail("spec.cpu.cores", message, {"machine": machine}) if {
	some machine in input.object.machine
	_numbers([machine.cores, input.params.maxCores])
	_uncountable(machine.cores)
	message := $"spec.cpu.cores {machine.cores} is out of bounds: give 1 to {input.params.maxCores}"
}

# METADATA
# description: Every data disk has a size within bounds.
report contains result.pass("spec.dataDisks", {"dataDisks": machine.dataDisks}) if {
	some machine in input.object.machine
	every disk in machine.dataDisks {
		_size_fits(disk.size)
	}
}

# METADATA
# description: A data disk whose size cannot be read, holds nothing or is too large.
report contains result.fail("spec.dataDisks", message, {"disk": disk}) if {
	some machine in input.object.machine
	some disk in machine.dataDisks
	some problem in (_size_problems(disk.size) | _absent(disk.size))
	message := $"spec.dataDisks {disk.name} size \"{disk.size.text}\" {problem}: give a size such as 20Gi, at most 4Ei"
}

# METADATA
# description: Every destination is a CIDR.
report contains result.pass("spec.network.egress", {"egress": machine.egress}) if {
	some machine in input.object.machine
	every ask in machine.egress {
		ask.valid == true
	}
}

# METADATA
# description: A destination that is none.
report contains result.fail("spec.network.egress", message, {"egress": ask}) if {
	some machine in input.object.machine
	some ask in machine.egress
	ask.valid == false
	message := $"{ask.path}.cidr \"{ask.cidr}\" is not a CIDR: write an address with its prefix length, such as 192.0.2.0/24"
}

# Sources that bring no disk of a size of their own.
_sizeless := {"upload", "http", "registry", "blank"}

_largest := 4611686018427387904

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

_size_problem(value) := "leaves no room for the overhead of a file system" if value > _largest

_read(quantity) if {
	is_string(quantity.text)
	quantity.text != ""
	quantity.problem == ""
	is_number(quantity.value)
}

_size_fits(size) if {
	_read(size)
	size.value > 0
	size.value <= _largest
}

_disk_size_fits(machine) if _size_fits(machine.diskSize)

_disk_size_fits(machine) if {
	machine.diskSize.text == ""
	machine.diskSize.problem == ""
	machine.diskSize.value == null
	machine.sourceType in {"dataSource", "pvc"}
}
