# METADATA
# title: Delete a Disk that no machine has
# description: |
#   A Disk goes when no machine has its volume and it names no Instance that exists: else a guest would lose a disk that it
#   writes to.
# custom:
#   source: The live VirtualMachines and their instances, and the Instance that spec.instanceRef names
#   on_refusal: refuse
#   subjects: [Disk]
package cato.grants.delete_detached

# METADATA
# description: The machines are known, and none has the volume, nor is it wanted by an Instance.
given contains {
	"because": "no machine has the volume",
	"evidence": {"subject": input.subject, "disk": disk},
} if {
	some disk in input.object.disk
	input.volume.uses == []
	input.volume.instances == []
}
