package facts

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
)

// NICOf is the NIC that an IPAddress is for, as <instance>/<nic>: the one that
// the Instance which controls it names by label, else the one by which a guest
// reports the address; empty when there is none. An address of the platform may
// be for a NIC of any namespace, which then comes first.
func NICOf(address *virtfoundryv1alpha1.IPAddress, instances []virtfoundryv1alpha1.Instance) string {
	controller := metav1.GetControllerOf(address)
	for i := range instances {
		instance := &instances[i]
		shared := address.Namespace == virtfoundryv1alpha1.SystemNamespace
		if instance.Namespace != address.Namespace && !shared {
			continue
		}
		for j := range instance.Spec.NICs {
			if instance.Spec.NICs[j].NetworkRef.Name != address.Spec.NetworkRef.Name {
				continue
			}
			nic := NICName(j, instance.Spec.NICs[j].Name)
			made := controller != nil && controller.UID == instance.UID && address.Labels[virtfoundryv1alpha1.LabelNIC] == NICLabel(nic)
			if made || reports(instance, nic, address.Spec.Address) {
				if shared {
					return instance.Namespace + "/" + instance.Name + "/" + nic
				}
				return instance.Name + "/" + nic
			}
		}
	}
	return ""
}

func reports(instance *virtfoundryv1alpha1.Instance, nic, address string) bool {
	want, err := netip.ParseAddr(address)
	if err != nil {
		return false
	}
	for i := range instance.Status.Interfaces {
		if instance.Status.Interfaces[i].Name != nic {
			continue
		}
		for _, text := range instance.Status.Interfaces[i].IPAddresses {
			if has, err := netip.ParseAddr(text); err == nil && has == want {
				return true
			}
		}
	}
	return false
}

// usersOf are the objects that name the subject, in the order of their names.
func usersOf(g *Gathered) []NetworkUser {
	users := unorderedUsers(g)
	slices.SortFunc(users, func(a, b NetworkUser) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Path, b.Path))
	})
	return users
}

func unorderedUsers(g *Gathered) []NetworkUser {
	f := &g.Fabric
	switch {
	case g.Template != nil, g.Offering != nil, g.Accounts.SSHKey != nil:
		return catalogueUsers(g)
	case f.Network != nil:
		return networkUsers(f)
	case f.VPC != nil:
		users := []NetworkUser{}
		for i := range f.Networks {
			if vpcOf(&f.Networks[i]) == f.VPC.Name {
				users = append(users, NetworkUser{Kind: KindNetwork, Namespace: f.Networks[i].Namespace, Name: f.Networks[i].Name, Path: "spec.vpcRef"})
			}
		}
		return users
	case f.Address != nil:
		return addressUsers(f)
	default:
		return []NetworkUser{}
	}
}

func networkUsers(f *FabricObjects) []NetworkUser {
	users := []NetworkUser{}
	for i := range f.Instances {
		instance := &f.Instances[i]
		for j := range instance.Spec.NICs {
			if instance.Spec.NICs[j].NetworkRef.Name == f.Network.Name {
				users = append(users, NetworkUser{Kind: "Instance", Namespace: instance.Namespace, Name: instance.Name, Path: fmt.Sprintf("spec.nics[%d]", j)})
			}
		}
	}
	for i := range f.Addresses {
		if f.Addresses[i].Spec.NetworkRef.Name == f.Network.Name {
			users = append(users, NetworkUser{Kind: KindIPAddress, Namespace: f.Addresses[i].Namespace, Name: f.Addresses[i].Name, Path: "spec.networkRef"})
		}
	}
	return users
}

// guests are the Instances that may have a guest: of one that is being deleted the finalizer goes when its guest is gone,
// while the object may wait for what it owns.
func (f *FabricObjects) guests() []virtfoundryv1alpha1.Instance {
	return slices.DeleteFunc(slices.Clone(f.Instances), func(i virtfoundryv1alpha1.Instance) bool {
		return i.DeletionTimestamp != nil && !slices.Contains(i.Finalizers, virtfoundryv1alpha1.Finalizer)
	})
}

// addressUsers are the NIC of the address and, of a lock, the claim that it was made for.
func addressUsers(f *FabricObjects) []NetworkUser {
	users := []NetworkUser{}
	if nic := NICOf(f.Address, f.guests()); nic != "" && HoldsAddress(f.Address, f.Addresses) {
		users = append(users, NetworkUser{Kind: "Instance", Namespace: f.Address.Namespace, Name: nic, Path: "the NIC that uses the address"})
	}
	controller := metav1.GetControllerOf(f.Address)
	if controller == nil || controller.Kind != KindIPAddress {
		return users
	}
	claims := slices.DeleteFunc(slices.Clone(f.Addresses), func(a virtfoundryv1alpha1.IPAddress) bool {
		return a.UID != controller.UID // one that is being deleted may still be held by its NIC, and lets the lock go itself
	})
	for i := range claims {
		users = append(users, NetworkUser{Kind: KindIPAddress, Namespace: claims[i].Namespace, Name: claims[i].Name, Path: "the claim that the address is held for"})
	}
	return users
}
