# METADATA
# title: What is known
# description: |
#   Whether a part of the facts is whole. An object that is not among them is missing from the cluster only then; files
#   that do not hold it say nothing of the cluster that they are for.
package cato.lib.known

# METADATA
# description: Nothing stood in the way of finding out what the path (as in input.gaps) holds.
whole(path) if {
	is_object(input.gaps)
	not input.gaps[path]
}
