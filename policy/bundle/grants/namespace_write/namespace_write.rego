# METADATA
# title: Write a tenant's namespace
# description: |
#   A namespace may be created under the name that the slug gives, or written when name and labels are this
#   Tenant's and its controller is this Tenant or nobody.
# custom:
#   source: The live namespace, its name, labels and controller (VirtFoundry tenant namespace safety)
#   on_refusal: refuse
#   subjects: [Tenant]
package cato.grants.namespace_write

import data.cato.lib.tenancy

# METADATA
# description: Nothing of that name exists, so that nothing foreign can be overwritten.
given contains {
	"because": "the namespace does not exist and the slug gives a name that a tenant may have",
	"evidence": {"tenant": tenant},
} if {
	input.namespace == []
	some tenant in input.object.tenant
	tenancy.nameable
}

# METADATA
# description: It is ours already.
given contains {
	"because": "name, labels and controller of the namespace are this Tenant's",
	"evidence": {"namespace": namespace},
} if {
	some namespace in input.namespace
	tenancy.nameable
	tenancy.named(namespace)
	tenancy.labelled(namespace)
	tenancy.controlled(namespace)
}

# METADATA
# description: It is marked as ours and nobody else's; namespace_adopt says the same alone.
given contains {
	"because": "name and labels of the namespace are this Tenant's and nobody controls it",
	"evidence": {"namespace": namespace},
} if {
	some namespace in input.namespace
	tenancy.nameable
	tenancy.named(namespace)
	tenancy.labelled(namespace)
	tenancy.unclaimed(namespace)
}
