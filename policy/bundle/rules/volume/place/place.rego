# METADATA
# title: Disks and snapshots lie in a namespace that their Tenant owns
# description: |
#   A Disk, a DiskSnapshot and an InstanceSnapshot lie in a namespace that a Tenant controls, by name, labels and uid: a
#   volume elsewhere would be nobody's, and outside of every quota.
# custom:
#   id: STO-020
#   topic: disk-ownership
#   severity: high
#   subjects: [Disk, DiskSnapshot, InstanceSnapshot]
#   enforces: [admission, plan]
#   always_applies: true
#   controls:
#     - {id: ac-4, statements: [ac-4_smt], objectives: [ac-4_obj]}
#   remediation: |
#     Create the object in the namespace virtfoundry-tenant-<slug> of a Tenant that is Ready.
package cato.rules.volume.place

import data.cato.lib.fabric
import data.cato.lib.result

# METADATA
# description: There is one namespace to judge.
judged := {"namespace"}

# METADATA
# description: The namespace is the Tenant's own.
report contains result.pass("namespace", {"namespace": namespace, "tenants": input.fabric.tenants}) if {
	some namespace in input.namespace
	fabric.owned(namespace)
}

# METADATA
# description: Nobody proves whose the namespace is.
report contains result.fail(
	"namespace",
	$"namespace {input.subject.namespace} is not one that a Tenant owns by name, labels and uid",
	{"namespace": namespace, "tenants": input.fabric.tenants},
) if {
	some namespace in input.namespace
	not fabric.owned(namespace)
}

# METADATA
# description: The namespace is not there to be judged.
report contains result.unknown("namespace", $"namespace {input.subject.namespace} does not exist") if input.namespace == []
