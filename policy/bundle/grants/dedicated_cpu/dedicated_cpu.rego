# METADATA
# title: Dedicated processors
# description: |
#   A machine may have whole processors of the node to itself, which takes them from the shared pool. The profile in
#   force gives this to the namespaces that it selects.
# custom:
#   subjects: [UDSVirtualMachine, VirtualMachine]
#   source: ComplianceProfile spec.parameters.grants.dedicatedCPU, whose namespaceSelector selects the machine's namespace
#   on_refusal: refuse
package cato.grants.dedicated_cpu

# METADATA
# description: One entry for each source of the profile that selects the namespace.
given contains {"because": source.reason, "evidence": {"source": source}} if {
	some source in input.params.grants.dedicatedCPU
	source.selects == true
}
