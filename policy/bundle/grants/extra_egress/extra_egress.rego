# METADATA
# title: Egress beyond cluster DNS
# description: |
#   A machine may reach the address blocks that it asks for, if each of them lies, with its ports, within one block
#   that the ComplianceProfile grants to its namespace.
# custom:
#   source: ComplianceProfile spec.parameters, grants of egress with a namespace selector
#   on_refusal: refuse
#   subjects: [UDSVirtualMachine]
package cato.grants.extra_egress

import data.cato.lib.netpol

# METADATA
# description: Given only when the machine asks for something and all of it is granted.
given contains {
	"because": "each egress entry lies within a block that the profile grants to this namespace",
	"evidence": {"egress": machine.egress, "grants": input.params.grants.egress},
} if {
	some machine in input.object.machine
	count(machine.egress) > 0
	every entry in machine.egress {
		_granted(entry)
	}
}

_granted(entry) if {
	entry.valid == true
	some grant in input.params.grants.egress
	grant.selects == true
	_ports(entry, grant)
	some block in grant.cidrs
	netpol.cidr_within(entry.cidr, block)
}

_ports(_, grant) if grant.ports == []

_ports(entry, grant) if {
	count(entry.ports) > 0
	every port in entry.ports {
		netpol.port_within(port, grant.ports)
	}
}
