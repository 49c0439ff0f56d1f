package assessment

import (
	"context"
	"net/netip"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	cniv1 "cato.dev/cato/api/cni/v1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/policy/facts"
)

// +kubebuilder:rbac:groups=virtfoundry.io,resources=networks;vpcs;ipaddresses;securitygroups;instances,verbs=get;list;watch
// +kubebuilder:rbac:groups=k8s.cni.cncf.io,resources=network-attachment-definitions,verbs=get;list;watch

// fabricKinds are the kinds of the tenants' networks that are judged.
func fabricKinds() []string {
	return []string{facts.KindNetwork, facts.KindVPC, facts.KindIPAddress, facts.KindSecurityGroup}
}

// watchedFabric are the kinds whose events touch the tenants' networks. What of
// an object is a status changes no verdict, but that an Instance reports an
// address, which only holds a deletion back.
func (c *Controller) watchedFabric(newGeneration []predicate.TypedPredicate[client.Object]) []watched {
	watches := []watched{
		{object: &virtfoundryv1alpha1.Network{}, touches: c.networkTouched}, // its status says where NICs attach
		{object: &virtfoundryv1alpha1.VPC{}, touches: c.fabricTouched(facts.KindVPC), only: newGeneration},
		{object: &virtfoundryv1alpha1.IPAddress{}, touches: c.addressTouched, only: newGeneration},
		{object: &virtfoundryv1alpha1.SecurityGroup{}, touches: c.groupTouched},
	}
	if c.Attachments {
		watches = append(watches, watched{object: &cniv1.NetworkAttachmentDefinition{}, touches: c.attachmentTouched})
	}
	return watches
}

// fabric gathers one of the tenants' networks; nil when it is gone.
func (c *Controller) fabric(ctx context.Context, subject Subject) (*facts.Gathered, error) {
	get := func(object client.Object) (bool, error) {
		err := c.Reader.Get(ctx, subject.NamespacedName, object)
		return err == nil, client.IgnoreNotFound(err)
	}
	switch subject.Kind {
	case facts.KindNetwork:
		var network virtfoundryv1alpha1.Network
		if found, err := get(&network); !found {
			return nil, err
		}
		return c.Gatherer.Network(ctx, &network, facts.Live)
	case facts.KindVPC:
		var vpc virtfoundryv1alpha1.VPC
		if found, err := get(&vpc); !found {
			return nil, err
		}
		return c.Gatherer.VPC(ctx, &vpc, facts.Live)
	case facts.KindIPAddress:
		var address virtfoundryv1alpha1.IPAddress
		if found, err := get(&address); !found {
			return nil, err
		}
		return c.Gatherer.IPAddress(ctx, &address, facts.Live)
	default:
		var group virtfoundryv1alpha1.SecurityGroup
		if found, err := get(&group); !found {
			return nil, err
		}
		return c.Gatherer.SecurityGroup(ctx, &group, facts.Live)
	}
}

// fabricTouched wakes the object itself and, since address plans are of a whole
// namespace, the Networks, VPCs and addresses beside it.
func (c *Controller) fabricTouched(kind string) touches {
	return func(ctx context.Context, object client.Object) []wake {
		beside := c.fabricOf(ctx, object.GetNamespace(), []string{facts.KindNetwork, facts.KindVPC, facts.KindIPAddress}, "fabric", "object")
		return append(beside, one(kind, object.GetNamespace(), object.GetName(), everything))
	}
}

