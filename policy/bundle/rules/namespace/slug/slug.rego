# METADATA
# title: The slug gives a namespace that a tenant can have
# description: |
#   virtfoundry-tenant-<slug> is a valid namespace name: the slug is a DNS label of at most 44 characters, since the
#   prefix takes 19 of the 63 that Kubernetes allows (RFC 1123), and no namespace of the system is meant.
# custom:
#   id: NS-002
#   topic: tenant-slug
#   severity: medium
#   subjects: [Tenant]
#   enforces: [admission, plan]
#   always_applies: true
#   controls:
#     - {id: ia-4, statements: [ia-4_smt.b], objectives: [ia-4_obj.b]}
#   remediation: |
#     Choose a slug of lower-case letters, digits and inner hyphens, of at most 44 characters.
package cato.rules.namespace.slug

import data.cato.lib.result
import data.cato.lib.tenancy

# METADATA
# description: The slug alone.
judged := {"slug"}

# METADATA
# description: A namespace can have this name.
report contains result.pass("slug", {"tenant": tenant}) if {
	some tenant in input.object.tenant
	tenancy.nameable
}

# METADATA
# description: No namespace of a tenant can.
report contains result.fail(
	"slug",
	$"slug {tenant.slug} ({count(tenant.slug)} characters) is not a DNS label of at most 44 characters",
	{"tenant": tenant},
) if {
	some tenant in input.object.tenant
	is_string(tenant.slug)
	not tenancy.nameable
}

# METADATA
# description: The Tenant is not described.
report contains result.unknown("slug", "the Tenant is not described") if input.object.tenant == []
