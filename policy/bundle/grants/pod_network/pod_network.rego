# METADATA
# title: The pod network
# description: |
#   An Instance may have a NIC on the pod network beside those that it names, if its annotation asks for it and policies
#   for every pod of its namespace isolate both directions. It never takes another NIC away.
# custom:
#   source: Annotation virtfoundry.io/allow-pod-network of the Instance, and NetworkPolicies of its namespace
#   on_refusal: refuse
#   subjects: [Instance]
package cato.grants.pod_network

import data.cato.lib.tenantnet

# METADATA
# description: Asked for, and confined.
given contains {
	"because": "the annotation asks for the pod network, and policies of the namespace isolate both directions",
	"evidence": {"instance": instance, "policies": [policy.ref | some policy in input.network.policies]},
} if {
	some instance in input.object.instance
	instance.podNetwork == true
	tenantnet.isolated("ingress")
	tenantnet.isolated("egress")
}
