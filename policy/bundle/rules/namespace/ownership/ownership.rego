# METADATA
# title: A tenant's namespace belongs to this very tenant
# description: |
#   The namespace has the name that the slug gives, the labels that mark it as this Tenant's, and one controller: this
#   Tenant by group, kind, name and uid. No other object owns it as well.
# custom:
#   id: NS-001
#   topic: namespace-ownership
#   severity: high
#   subjects: [Tenant]
#   enforces: [admission, plan]
#   always_applies: true
#   controls:
#     - {id: ac-3, statements: [ac-3_smt], objectives: [ac-3_obj]}
#     - {id: ac-4, statements: [ac-4_smt], objectives: [ac-4_obj]}
#   remediation: |
#     Give the namespace the labels app.kubernetes.io/part-of=virtfoundry and virtfoundry.io/tenant=<slug> and, once
#     nobody else uses it, remove the foreign ownerReference, so that the Tenant adopts it; else choose another slug.
package cato.rules.namespace.ownership

import data.cato.lib.result
import data.cato.lib.tenancy

# METADATA
# description: What makes a namespace a tenant's.
judged := {"name", "labels", "owner"}

# METADATA
# description: The slug gives the name.
report contains result.pass("name", {"namespace": namespace}) if {
	some namespace in input.namespace
	tenancy.named(namespace)
}

# METADATA
# description: The labels mark it.
report contains result.pass("labels", {"namespace": namespace}) if {
	some namespace in input.namespace
	tenancy.labelled(namespace)
}

# METADATA
# description: This Tenant controls it, and every reference is to this Tenant.
report contains result.pass("owner", {"namespace": namespace}) if {
	some namespace in input.namespace
	count(tenancy.controllers(namespace)) == 1
	every owner in namespace.owners {
		tenancy.owner_is_subject(owner)
	}
}

# METADATA
# description: A tenant's namespace under another name would escape every rule that goes by the name.
report contains result.fail("name", $"namespace {namespace.name} is not named {tenancy.name}", {"namespace": namespace}) if {
	some namespace in input.namespace
	not tenancy.named(namespace)
}

# METADATA
# description: A label is missing or has another value.
report contains result.fail("labels", $"namespace {namespace.name} is not labelled {key}={value}", {"namespace": namespace}) if {
	some namespace in input.namespace
	some key, value in tenancy.labels
	not namespace.labels[key] == value
}

# METADATA
# description: Nobody controls the namespace, or two do.
report contains result.fail(
	"owner",
	$"namespace {namespace.name} has {count(tenancy.controllers(namespace))} controllers among its owners, not one",
	{"namespace": namespace},
) if {
	some namespace in input.namespace
	count(tenancy.controllers(namespace)) != 1
}

# METADATA
# description: An owner that is not this Tenant, or was. The uid tells a Tenant from one of the same name before it.
report contains result.fail(
	"owner",
	$"namespace {namespace.name} is owned by {owner.kind}.{owner.group} {owner.name} with uid {owner.uid}, which is not this Tenant",
	{"namespace": namespace, "owner": owner},
) if {
	some namespace in input.namespace
	some owner in namespace.owners
	not tenancy.owner_is_subject(owner)
}

# METADATA
# description: It is not there yet, or no longer. Said once, for one of the targets.
report contains result.unknown("name", "the tenant's namespace does not exist") if tenancy.absent
