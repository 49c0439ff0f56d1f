package assessment

import (
	"context"
	"strings"

	networkingv1 "k8s.io/api/networking/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/gather"
	"cato.dev/cato/policy/facts"
)

// wake is one subject that an event touches, with the facts that it changed.
type wake struct {
	subject Subject
	groups  []string
}

// touches maps an object, as it was or as it is, to the subjects it touches.
type touches func(ctx context.Context, object client.Object) []wake

func one(kind, namespace, name string, groups ...string) wake {
	return wake{Subject{kind, client.ObjectKey{Namespace: namespace, Name: name}}, groups}
}

// tenantTouched wakes the Tenant and those with the same slug.
func (c *Controller) tenantTouched(ctx context.Context, object client.Object) []wake {
	tenant, ok := object.(*virtfoundryv1alpha1.Tenant)
	if !ok {
		return nil
	}
	wakes := []wake{one(facts.KindTenant, "", tenant.Name, everything)}
	wakes = append(wakes, c.instances(ctx, virtfoundryv1alpha1.NamespacePrefix+tenant.Spec.Slug, everyInstance, "object.instance")...)
	for _, name := range c.tenantsOf(ctx, tenant.Spec.Slug) {
		if name != tenant.Name {
			wakes = append(wakes, one(facts.KindTenant, "", name, "object.tenant"))
		}
	}
	return append(wakes, c.fabricIn(ctx, virtfoundryv1alpha1.NamespacePrefix+tenant.Spec.Slug, "fabric.tenants")...)
}

func (c *Controller) tenantsOf(ctx context.Context, slug string) []string {
	var tenants virtfoundryv1alpha1.TenantList
	if err := c.Reader.List(ctx, &tenants, client.MatchingFields{gather.SlugIndex: slug}); err != nil {
		return nil // the cache is stopping; a sweep follows each start
	}
	names := make([]string, 0, len(tenants.Items))
	for i := range tenants.Items {
		names = append(names, tenants.Items[i].Name)
	}
	return names
}

// tenantOfNamespace wakes the Tenant that a namespace is named after.
func (c *Controller) tenantOfNamespace(ctx context.Context, namespace string, groups ...string) []wake {
	slug, ok := strings.CutPrefix(namespace, virtfoundryv1alpha1.NamespacePrefix)
	if !ok {
		return nil
	}
	var wakes []wake
	for _, name := range c.tenantsOf(ctx, slug) {
		wakes = append(wakes, one(facts.KindTenant, "", name, groups...))
	}
	return wakes
}

func (c *Controller) inTenantNamespace(groups ...string) touches {
	return func(ctx context.Context, object client.Object) []wake {
		wakes := c.tenantOfNamespace(ctx, object.GetNamespace(), groups...)
		return append(wakes, c.instances(ctx, object.GetNamespace(), everyInstance, groups...)...)
	}
}

// namespaceTouched wakes the Tenant of a namespace and, since grants go by its
// labels, the machines in it.
func (c *Controller) namespaceTouched(ctx context.Context, object client.Object) []wake {
	wakes := c.tenantOfNamespace(ctx, object.GetName(), "namespace", "object.tenant", "params")
	wakes = append(wakes, c.machines(ctx, object.GetName(), anyMachine, "namespace", "params")...)
	wakes = append(wakes, c.instances(ctx, object.GetName(), everyInstance, "namespace", "params", "object.instance")...)
	wakes = append(wakes, c.fabricIn(ctx, object.GetName(), "namespace", "params")...)
	return append(wakes, c.takingFrom(ctx, object.GetName())...)
}

// takingFrom wakes the machines of other namespaces that take content from one:
// its labels say whether it is a golden catalogue.
func (c *Controller) takingFrom(ctx context.Context, namespace string) []wake {
	var managed udsv1alpha1.UDSVirtualMachineList
	if err := c.Reader.List(ctx, &managed, client.UnsafeDisableDeepCopy); err != nil {
		return nil // the cache is stopping; a sweep follows each start
	}
	var wakes []wake
	for i := range managed.Items {
		if facts.TakesFrom(&managed.Items[i], namespace) {
			wakes = append(wakes, one(facts.KindUDSVirtualMachine, managed.Items[i].Namespace, managed.Items[i].Name, "foreign"))
		}
	}
	return wakes
}

// machineTouched wakes the machine of the object's own name.
func (c *Controller) machineTouched(_ context.Context, object client.Object) []wake {
	return forMachine(object.GetNamespace(), object.GetName(), []string{everything})
}

