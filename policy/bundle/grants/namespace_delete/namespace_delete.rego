# METADATA
# title: Delete a tenant's namespace
# description: Name and labels are not enough to delete a namespace; its controller must be this Tenant, by uid.
# custom:
#   source: The live namespace, its name, labels and controller (VirtFoundry tenant namespace safety)
#   on_refusal: refuse
#   subjects: [Tenant]
package cato.grants.namespace_delete

import data.cato.lib.tenancy

# METADATA
# description: The delete itself carries the namespace's uid as a precondition.
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
