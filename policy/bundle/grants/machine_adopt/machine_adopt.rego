# METADATA
# title: Adopt a virtual machine
# description: |
#   A VirtualMachine of the Instance's name that another made may be taken over, once, if nobody controls it and its
#   labels say that it is this Instance's.
# custom:
#   source: The VirtualMachine's labels app.kubernetes.io/part-of=virtfoundry and virtfoundry.io/instance, and no controller
#   on_refusal: refuse
#   subjects: [Instance]
package cato.grants.machine_adopt

# METADATA
# description: After it the machine has a controller, and this grant is not given again.
given contains {
	"because": "the labels of the VirtualMachine are this Instance's and nobody controls it",
	"evidence": {"machine": machine},
} if {
	some instance in input.object.instance
	some machine in instance.existing
	machine.name == input.subject.name
	machine.labels["app.kubernetes.io/part-of"] == "virtfoundry"
	machine.labels["virtfoundry.io/instance"] == input.subject.name
	is_array(machine.owners)
	every owner in machine.owners {
		owner.controller == false
	}
}
