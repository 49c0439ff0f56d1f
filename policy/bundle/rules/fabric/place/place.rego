# METADATA
# title: Networks lie in a namespace that their Tenant owns
# description: |
#   Networks, VPCs, addresses and security groups lie in a namespace that a Tenant controls, by name, labels and uid.
#   What is shared lies in the platform's namespace, and nowhere else: a tenant shares nothing with another.
# custom:
#   id: NET-020
#   topic: network-ownership
#   severity: high
#   subjects: [Network, VPC, IPAddress, SecurityGroup]
#   enforces: [admission, plan]
#   always_applies: true
#   controls:
#     - {id: ac-4, statements: [ac-4_smt], objectives: [ac-4_obj]}
#     - {id: sc-7.21, statements: [sc-7.21_smt], objectives: [sc-7.21_obj]}
#   remediation: |
#     Create the object in the namespace virtfoundry-tenant-<slug> of a Tenant that is Ready; a shared Network in
#     namespace virtfoundry-system.
package cato.rules.fabric.place

import data.cato.lib.fabric
import data.cato.lib.result

# METADATA
# description: There is one namespace to judge.
judged := {"namespace"}

# METADATA
# description: The namespace is the Tenant's own.
report contains result.pass("namespace", {"namespace": namespace, "tenants": input.fabric.tenants}) if {
	fabric.tenantable
	some namespace in input.namespace
	fabric.owned(namespace)
}

# METADATA
# description: What is shared lies where the platform shares it.
report contains result.pass("namespace", {"subject": input.subject}) if fabric.platform

# METADATA
# description: Nobody proves whose the namespace is, or it is the wrong one for what the subject is.
report contains result.fail(
	"namespace",
	$"namespace {input.subject.namespace} is not one that a Tenant owns by name, labels and uid",
	{"namespace": namespace, "tenants": input.fabric.tenants},
) if {
	some namespace in input.namespace
	not fabric.platform
	not fabric.owned(namespace)
}

# METADATA
# description: What is shared would be a tenant's.
report contains result.fail(
	"namespace",
	$"a shared Network lies in namespace {input.subject.namespace}, not in virtfoundry-system",
	{"subject": input.subject},
) if {
	some network in input.object.network
	network.type == "shared"
	not fabric.platform
}

# METADATA
# description: The namespace is not there to be judged.
report contains result.unknown("namespace", $"namespace {input.subject.namespace} does not exist") if {
	input.namespace == []
	not fabric.platform
}
