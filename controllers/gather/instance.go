package gather

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	kubevirtv1 "kubevirt.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/policy/facts"
)

// What a missing read of the objects that an Instance names leaves open.
const (
	networksResource  = "networks.virtfoundry.io"
	templatesResource = "templates.virtfoundry.io"
	offeringsResource = "offerings.virtfoundry.io"
	sshKeysResource   = "sshkeys.virtfoundry.io"
	tenantsResource   = "tenants.virtfoundry.io"
)

// Instance gathers an Instance with what it names and the VirtualMachine of its
// name. Its status is never read. The object is given, so that admission can
// gather one that is not stored yet.
func (g *Gatherer) Instance(ctx context.Context, instance *virtfoundryv1alpha1.Instance, moment facts.Moment) (*facts.Gathered, error) {
	c := g.collect(moment)
	c.out.Instance = instance
	key := client.ObjectKeyFromObject(instance)
	var vm kubevirtv1.VirtualMachine
	if c.get(ctx, key, &vm, "virtualmachines.kubevirt.io", append(machineGaps(), "object.instance")...) {
		c.out.VirtualMachine = &vm
	}
	c.machine(ctx, key, facts.KindInstance)
	c.tenantOf(ctx)
	c.named(ctx, instance)
	c.bounds(ctx, instance.Namespace)
	return c.out, c.failure
}

// Template gathers a Template with the platform's of its name.
func (g *Gatherer) Template(ctx context.Context, template *virtfoundryv1alpha1.Template, moment facts.Moment) (*facts.Gathered, error) {
	c := g.collect(moment)
	c.out.Template = template
	c.namespace(ctx, template.Namespace)
	c.out.Named.Templates = append(c.out.Named.Templates, *template)
	if template.Namespace != virtfoundryv1alpha1.SystemNamespace {
		c.template(ctx, types.NamespacedName{Namespace: virtfoundryv1alpha1.SystemNamespace, Name: template.Name}, "object.template")
	}
	c.users(ctx, template)
	c.profile(ctx, facts.KindTemplate)
	return c.out, c.failure
}

// Offering gathers an Offering.
func (g *Gatherer) Offering(ctx context.Context, offering *virtfoundryv1alpha1.Offering, moment facts.Moment) (*facts.Gathered, error) {
	c := g.collect(moment)
	c.out.Offering = offering
	c.users(ctx, offering)
	c.profile(ctx, facts.KindOffering)
	return c.out, c.failure
}

// tenantOf finds the Tenant that controls the namespace: by name, and then by
// uid, since one that was made anew has the old one's name.
func (c *collector) tenantOf(ctx context.Context) {
	if c.out.Namespace == nil {
		return
	}
	ref := metav1.GetControllerOf(c.out.Namespace)
	if ref == nil || ref.Kind != facts.KindTenant {
		return
	}
	var tenant virtfoundryv1alpha1.Tenant
	if c.get(ctx, types.NamespacedName{Name: ref.Name}, &tenant, tenantsResource, "object.instance") && tenant.UID == ref.UID {
		c.out.Named.Tenant = &tenant
	}
}

// named reads the objects that an Instance names.
func (c *collector) named(ctx context.Context, instance *virtfoundryv1alpha1.Instance) {
	spec := &instance.Spec
	if spec.OfferingRef != nil {
		var offering virtfoundryv1alpha1.Offering
		if c.get(ctx, types.NamespacedName{Name: spec.OfferingRef.Name}, &offering, offeringsResource, "object.instance") {
			c.out.Named.Offering = &offering
		}
	}
	if spec.TemplateRef != nil {
		for _, namespace := range slices.Compact([]string{instance.Namespace, virtfoundryv1alpha1.SystemNamespace}) {
			c.template(ctx, types.NamespacedName{Namespace: namespace, Name: spec.TemplateRef.Name}, "object.instance", "guest.osType")
		}
	}
	for _, ref := range spec.SSHKeyRefs {
		var key virtfoundryv1alpha1.SSHKey
		if c.get(ctx, types.NamespacedName{Namespace: instance.Namespace, Name: ref.Name}, &key, sshKeysResource, "object.instance") {
			c.out.Named.SSHKeys = append(c.out.Named.SSHKeys, key)
		}
	}
	for i := range spec.NICs {
		for _, namespace := range slices.Compact([]string{instance.Namespace, virtfoundryv1alpha1.SystemNamespace}) {
			c.network(ctx, types.NamespacedName{Namespace: namespace, Name: spec.NICs[i].NetworkRef.Name})
		}
	}
	c.nicAddresses(ctx, instance)
}

func (c *collector) template(ctx context.Context, key types.NamespacedName, paths ...string) {
	var template virtfoundryv1alpha1.Template
	if c.get(ctx, key, &template, templatesResource, paths...) {
		c.out.Named.Templates = append(c.out.Named.Templates, template)
	}
}

func (c *collector) network(ctx context.Context, key types.NamespacedName) {
	known := func(n virtfoundryv1alpha1.Network) bool { return n.Namespace == key.Namespace && n.Name == key.Name }
	if slices.ContainsFunc(c.out.Named.Networks, known) {
		return
	}
	var network virtfoundryv1alpha1.Network
	if c.get(ctx, key, &network, networksResource, "object.instance") {
		c.out.Named.Networks = append(c.out.Named.Networks, network)
	}
}

// bounds reads what limits the size of pods in the namespace.
func (c *collector) bounds(ctx context.Context, namespace string) {
	var quotas corev1.ResourceQuotaList
	c.list(ctx, namespace, &quotas, "resourcequotas", "quotas")
	c.out.ResourceQuotas = quotas.Items
	var limits corev1.LimitRangeList
	c.list(ctx, namespace, &limits, "limitranges", "limits")
	c.out.LimitRanges = limits.Items
}
