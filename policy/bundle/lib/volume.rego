# METADATA
# title: Disks and snapshots
# description: Whose a child is, and which StorageClass a Disk without one has.
package cato.lib.volume

import data.cato.lib.known

# METADATA
# description: The child's one controller is the subject, by its uid, or before there is one, by its name.
owned(child) if {
	[owner] := [one | some one in child.owners; one.controller == true]
	owner.group == "virtfoundry.io"
	owner.kind == input.subject.kind
	owner.name == input.subject.name
	owner.uid == input.subject.uid
	_identified(owner)
}

_identified(owner) if owner.uid != ""

_identified(_) if input.moment in {"admission", "plan"}

# METADATA
# description: The names of the StorageClasses that are annotated as the default.
defaults contains class.name if {
	some class in input.volume.classes
	class.default == true
}

# METADATA
# description: A StorageClass has the name.
exists(name) if {
	some class in input.volume.classes
	class.name == name
}

# METADATA
# description: The platform leaves it to the cluster which class a Disk without one has.
automatic if {
	known.whole("params.defaultClass")
	input.params.defaultClass == "auto"
}

# METADATA
# description: |
#   The class of a Disk that names none: the one that the platform's configuration names, or with auto longhorn, the default or
#   local-path; none when several are the default, or there is no class to choose.
chosen contains name if {
	name := input.params.defaultClass
	name != "auto"
	exists(name)
}

chosen contains "longhorn" if {
	automatic
	exists("longhorn")
	_readable
}

chosen contains name if {
	automatic
	not exists("longhorn")
	_readable
	count(defaults) == 1
	some name in defaults
}

chosen contains "local-path" if {
	automatic
	not exists("longhorn")
	_readable
	count(defaults) == 0
	exists("local-path")
}

# A class of which nobody can tell whether it is the default leaves it open which one is.
_readable if {
	every class in input.volume.classes {
		is_boolean(class.default)
	}
}
