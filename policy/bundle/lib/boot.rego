# METADATA
# title: Boot disks
# description: |
#   The disks that the machine boots from, now and at its next start. The facts list a running instance's disk only
#   where it differs from the template's.
package cato.lib.boot

# METADATA
# description: Each disk that some form of the machine boots from.
disks contains disk if {
	some disk in input.disks
	disk.boot == true
}

# METADATA
# description: |
#   Whether the disks above are all that matter. Undefined where a disk does not say whether it boots, where the
#   template boots from no disk (from the network, say), or where a running instance no longer boots from the
#   template's disk and no other is listed for it.
settled if {
	# the usual machine, of which no instance differs from the template
	disks != set()
	every disk in input.disks {
		is_boolean(disk.boot)
		disk.launcher == "template"
	}
}

settled if {
	"template" in _launchers
	every disk in input.disks {
		_settled(disk)
	}
}

# The forms of the machine that boot from a disk which is listed for them.
_launchers contains disk.launcher if some disk in disks

# METADATA
# description: What a rule says of a machine that is not settled.
unsettled := "which disk the machine boots from cannot be told"

# METADATA
# description: How findings name a disk.
target(disk) := concat(" ", [disk.launcher, disk.name])

_settled(disk) if {
	is_boolean(disk.boot)
	disk.launcher in _launchers
}

_settled(disk) if {
	disk.boot == false
	elsewhere := {other | some other in disks; other.name == disk.name; other.launcher != disk.launcher}
	elsewhere == set()
}
