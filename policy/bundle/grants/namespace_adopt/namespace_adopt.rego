# METADATA
# title: Adopt a tenant's namespace
# description: A namespace that carries name and labels of this Tenant and that nobody controls may be taken over, once.
# custom:
#   source: The live namespace, its name, labels and controller (VirtFoundry tenant namespace safety)
#   on_refusal: refuse
#   subjects: [Tenant]
package cato.grants.namespace_adopt

import data.cato.lib.tenancy

# METADATA
# description: After it the namespace has a controller, and this grant is not given again.
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
