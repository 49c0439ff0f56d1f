# METADATA
# title: Dedicated processors
# description: |
#   A machine may have whole processors of the node to itself, which takes them from the shared pool. The profile in
#   force gives this to the namespaces that it selects; to an Instance of a tenant only an Offering of the platform does.
# custom:
#   subjects: [UDSVirtualMachine, VirtualMachine, Instance]
#   source: ComplianceProfile spec.parameters.grants.dedicatedCPU, whose namespaceSelector selects the machine's namespace; for an Instance an Offering with label virtfoundry.io/platform-owned=true
#   on_refusal: refuse
package cato.grants.dedicated_cpu

# METADATA
# description: One entry for each source of the profile that selects the namespace.
given contains {"because": source.reason, "evidence": {"source": source}} if {
	input.object.instance == []
	some source in input.params.grants.dedicatedCPU
	source.selects == true
}

# METADATA
# description: The Instance, or its Offering, asks for it, and the Offering is of the platform's own catalogue.
given contains {"because": "the Offering is the platform's own", "evidence": {"instance": instance}} if {
	some instance in input.object.instance
	some offering in instance.offering
	offering.platformOwned == true
	_asked(instance, offering)
}

_asked(instance, _) if instance.dedicatedCPU == true

_asked(_, offering) if offering.dedicatedCPU == true
