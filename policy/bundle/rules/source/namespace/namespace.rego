# METADATA
# title: Content comes from the own namespace or is granted
# description: |
#   CDI authorises a clone by who creates the DataVolume, and that is Cato. So disks, Secrets and networks of other
#   namespaces are taken only where the ComplianceProfile grants it (CWE-441, confused deputy).
# custom:
#   id: SRC-002
#   topic: source-namespace
#   severity: high
#   subjects: [UDSVirtualMachine]
#   enforces: [admission, plan]
#   parameters: [grants.crossNamespaceSources]
#   controls:
#     - {id: ac-3, statements: [ac-3_smt], objectives: [ac-3_obj]}
#     - {id: ac-4, statements: [ac-4_smt], objectives: [ac-4_obj]}
#   remediation: |
#     Name an object of the machine's own namespace; or have the ComplianceProfile list the source namespace in
#     grants.crossNamespaceSources, or an administrator label it cato.dev/golden-catalogue=true for its disk images.
package cato.rules.source.namespace

import data.cato.grants.cross_namespace_source
import data.cato.lib.result

# METADATA
# description: All of it is one target, since the grant is given for all or not at all.
judged contains "sources" if some _ in input.foreign

# METADATA
# description: Granted.
report contains result.pass("sources", {"foreign": input.foreign}) if {
	some _ in input.foreign
	cross_namespace_source.given != set()
}

# METADATA
# description: Asked for or used without the grant.
report contains result.fail(
	"sources",
	$"{source.path}: {source.kind} {source.namespace}/{source.name} is of another namespace, and the grant is not given",
	{"source": source},
) if {
	some source in input.foreign
	cross_namespace_source.given == set()
}

# METADATA
# description: Nothing comes from elsewhere.
report contains result.not_applicable("nothing comes from another namespace") if input.foreign == []
