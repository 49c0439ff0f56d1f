// Package gather collects everything that one subject consists of. It reads
// through a client.Reader, so a cluster's cache and a folder of files are
// gathered by the same code, and what cannot be read is a gap and never absent.
package gather

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	kubevirtv1 "kubevirt.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/policy/facts"
)

// SecretLookup returns a Secret as decoded facts; an error that is NotFound
// tells that it does not exist.
type SecretLookup func(ctx context.Context, key types.NamespacedName) (facts.Secret, error)

// Blindness tells why objects of a resource ("networkpolicies.networking.k8s.io")
// in a namespace cannot be trusted as read, or "" when they can.
type Blindness func(resource, namespace string) string

// Gatherer collects subjects. Its fields are set once, before use.
type Gatherer struct {
	Reader       client.Reader
	Secrets      SecretLookup
	Blind        Blindness
	Capabilities facts.Capabilities
	Now          func() time.Time
	// Overrulers lists the policies that allow traffic before any NetworkPolicy
	// is asked; nil where there can be none.
	Overrulers func() []Overruler
	// Platform is the platform's configuration in force; nil means its defaults.
	Platform func(ctx context.Context) Platform
	// FromFiles is set where the Reader holds files: then cluster facts that
	// are not among them take documented defaults, named as assumptions.
	FromFiles bool
}

// FromReader returns a Gatherer that decodes Secrets as it reads them and
// trusts whatever the reader answers.
func FromReader(reader client.Reader, now func() time.Time) *Gatherer {
	return &Gatherer{Reader: reader, Secrets: ReadSecret(reader), Blind: func(string, string) string { return "" }, Now: now}
}

// ReadSecret returns a lookup that reads and decodes at each call.
func ReadSecret(reader client.Reader) SecretLookup {
	return func(ctx context.Context, key types.NamespacedName) (facts.Secret, error) {
		var secret corev1.Secret
		if err := reader.Get(ctx, key, &secret); err != nil {
			return facts.Secret{}, err
		}
		return facts.DecodeSecret(&secret), nil
	}
}

// Tenant gathers a Tenant. The object is given, so that admission can gather
// one that is not stored yet.
func (g *Gatherer) Tenant(ctx context.Context, tenant *virtfoundryv1alpha1.Tenant, moment facts.Moment) (*facts.Gathered, error) {
	c := g.collect(moment)
	c.out.Tenant = tenant
	name := virtfoundryv1alpha1.NamespacePrefix + tenant.Spec.Slug
	c.namespace(ctx, name)
	c.rivals(ctx, tenant)
	c.tenantObjects(ctx, name)
	c.profile(ctx, facts.KindTenant)
	return c.out, c.failure
}

// UDSVirtualMachine gathers a UDSVirtualMachine with the VirtualMachine of its name.
func (g *Gatherer) UDSVirtualMachine(ctx context.Context, machine *udsv1alpha1.UDSVirtualMachine, moment facts.Moment) (*facts.Gathered, error) {
	c := g.collect(moment)
	c.out.Machine = machine
	key := client.ObjectKeyFromObject(machine)
	var vm kubevirtv1.VirtualMachine
	if c.get(ctx, key, &vm, "virtualmachines.kubevirt.io", machineGaps()...) {
		c.out.VirtualMachine = &vm
	}
	c.machine(ctx, key, facts.KindUDSVirtualMachine)
	return c.out, c.failure
}

// VirtualMachine gathers a VirtualMachine that no custom resource of ours describes.
func (g *Gatherer) VirtualMachine(ctx context.Context, vm *kubevirtv1.VirtualMachine, moment facts.Moment) (*facts.Gathered, error) {
	c := g.collect(moment)
	c.out.VirtualMachine = vm
	c.machine(ctx, client.ObjectKeyFromObject(vm), facts.KindVirtualMachine)
	return c.out, c.failure
}

// machineGaps are the parts of the document that a VirtualMachine tells.
func machineGaps() []string {
	return []string{"network.launchers", "network.nics", "guest", "disks", "images", "origins", "foreign", "compute"}
}

// collector gathers one subject.
type collector struct {
	*Gatherer
	out     *facts.Gathered
	failure error // an error that is no answer: the caller tries again
}