// addressTouched wakes the address, those of the namespace that ask for the same
// one, or for the one that it is named after, and the Instance that it is for.
func (c *Controller) addressTouched(ctx context.Context, object client.Object) []wake {
	touched, ok := object.(*virtfoundryv1alpha1.IPAddress)
	if !ok {
		return nil
	}
	wakes := []wake{one(facts.KindIPAddress, touched.Namespace, touched.Name, everything)}
	wakes = append(wakes, c.instances(ctx, touched.Namespace, func(instance *virtfoundryv1alpha1.Instance) bool {
		return facts.NeedsAddress(instance, touched)
	}, "fabric.nicClaims")...)
	var beside virtfoundryv1alpha1.IPAddressList
	if err := c.Reader.List(ctx, &beside, client.InNamespace(touched.Namespace), client.UnsafeDisableDeepCopy); err != nil {
		return wakes // the cache is stopping; a sweep follows each start
	}
	for i := range beside.Items {
		other := &beside.Items[i]
		address, err := netip.ParseAddr(other.Spec.Address)
		if other.Name != touched.Name && err == nil && (other.Spec.Address == touched.Spec.Address || facts.LockName(address) == touched.Name) {
			wakes = append(wakes, one(facts.KindIPAddress, other.Namespace, other.Name, "fabric.claims"))
		}
	}
	return wakes
}

func (c *Controller) groupTouched(_ context.Context, object client.Object) []wake {
	return []wake{one(facts.KindSecurityGroup, object.GetNamespace(), object.GetName(), everything)}
}

// attachmentTouched wakes the Network of an attachment's name, and those whose
// segment it leads to.
func (c *Controller) attachmentTouched(ctx context.Context, object client.Object) []wake {
	nad, ok := object.(*cniv1.NetworkAttachmentDefinition)
	if !ok {
		return nil
	}
	wakes := []wake{one(facts.KindNetwork, nad.Namespace, nad.Name, "fabric", "object.network")}
	var all cniv1.NetworkAttachmentDefinitionList
	if err := c.Reader.List(ctx, &all, client.UnsafeDisableDeepCopy); err != nil {
		return wakes // the cache is stopping; a sweep follows each start
	}
	for i := range all.Items {
		if other := &all.Items[i]; facts.Meet(nad, other) {
			wakes = append(wakes, one(facts.KindNetwork, other.Namespace, other.Name, "fabric"))
		}
	}
	return wakes
}

// fabricIn wakes all of the tenants' networks in a namespace.
func (c *Controller) fabricIn(ctx context.Context, namespace string, groups ...string) []wake {
	return c.fabricOf(ctx, namespace, fabricKinds(), groups...)
}

func (c *Controller) fabricOf(ctx context.Context, namespace string, kinds []string, groups ...string) []wake {
	subjects, err := c.fabricSubjects(ctx, client.InNamespace(namespace))
	if err != nil {
		return nil // the cache is stopping; a sweep follows each start
	}
	var wakes []wake
	for _, subject := range subjects {
		if slices.Contains(kinds, subject.Kind) {
			wakes = append(wakes, wake{subject, groups})
		}
	}
	return wakes
}

// fabricSubjects are all of the tenants' networks that exist now.
func (c *Controller) fabricSubjects(ctx context.Context, options ...client.ListOption) ([]Subject, error) {
	var networks virtfoundryv1alpha1.NetworkList
	var vpcs virtfoundryv1alpha1.VPCList
	var addresses virtfoundryv1alpha1.IPAddressList
	var groups virtfoundryv1alpha1.SecurityGroupList
	options = append(slices.Clone(options), client.UnsafeDisableDeepCopy)
	for _, list := range []client.ObjectList{&networks, &vpcs, &addresses, &groups} {
		if err := c.Reader.List(ctx, list, options...); err != nil {
			return nil, err
		}
	}
	var all []Subject
	add := func(kind string, object client.Object) {
		all = append(all, Subject{kind, client.ObjectKeyFromObject(object)})
	}
	for i := range networks.Items {
		add(facts.KindNetwork, &networks.Items[i])
	}
	for i := range vpcs.Items {
		add(facts.KindVPC, &vpcs.Items[i])
	}
	for i := range addresses.Items {
		add(facts.KindIPAddress, &addresses.Items[i])
	}
	for i := range groups.Items {
		add(facts.KindSecurityGroup, &groups.Items[i])
	}
	return all, nil
}
