# METADATA
# title: Host bridges
# description: What the platform's configuration asks for on the nodes, and whether there is anything to judge.
package cato.lib.bridges

# METADATA
# description: Both networks are switched off, and nothing makes a bridge.
nothing if {
	off
	input.bridges == []
}

# METADATA
# description: Both networks are switched off.
off if {
	some platform in input.object.platform
	platform.bridges == []
}

# METADATA
# description: A network is switched on.
asked if {
	some platform in input.object.platform
	is_array(platform.bridges)
	count(platform.bridges) > 0
}

# METADATA
# description: A network is switched on, and nothing makes its bridge yet.
awaited if {
	asked
	input.bridges == []
}

# METADATA
# description: There is something that makes bridges, and each of it has containers.
made if {
	is_array(input.bridges)
	count(input.bridges) > 0
	every maker in input.bridges {
		is_array(maker.containers)
		count(maker.containers) > 0
	}
}