func (g *Gatherer) collect(moment facts.Moment) *collector {
	return &collector{Gatherer: g, out: &facts.Gathered{
		Moment: moment, Now: g.Now(), Cluster: g.Capabilities, Gaps: map[string]string{}, Unseen: map[string]string{},
	}}
}

func (c *collector) gap(reason string, paths ...string) {
	for _, path := range paths {
		if _, known := c.out.Gaps[path]; !known {
			c.out.Gaps[path] = reason
		}
	}
}

// unseen is a gap where objects may not be read: what looks absent may be there.
func (c *collector) unseen(reason string, paths ...string) {
	c.gap(reason, paths...)
	for _, path := range paths {
		if _, known := c.out.Unseen[path]; !known {
			c.out.Unseen[path] = reason
		}
	}
}

// get reads one object. It returns false when the object does not exist, and
// when it cannot be read: then the paths are gaps.
func (c *collector) get(ctx context.Context, key types.NamespacedName, into client.Object, resource string, paths ...string) bool {
	if reason := c.Blind(resource, key.Namespace); reason != "" {
		c.unseen(reason, paths...)
		return false
	}
	err := c.Reader.Get(ctx, key, into)
	if err == nil {
		return true
	}
	if !apierrors.IsNotFound(err) {
		c.unreadable(err, "get", resource, key.Namespace, paths...)
	}
	return false
}

// list reads all objects of a namespace, or of the cluster when it is empty.
func (c *collector) list(ctx context.Context, namespace string, into client.ObjectList, resource string, paths ...string) {
	if reason := c.Blind(resource, namespace); reason != "" {
		c.unseen(reason, paths...)
		return
	}
	if err := c.Reader.List(ctx, into, client.InNamespace(namespace)); err != nil {
		c.unreadable(err, "list", resource, namespace, paths...)
	}
}

// unreadable turns what is an answer (a right is missing, a kind is not
// served) into gaps; anything else is an error to try again.
func (c *collector) unreadable(err error, verb, resource, namespace string, paths ...string) {
	switch {
	case apierrors.IsForbidden(err):
		c.unseen(fmt.Sprintf("the right to %s %s in namespace %q is missing", verb, resource, namespace), paths...)
	case meta.IsNoMatchError(err):
		c.gap(fmt.Sprintf("the cluster does not serve %s", resource), paths...)
	default:
		c.failure = errors.Join(c.failure, fmt.Errorf("%s %s in namespace %q: %w", verb, resource, namespace, err))
		c.gap(err.Error(), paths...)
	}
}

func (c *collector) namespace(ctx context.Context, name string) {
	var namespace corev1.Namespace
	if c.get(ctx, types.NamespacedName{Name: name}, &namespace, "namespaces", "namespace", "params.grants") {
		c.out.Namespace = &namespace
	}
}

func (c *collector) rivals(ctx context.Context, tenant *virtfoundryv1alpha1.Tenant) {
	const resource = "tenants.virtfoundry.io"
	if reason := c.Blind(resource, ""); reason != "" {
		c.unseen(reason, "object.tenant")
		return
	}
	var all virtfoundryv1alpha1.TenantList
	if err := c.Reader.List(ctx, &all, client.MatchingFields{SlugIndex: tenant.Spec.Slug}); err != nil {
		c.unreadable(err, "list", resource, "", "object.tenant")
		return
	}
	for i := range all.Items {
		if all.Items[i].Name != tenant.Name {
			c.out.Rivals = append(c.out.Rivals, all.Items[i])
		}
	}
}

func (c *collector) tenantObjects(ctx context.Context, namespace string) {
	c.policies(ctx, namespace)
	var quotas corev1.ResourceQuotaList
	c.list(ctx, namespace, &quotas, "resourcequotas", "quotas")
	c.out.ResourceQuotas = quotas.Items
	var limits corev1.LimitRangeList
	c.list(ctx, namespace, &limits, "limitranges", "limits")
	c.out.LimitRanges = limits.Items
	var bindings rbacv1.RoleBindingList
	c.list(ctx, namespace, &bindings, "rolebindings.rbac.authorization.k8s.io", "roleBindings")
	c.out.RoleBindings = bindings.Items
}

func (c *collector) policies(ctx context.Context, namespace string) {
	var policies networkingv1.NetworkPolicyList
	c.list(ctx, namespace, &policies, "networkpolicies.networking.k8s.io", "network.policies")
	c.out.NetworkPolicies = policies.Items
	c.overrulers()
}
