# METADATA
# title: Tenant namespaces
# description: |
#   Whether a namespace is the one of this Tenant (virtfoundry.io: name, labels and owner; an owner is its uid, since
#   a Tenant that was made anew has the old one's name).
package cato.lib.tenancy

_prefix := "virtfoundry-tenant-"

_protected := {"default", "kube-node-lease", "kube-public", "kube-system", "virtfoundry-system"}

# METADATA
# description: The labels that a namespace of this Tenant has.
labels := {"app.kubernetes.io/part-of": "virtfoundry", "virtfoundry.io/tenant": tenant.slug} if some tenant in input.object.tenant

# METADATA
# description: The name that a namespace of this Tenant has.
name := concat("", [_prefix, tenant.slug]) if some tenant in input.object.tenant

# METADATA
# description: The slug gives the name of a namespace that a tenant can have.
nameable if {
	some tenant in input.object.tenant
	regex.match(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`, tenant.slug)
	count(tenant.slug) <= 63 - count(_prefix)
	not name in _protected
}

# METADATA
# description: The namespace has the name that the slug gives.
named(namespace) if namespace.name == name

# METADATA
# description: The namespace has the labels that mark it as this Tenant's.
labelled(namespace) if {
	every key, value in labels {
		namespace.labels[key] == value
	}
}

# METADATA
# description: The owner references that control the namespace; Kubernetes lets there be one.
controllers(namespace) := [owner | some owner in namespace.owners; owner.controller == true]

# METADATA
# description: |
#   The reference names this very Tenant. Before the Tenant exists neither side has a uid,
#   which is no proof for an object of a cluster.
owner_is_subject(owner) if {
	owner.group == "virtfoundry.io"
	owner.kind == "Tenant"
	owner.name == input.subject.name
	owner.uid == input.subject.uid
	_identified
}

_identified if input.subject.uid != ""

_identified if input.moment in {"admission", "plan"}

# METADATA
# description: The namespace is controlled by this Tenant, which exists.
controlled(namespace) if {
	input.subject.uid != ""
	[owner] = controllers(namespace)
	owner_is_subject(owner)
}

# METADATA
# description: Nobody controls the namespace.
unclaimed(namespace) if {
	is_array(namespace.owners)
	every owner in namespace.owners {
		owner.controller == false
	}
}

# METADATA
# description: The namespace does not exist, so that nothing in it can be judged.
absent if input.namespace == []
