package facts

import (
	"slices"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
)

// catalogueUsers are the Instances that name the subject.
func catalogueUsers(g *Gathered) []NetworkUser {
	users := []NetworkUser{}
	for i := range g.Fabric.Instances {
		instance := &g.Fabric.Instances[i]
		if path := namedAt(g, &instance.Spec); path != "" {
			users = append(users, NetworkUser{Kind: KindInstance, Namespace: instance.Namespace, Name: instance.Name, Path: path})
		}
	}
	return users
}

// namedAt is the field by which an Instance names the subject; empty where it does not.
func namedAt(g *Gathered, spec *virtfoundryv1alpha1.InstanceSpec) string {
	is := func(ref *virtfoundryv1alpha1.LocalObjectRef, name string) bool { return ref != nil && ref.Name == name }
	switch {
	case g.Template != nil && is(spec.TemplateRef, g.Template.Name):
		return "spec.templateRef"
	case g.Offering != nil && is(spec.OfferingRef, g.Offering.Name):
		return "spec.offeringRef"
	case g.Accounts.SSHKey != nil && slices.Contains(spec.SSHKeyRefs, virtfoundryv1alpha1.LocalObjectRef{Name: g.Accounts.SSHKey.Name}):
		return "spec.sshKeyRefs"
	default:
		return ""
	}
}