// policyTouched wakes the namespace's Tenant and the machines that the policy
// selects or may select: a policy for other pods changes nothing for them.
func (c *Controller) policyTouched(ctx context.Context, object client.Object) []wake {
	policy, ok := object.(*networkingv1.NetworkPolicy)
	if !ok {
		return nil
	}
	wakes := append(c.tenantOfNamespace(ctx, policy.Namespace, "network.policies"), c.launcherSelected(ctx, policy)...)
	wakes = append(wakes, c.fabricOf(ctx, policy.Namespace, []string{facts.KindSecurityGroup}, "network.policies")...)
	var instances kubevirtv1.VirtualMachineInstanceList
	if err := c.Reader.List(ctx, &instances, client.InNamespace(policy.Namespace), client.UnsafeDisableDeepCopy); err != nil {
		return nil // the cache is stopping; a sweep follows each start
	}
	running := make(map[string]*kubevirtv1.VirtualMachineInstance, len(instances.Items))
	for i := range instances.Items {
		running[instances.Items[i].Name] = &instances.Items[i]
	}
	chosen := func(vm *kubevirtv1.VirtualMachine) bool { return facts.MaySelect(policy, vm, running[vm.Name]) }
	wakes = append(wakes, c.instances(ctx, policy.Namespace, everyInstance, "network.policies")...)
	return append(wakes, c.machines(ctx, policy.Namespace, chosen, "network.policies")...)
}

// allMachines wakes every machine: for objects of the whole cluster.
func (c *Controller) allMachines(groups ...string) touches {
	return func(ctx context.Context, _ client.Object) []wake { return c.machines(ctx, "", anyMachine, groups...) }
}

func anyMachine(*kubevirtv1.VirtualMachine) bool { return true }

// machines wakes the chosen machines of a namespace, or of the cluster when it
// is empty. Of a UDSVirtualMachine without a VirtualMachine nothing tells what
// would be chosen: it is woken always.
func (c *Controller) machines(ctx context.Context, namespace string, chosen func(*kubevirtv1.VirtualMachine) bool, groups ...string) []wake {
	var vms kubevirtv1.VirtualMachineList
	var managed udsv1alpha1.UDSVirtualMachineList
	for _, list := range []client.ObjectList{&vms, &managed} {
		if err := c.Reader.List(ctx, list, client.InNamespace(namespace), client.UnsafeDisableDeepCopy); err != nil {
			return nil // the cache is stopping; a sweep follows each start
		}
	}
	var wakes []wake
	live := make(map[client.ObjectKey]bool, len(vms.Items))
	for i := range vms.Items {
		live[client.ObjectKeyFromObject(&vms.Items[i])] = true
		if chosen(&vms.Items[i]) {
			wakes = append(wakes, forMachine(vms.Items[i].Namespace, vms.Items[i].Name, groups)...)
		}
	}
	for i := range managed.Items {
		if key := client.ObjectKeyFromObject(&managed.Items[i]); !live[key] {
			wakes = append(wakes, one(facts.KindUDSVirtualMachine, key.Namespace, key.Name, groups...))
		}
	}
	return wakes
}

// forMachine wakes all kinds of a name: which of them is judged follows from
// what exists then.
func forMachine(namespace, name string, groups []string) []wake {
	return []wake{
		one(facts.KindUDSVirtualMachine, namespace, name, groups...),
		one(facts.KindInstance, namespace, name, groups...),
		one(facts.KindVirtualMachine, namespace, name, groups...),
	}
}

// Subjects are all that exist now, to be judged whole.
func (c *Controller) Subjects(ctx context.Context) ([]Subject, error) {
	var tenants virtfoundryv1alpha1.TenantList
	var managed udsv1alpha1.UDSVirtualMachineList
	var vms kubevirtv1.VirtualMachineList
	all, isManaged, err := c.virtfoundrySubjects(ctx)
	if err != nil {
		return nil, err
	}
	for _, list := range []client.ObjectList{&tenants, &managed, &vms} {
		if err := c.Reader.List(ctx, list, client.UnsafeDisableDeepCopy); err != nil {
			return nil, err
		}
	}
	networks, err := c.fabricSubjects(ctx)
	if err != nil {
		return nil, err
	}
	all = append(all, networks...)
	for i := range tenants.Items {
		all = append(all, Subject{facts.KindTenant, client.ObjectKeyFromObject(&tenants.Items[i])})
	}
	for i := range managed.Items {
		key := client.ObjectKeyFromObject(&managed.Items[i])
		isManaged[key] = true
		all = append(all, Subject{facts.KindUDSVirtualMachine, key})
	}
	for i := range vms.Items {
		if key := client.ObjectKeyFromObject(&vms.Items[i]); !isManaged[key] {
			all = append(all, Subject{facts.KindVirtualMachine, key})
		}
	}
	held, err := c.holdingSubjects(ctx, nil)
	return append(all, held...), err
}
