# METADATA
# title: The tenants' networks
# description: |
#   Where objects of the tenants' networks may lie: in a namespace that a Tenant owns, or, what the platform shares, in
#   the namespace of the platform.
package cato.lib.fabric

_prefix := "virtfoundry-tenant-"

_platform := "virtfoundry-system"

# METADATA
# description: The subject lies in the namespace of the platform and is of a kind that is shared from there.
platform if {
	input.subject.namespace == _platform
	some network in input.object.network
	network.type == "shared"
}

platform if {
	input.subject.namespace == _platform
	input.subject.kind == "IPAddress"
}

# METADATA
# description: The subject is a kind that a tenant may have.
tenantable if {
	some network in input.object.network
	network.type == "isolated"
}

tenantable if input.subject.kind in {"VPC", "IPAddress", "SecurityGroup"}

# METADATA
# description: The namespace is the subject's, is marked as a tenant's, and is controlled by the Tenant with its slug.
owned(namespace) if {
	namespace.name == input.subject.namespace
	startswith(namespace.name, _prefix)
	slug := substring(namespace.name, count(_prefix), -1)
	namespace.labels["app.kubernetes.io/part-of"] == "virtfoundry"
	namespace.labels["virtfoundry.io/tenant"] == slug
	[owner] := [one | some one in namespace.owners; one.controller == true]
	owner.group == "virtfoundry.io"
	owner.kind == "Tenant"
	some tenant in input.fabric.tenants
	tenant.slug == slug
	tenant.name == owner.name
	tenant.uid == owner.uid
	_identified(owner)
}

# Before the Tenant exists neither side has a uid, which is no proof for an object of a cluster.
_identified(owner) if owner.uid != ""

_identified(_) if input.moment in {"admission", "plan"}

# METADATA
# description: The address lies in one of the blocks.
in_blocks(address, blocks) if {
	some block in blocks
	net.cidr_contains(block, address)
}
