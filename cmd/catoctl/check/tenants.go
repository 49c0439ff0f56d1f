package check

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/decide"
	"cato.dev/cato/controllers/gather"
	"cato.dev/cato/policy/facts"
)

// withPlannedTenants returns the input with the namespaces that its planned
// Tenants will make and what isolates them, where the input has no such
// namespace: there the other planned objects will lie.
func (c *Checker) withPlannedTenants(ctx context.Context, gatherer *gather.Gatherer, files *gather.Files) (*gather.Files, error) {
	made := []client.Object{}
	for _, object := range files.Objects() {
		tenant, isTenant := object.(*virtfoundryv1alpha1.Tenant)
		if !isTenant || tenant.UID != "" {
			continue
		}
		children, err := c.plannedTenant(ctx, gatherer, tenant)
		if err != nil {
			return nil, err
		}
		made = append(made, children...)
	}
	return files.With(made...), nil
}

// plannedTenant is what a Tenant will make; nothing where its namespace exists,
// another has its slug, or it is not made: that is said of the Tenant.
func (c *Checker) plannedTenant(ctx context.Context, gatherer *gather.Gatherer, tenant *virtfoundryv1alpha1.Tenant) ([]client.Object, error) {
	var namesakes virtfoundryv1alpha1.TenantList
	if err := gatherer.Reader.List(ctx, &namesakes, client.MatchingFields{gather.SlugIndex: tenant.Spec.Slug}); err != nil || len(namesakes.Items) != 1 {
		return nil, err
	}
	gathered, err := gatherer.Tenant(ctx, tenant, facts.Plan)
	if err != nil || gathered.Namespace != nil {
		return nil, err
	}
	_, planned, err := c.judge.Tenant(ctx, gathered, facts.Plan)
	if err != nil {
		return nil, nil
	}
	return objectsOf(decide.PlanTenant(gathered, planned, facts.Plan)), nil
}

func objectsOf(g *facts.Gathered) []client.Object {
	namespace := g.Namespace.DeepCopy()
	namespace.Labels[corev1.LabelMetadataName] = namespace.Name // the API server's
	objects := []client.Object{namespace}
	for i := range g.NetworkPolicies {
		objects = append(objects, &g.NetworkPolicies[i])
	}
	for i := range g.ResourceQuotas {
		objects = append(objects, &g.ResourceQuotas[i])
	}
	for i := range g.LimitRanges {
		objects = append(objects, &g.LimitRanges[i])
	}
	return objects
}
