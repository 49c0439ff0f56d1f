# METADATA
# title: No two tenants have one slug
# description: |
#   Of the Tenants with one slug, the one that owns the namespace keeps it, else the oldest, else the first by name. The
#   others fail, and it does not: a newcomer cannot take the slug away. A Tenant that is being deleted does not count.
# custom:
#   id: NS-003
#   topic: slug-unique
#   severity: high
#   subjects: [Tenant]
#   enforces: [admission, plan]
#   always_applies: true
#   controls:
#     - {id: ia-4, statements: [ia-4_smt.b, ia-4_smt.c], objectives: [ia-4_obj.b, ia-4_obj.c]}
#     - {id: ac-4, statements: [ac-4_smt], objectives: [ac-4_obj]}
#   remediation: |
#     Choose another slug for this Tenant, or delete the Tenant that holds this one.
package cato.rules.namespace.slug_unique

import data.cato.lib.result

# METADATA
# description: All rivals are one target, so that one that is missing cannot drop out.
judged := {"slug"}

# METADATA
# description: This Tenant comes before each rival.
report contains result.pass("slug", {"tenant": tenant}) if {
	some tenant in input.object.tenant
	every rival in tenant.rivals {
		_yields(rival, tenant)
	}
}

# METADATA
# description: A rival comes before this Tenant.
report contains result.fail("slug", $"slug {tenant.slug} belongs to Tenant {rival.name}", {"tenant": tenant, "rival": rival}) if {
	some tenant in input.object.tenant
	some rival in tenant.rivals
	rival.deleting == false
	_before(rival, rival.name, tenant, input.subject.name)
}

# METADATA
# description: The Tenant is not described.
report contains result.unknown("slug", "the Tenant is not described") if input.object.tenant == []

_yields(rival, _) if rival.deleting == true

_yields(rival, tenant) if _before(tenant, input.subject.name, rival, rival.name)

_before(a, _, b, _) if {
	a.ownsNamespace == true
	b.ownsNamespace == false
}

_before(a, _, b, _) if {
	a.ownsNamespace == b.ownsNamespace
	_older(a.createdAt, b.createdAt)
}

_before(a, name_a, b, name_b) if {
	a.ownsNamespace == b.ownsNamespace
	_as_old(a.createdAt, b.createdAt)
	name_a < name_b
}

# What does not exist yet has no time, and is younger than all that does.
_older(a, b) if {
	a != ""
	b == ""
}

_older(a, b) if {
	a != ""
	b != ""
	time.parse_rfc3339_ns(a) < time.parse_rfc3339_ns(b)
}

_as_old("", "")

_as_old(a, b) if {
	a != ""
	b != ""
	time.parse_rfc3339_ns(a) == time.parse_rfc3339_ns(b)
}
