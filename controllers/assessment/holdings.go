package assessment

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	snapshotv1beta1 "kubevirt.io/api/snapshot/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	volumesnapshotv1 "cato.dev/cato/api/volumesnapshot/v1"
	"cato.dev/cato/controllers/gather"
	"cato.dev/cato/policy/facts"
)

// +kubebuilder:rbac:groups=virtfoundry.io,resources=sshkeys;users;roles;apikeys;disks;disksnapshots;instancesnapshots;instances,verbs=get;list;watch

// holding is one kind that a tenant holds beside machines and networks.
type holding struct {
	kind   string
	object func() client.Object
	list   func() client.ObjectList
	gather func(*gather.Gatherer, context.Context, client.Object) (*facts.Gathered, error)
}

// held makes a holding of the types of a kind.
func held[T client.Object](kind string, object func() T, list func() client.ObjectList, gathering func(*gather.Gatherer, context.Context, T, facts.Moment) (*facts.Gathered, error)) holding {
	return holding{
		kind: kind, object: func() client.Object { return object() }, list: list,
		gather: func(g *gather.Gatherer, ctx context.Context, o client.Object) (*facts.Gathered, error) {
			typed, ok := o.(T)
			if !ok {
				return nil, nil
			}
			return gathering(g, ctx, typed, facts.Live)
		},
	}
}

func holdings() []holding {
	return []holding{
		held(facts.KindSSHKey, func() *virtfoundryv1alpha1.SSHKey { return &virtfoundryv1alpha1.SSHKey{} },
			func() client.ObjectList { return &virtfoundryv1alpha1.SSHKeyList{} }, (*gather.Gatherer).SSHKey),
		held(facts.KindUser, func() *virtfoundryv1alpha1.User { return &virtfoundryv1alpha1.User{} },
			func() client.ObjectList { return &virtfoundryv1alpha1.UserList{} }, (*gather.Gatherer).User),
		held(facts.KindRole, func() *virtfoundryv1alpha1.Role { return &virtfoundryv1alpha1.Role{} },
			func() client.ObjectList { return &virtfoundryv1alpha1.RoleList{} }, (*gather.Gatherer).Role),
		held(facts.KindAPIKey, func() *virtfoundryv1alpha1.APIKey { return &virtfoundryv1alpha1.APIKey{} },
			func() client.ObjectList { return &virtfoundryv1alpha1.APIKeyList{} }, (*gather.Gatherer).APIKey),
		held(facts.KindDisk, func() *virtfoundryv1alpha1.Disk { return &virtfoundryv1alpha1.Disk{} },
			func() client.ObjectList { return &virtfoundryv1alpha1.DiskList{} }, (*gather.Gatherer).Disk),
		held(facts.KindDiskSnapshot, func() *virtfoundryv1alpha1.DiskSnapshot { return &virtfoundryv1alpha1.DiskSnapshot{} },
			func() client.ObjectList { return &virtfoundryv1alpha1.DiskSnapshotList{} }, (*gather.Gatherer).DiskSnapshot),
		held(facts.KindInstanceSnapshot, func() *virtfoundryv1alpha1.InstanceSnapshot { return &virtfoundryv1alpha1.InstanceSnapshot{} },
			func() client.ObjectList { return &virtfoundryv1alpha1.InstanceSnapshotList{} }, (*gather.Gatherer).InstanceSnapshot),
	}
}

// holdingOf finds the holding of a kind; nil for the kinds of others.
func holdingOf(kind string) *holding {
	for _, h := range holdings() {
		if h.kind == kind {
			return &h
		}
	}
	return nil
}

// gatherHolding gathers a subject of these kinds; nil when it is gone.
func (c *Controller) gatherHolding(ctx context.Context, h *holding, subject Subject) (*facts.Gathered, error) {
	object := h.object()
	if err := c.Reader.Get(ctx, subject.NamespacedName, object); err != nil {
		return nil, client.IgnoreNotFound(err)
	}
	return h.gather(c.Gatherer, ctx, object)
}

// withHoldings are all watched kinds. Of these a status changes no verdict.
func (c *Controller) withHoldings() []watched {
	all := c.watched()
	newGeneration := []predicate.TypedPredicate[client.Object]{predicate.GenerationChangedPredicate{}}
	for _, h := range holdings() {
		all = append(all, watched{object: h.object(), touches: c.holdingTouched(h.kind), only: newGeneration})
	}
	all = append(all, watched{object: &snapshotv1beta1.VirtualMachineSnapshot{}, touches: c.volumesBeside})
	if c.Gatherer.Capabilities.VolumeSnapshots {
		all = append(all,
			watched{object: &volumesnapshotv1.VolumeSnapshot{}, touches: c.volumesBeside},
			watched{object: &volumesnapshotv1.VolumeSnapshotClass{}, touches: c.volumesEverywhere})
	}
	return all
}

