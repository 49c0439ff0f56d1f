package facts

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
)

// deleting tells whether the deletion of the subject was asked for. Of a VirtualMachine that has no custom resource it
// is the machine's own.
func deleting(g *Gathered) bool {
	switch {
	case g.Tenant != nil:
		return g.Tenant.DeletionTimestamp != nil
	case g.Machine != nil:
		return g.Machine.DeletionTimestamp != nil
	case g.Instance != nil:
		return g.Instance.DeletionTimestamp != nil
	case g.Template != nil:
		return g.Template.DeletionTimestamp != nil
	case g.Offering != nil:
		return g.Offering.DeletionTimestamp != nil
	}
	for _, meta := range []*metav1.ObjectMeta{fabricMeta(&g.Fabric), second(volumeSubject(&g.Volume)), second(accountSubject(&g.Accounts))} {
		if meta != nil {
			return meta.DeletionTimestamp != nil
		}
	}
	return g.VirtualMachine != nil && g.VirtualMachine.DeletionTimestamp != nil
}

func second(_ string, meta *metav1.ObjectMeta) *metav1.ObjectMeta { return meta }

func fabricMeta(f *FabricObjects) *metav1.ObjectMeta {
	switch {
	case f.Network != nil:
		return &f.Network.ObjectMeta
	case f.VPC != nil:
		return &f.VPC.ObjectMeta
	case f.Address != nil:
		return &f.Address.ObjectMeta
	case f.SecurityGroup != nil:
		return &f.SecurityGroup.ObjectMeta
	default:
		return nil
	}
}

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
