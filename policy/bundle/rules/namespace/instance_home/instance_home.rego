# METADATA
# title: An instance lives in the namespace of a tenant
# description: |
#   The namespace has one controller, a Tenant that exists, by name and uid; it has the name that the Tenant's slug gives
#   and the labels that mark it as that Tenant's. A label alone, or a name that only begins alike, makes no tenant.
# custom:
#   id: NS-004
#   topic: namespace-ownership
#   severity: high
#   subjects: [Instance]
#   enforces: [admission, plan]
#   always_applies: true
#   controls:
#     - {id: ac-3, statements: [ac-3_smt], objectives: [ac-3_obj]}
#     - {id: ac-4, statements: [ac-4_smt], objectives: [ac-4_obj]}
#   remediation: |
#     Create the Instance in virtfoundry-tenant-<slug> of a Tenant that is Ready; where the namespace is the tenant's, let
#     the Tenant write its labels and owner.
package cato.rules.namespace.instance_home

import data.cato.lib.result
import data.cato.lib.tenancy

# METADATA
# description: What makes the namespace a tenant's.
judged := {"name", "labels", "owner"}

# METADATA
# description: The Tenant's slug gives the name.
report contains result.pass("name", {"namespace": namespace, "tenant": tenant}) if {
	some [namespace, tenant] in _lived
	_named(namespace, tenant)
}

# METADATA
# description: The labels are the Tenant's.
report contains result.pass("labels", {"namespace": namespace, "tenant": tenant}) if {
	some [namespace, tenant] in _lived
	namespace.labels["app.kubernetes.io/part-of"] == "virtfoundry"
	namespace.labels["virtfoundry.io/tenant"] == tenant.slug
}

# METADATA
# description: The Tenant controls it.
report contains result.pass("owner", {"namespace": namespace, "tenant": tenant}) if {
	some [namespace, tenant] in _lived
	_controlled(namespace, tenant)
}

# METADATA
# description: A tenant's namespace under another name would escape every guard that goes by the name.
report contains result.fail(
	"name",
	$"namespace {namespace.name} is not {tenant.namespaceName}, the one of Tenant {tenant.name}",
	{"namespace": namespace, "tenant": tenant},
) if {
	some [namespace, tenant] in _lived
	not _named(namespace, tenant)
}

# METADATA
# description: A label is missing or is another tenant's.
report contains result.fail("labels", $"namespace {namespace.name} is not labelled {label}", {"namespace": namespace, "tenant": tenant}) if {
	some [namespace, tenant] in _lived
	some label in _mislabelled(namespace, tenant)
}

# METADATA
# description: No Tenant that exists controls the namespace, or somebody else does as well.
report contains result.fail("owner", $"namespace {namespace.name} is controlled by no Tenant that exists", {"namespace": namespace}) if {
	some namespace in input.namespace
	some instance in input.object.instance
	instance.tenant == []
}

report contains result.fail(
	"owner",
	$"namespace {namespace.name} is not controlled by Tenant {tenant.name} alone",
	{"namespace": namespace, "tenant": tenant},
) if {
	some [namespace, tenant] in _lived
	not _controlled(namespace, tenant)
}

# METADATA
# description: Not there yet, or no longer. Said once, for one of the targets.
report contains result.unknown("name", "the namespace of the Instance does not exist") if tenancy.absent

_lived contains [namespace, tenant] if {
	some namespace in input.namespace
	some instance in input.object.instance
	some tenant in instance.tenant
}

_named(namespace, tenant) if {
	namespace.name == tenant.namespaceName
	namespace.name == input.subject.namespace
	tenant.namespaceName == concat("", ["virtfoundry-tenant-", tenant.slug])
	tenant.slug != ""
}

_mislabelled(namespace, tenant) := {concat("=", [key, value]) |
	some key, value in {"app.kubernetes.io/part-of": "virtfoundry", "virtfoundry.io/tenant": tenant.slug}
	object.get(namespace.labels, key, "") != value
}

_controlled(namespace, tenant) if {
	[owner] := tenancy.controllers(namespace)
	owner.group == "virtfoundry.io"
	owner.kind == "Tenant"
	owner.name == tenant.name
	owner.uid == tenant.uid
	_exists(tenant)
}

_exists(tenant) if tenant.uid != ""

_exists(_) if input.moment == "plan"