// holdingTouched wakes the object itself, and what may name it.
func (c *Controller) holdingTouched(kind string) touches {
	return func(ctx context.Context, object client.Object) []wake {
		wakes := []wake{one(kind, object.GetNamespace(), object.GetName(), everything)}
		switch kind {
		case facts.KindRole:
			return append(wakes, c.held(ctx, "", []string{facts.KindUser}, "accounts")...)
		case facts.KindUser:
			return append(wakes, c.held(ctx, "", []string{facts.KindAPIKey}, "accounts")...)
		case facts.KindDisk:
			return append(wakes, c.held(ctx, object.GetNamespace(), []string{facts.KindDiskSnapshot}, "volume")...)
		default:
			return wakes
		}
	}
}

// holdingsOfNamespace wakes what lies in the namespace of a name, whose labels choose
// the profile.
func (c *Controller) holdingsOfNamespace(ctx context.Context, object client.Object) []wake {
	return c.held(ctx, object.GetName(), nil, "namespace", "params")
}

// holdingsOfTenant wakes what lies in the namespace of a Tenant, and the Users
// that may name it.
func (c *Controller) holdingsOfTenant(ctx context.Context, object client.Object) []wake {
	tenant, ok := object.(*virtfoundryv1alpha1.Tenant)
	if !ok {
		return nil
	}
	users := c.held(ctx, "", []string{facts.KindUser}, "accounts", "object.user")
	return append(users, c.held(ctx, virtfoundryv1alpha1.NamespacePrefix+tenant.Spec.Slug, nil, "fabric.tenants")...)
}

// accountSecretTouched wakes the accounts whose hash a Secret may hold.
func (c *Controller) accountSecretTouched(ctx context.Context, object client.Object) []wake {
	wakes := c.held(ctx, object.GetNamespace(), []string{facts.KindAPIKey}, "accounts.secrets")
	if object.GetNamespace() == virtfoundryv1alpha1.SystemNamespace {
		wakes = append(wakes, c.held(ctx, "", []string{facts.KindUser}, "accounts.secrets")...)
	}
	return wakes
}

// held wakes the subjects of some kinds, or of all of these, in a namespace, or
// everywhere when it is empty.
func (c *Controller) held(ctx context.Context, namespace string, kinds []string, groups ...string) []wake {
	subjects, err := c.holdingSubjects(ctx, kinds, client.InNamespace(namespace))
	if err != nil {
		return nil // the cache is stopping; a sweep follows each start
	}
	wakes := make([]wake, 0, len(subjects))
	for _, subject := range subjects {
		wakes = append(wakes, wake{subject, groups})
	}
	return wakes
}

// holdingSubjects are the subjects of some kinds, or of all of these without one.
func (c *Controller) holdingSubjects(ctx context.Context, kinds []string, options ...client.ListOption) ([]Subject, error) {
	var all []Subject
	for _, h := range holdings() {
		if len(kinds) > 0 && !slices.Contains(kinds, h.kind) {
			continue
		}
		list := h.list()
		if err := c.Reader.List(ctx, list, append([]client.ListOption{client.UnsafeDisableDeepCopy}, options...)...); err != nil {
			return nil, err
		}
		err := meta.EachListItem(list, func(item runtime.Object) error {
			if object, ok := item.(client.Object); ok {
				all = append(all, Subject{h.kind, client.ObjectKeyFromObject(object)})
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// volumesBeside wakes the Disks and snapshots of a namespace: machines and claims
// are theirs.
func (c *Controller) volumesBeside(ctx context.Context, object client.Object) []wake {
	return c.held(ctx, object.GetNamespace(), volumeKinds(), "volume")
}

// volumesEverywhere wakes all Disks and snapshots: for objects of the whole cluster.
func (c *Controller) volumesEverywhere(ctx context.Context, _ client.Object) []wake {
	return c.held(ctx, "", volumeKinds(), "volume")
}

func volumeKinds() []string {
	return []string{facts.KindDisk, facts.KindDiskSnapshot, facts.KindInstanceSnapshot}
}

// both is what an event touches by two ways.
func both(a, b touches) touches {
	return func(ctx context.Context, object client.Object) []wake {
		return append(a(ctx, object), b(ctx, object)...)
	}
}
