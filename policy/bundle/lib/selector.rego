# METADATA
# title: Label selectors
# description: |
#   What a label selector, as a list of requirements that must all hold, lets through. Requirements that only
#   narrow are welcome in any spelling; whatever is not proven to confine does not confine.
package cato.lib.selector

# METADATA
# description: |
#   The values that a label can have on what is selected; undefined where the label is not confined, empty where
#   nothing can be selected. An In without values is invalid to Kubernetes and confines nothing here.
values(requirements, key) := {value | some value in only.values} if {
	# one requirement, as most selectors have
	[only] = requirements
	only.key == key
	only.operator == "In"
	count(only.values) > 0
} else := intersection(allowed) - excluded if {
	allowed := {{value | some value in r.values} |
		some r in requirements
		r.key == key
		r.operator == "In"
		count(r.values) > 0
	}
	allowed != set()
	excluded := {value |
		some r in requirements
		r.key == key
		r.operator == "NotIn"
		some value in r.values
	}
}

# METADATA
# description: Whatever is selected has the label with one of the allowed values.
confined(requirements, key, allowed) if values(requirements, key) - allowed == set()

# METADATA
# description: The requirements contradict each other, so that nothing is selected.
impossible(requirements) if {
	some r in requirements
	values(requirements, r.key) == set()
}

impossible(requirements) if {
	some absent in requirements
	absent.operator == "DoesNotExist"
	some present in requirements
	present.key == absent.key
	present.operator in {"In", "Exists"}
}
