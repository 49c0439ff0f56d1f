package assessment

import (
	"context"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/policy/facts"
)

func everyInstance(*virtfoundryv1alpha1.Instance) bool { return true }

// instances wakes the chosen Instances of a namespace, or of all when it is empty.
func (c *Controller) instances(ctx context.Context, namespace string, chosen func(*virtfoundryv1alpha1.Instance) bool, groups ...string) []wake {
	var list virtfoundryv1alpha1.InstanceList
	if err := c.Reader.List(ctx, &list, client.InNamespace(namespace), client.UnsafeDisableDeepCopy); err != nil {
		return nil // the cache is stopping; a sweep follows each start
	}
	var wakes []wake
	for i := range list.Items {
		if chosen(&list.Items[i]) {
			wakes = append(wakes, one(facts.KindInstance, list.Items[i].Namespace, list.Items[i].Name, groups...))
		}
	}
	return wakes
}

// named is the namespace whose Instances may name an object: its own, and for
// the platform's catalogue all.
func named(object client.Object) string {
	if object.GetNamespace() == virtfoundryv1alpha1.SystemNamespace {
		return ""
	}
	return object.GetNamespace()
}

// templateTouched wakes the Template, those whose name the platform has as
// well, and the Instances that boot from it.
func (c *Controller) templateTouched(ctx context.Context, object client.Object) []wake {
	wakes := []wake{one(facts.KindTemplate, object.GetNamespace(), object.GetName(), everything)}
	if named(object) == "" {
		var twins virtfoundryv1alpha1.TemplateList
		if err := c.Reader.List(ctx, &twins, client.UnsafeDisableDeepCopy); err != nil {
			return nil // the cache is stopping; a sweep follows each start
		}
		for i := range twins.Items {
			if twin := &twins.Items[i]; twin.Name == object.GetName() && twin.Namespace != object.GetNamespace() {
				wakes = append(wakes, one(facts.KindTemplate, twin.Namespace, twin.Name, "object.template"))
			}
		}
	}
	return append(wakes, c.instances(ctx, named(object), func(instance *virtfoundryv1alpha1.Instance) bool {
		return instance.Spec.TemplateRef != nil && instance.Spec.TemplateRef.Name == object.GetName()
	}, "object.instance", "guest.osType", "origins", "volume.classes")...)
}

// offeringTouched wakes the Offering and the Instances that have its size.
func (c *Controller) offeringTouched(ctx context.Context, object client.Object) []wake {
	wakes := []wake{one(facts.KindOffering, "", object.GetName(), everything)}
	return append(wakes, c.instances(ctx, "", func(instance *virtfoundryv1alpha1.Instance) bool {
		return instance.Spec.OfferingRef != nil && instance.Spec.OfferingRef.Name == object.GetName()
	}, "object.instance")...)
}

// networkTouched wakes the Network, what its address plan is of, and the
// Instances that are attached to it.
func (c *Controller) networkTouched(ctx context.Context, object client.Object) []wake {
	wakes := c.fabricTouched(facts.KindNetwork)(ctx, object)
	return append(wakes, c.instances(ctx, named(object), func(instance *virtfoundryv1alpha1.Instance) bool {
		return slices.ContainsFunc(instance.Spec.NICs, func(nic virtfoundryv1alpha1.NIC) bool { return nic.NetworkRef.Name == object.GetName() })
	}, "object.instance")...)
}

// virtfoundrySubjects are the Instances, Templates and Offerings that exist, and
// the names of the VirtualMachines that Instances stand for.
func (c *Controller) virtfoundrySubjects(ctx context.Context) ([]Subject, map[client.ObjectKey]bool, error) {
	var instances virtfoundryv1alpha1.InstanceList
	var templates virtfoundryv1alpha1.TemplateList
	var offerings virtfoundryv1alpha1.OfferingList
	for _, list := range []client.ObjectList{&instances, &templates, &offerings} {
		if err := c.Reader.List(ctx, list, client.UnsafeDisableDeepCopy); err != nil {
			return nil, nil, err
		}
	}
	var all []Subject
	managed := map[client.ObjectKey]bool{}
	for i := range instances.Items {
		key := client.ObjectKeyFromObject(&instances.Items[i])
		managed[key] = true
		all = append(all, Subject{facts.KindInstance, key})
	}
	for i := range templates.Items {
		all = append(all, Subject{facts.KindTemplate, client.ObjectKeyFromObject(&templates.Items[i])})
	}
	for i := range offerings.Items {
		all = append(all, Subject{facts.KindOffering, client.ObjectKeyFromObject(&offerings.Items[i])})
	}
	return all, managed, nil
}
