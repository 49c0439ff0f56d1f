# METADATA
# title: Delete what nothing uses
# description: |
#   A Network goes when no NIC of an Instance and no IPAddress names it, a VPC when no Network does, an address when no
#   NIC uses it: else guests would keep what nobody accounts for, and the next one would get it too.
# custom:
#   source: The live Instances, Networks and IPAddresses that name the object
#   on_refusal: refuse
#   subjects: [Network, VPC, IPAddress]
package cato.grants.delete_unused

# METADATA
# description: The users are known, and there is none.
given contains {
	"because": "nothing uses it",
	"evidence": {"subject": input.subject},
} if {
	count(input.subject.name) > 0
	input.fabric.users == []
}
