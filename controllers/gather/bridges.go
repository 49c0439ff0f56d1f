package gather

import (
	"context"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	platformapi "cato.dev/cato/api/platform"
	"cato.dev/cato/policy/facts"
)

// HostBridges gathers the platform's configuration with what makes the bridges
// that it asks for. The file may be one that does not exist: the defaults are
// then in force.
func (g *Gatherer) HostBridges(ctx context.Context, file *corev1.ConfigMap, moment facts.Moment) (*facts.Gathered, error) {
	c := g.collect(moment)
	h := &c.out.Host
	h.File = file
	config := platformapi.Defaults()
	h.Config = &config
	if g.Platform != nil {
		in := g.Platform(ctx)
		h.Config, h.Network, h.Problem = in.Config, in.Network, in.NetworkProblem
		switch {
		case in.Problem != "":
			h.Config = nil
			c.gap(in.Problem, "object.platform")
		case in.Assumed: // what makes bridges is in the input, and the file that asks for them is not
			h.Config = nil
			c.gap("ConfigMap "+platformapi.ConfigMapName+" is not in the input", "object.platform")
		}
	}
	var sets appsv1.DaemonSetList
	c.list(ctx, "", &sets, "daemonsets.apps", "bridges")
	for i := range sets.Items {
		if set := &sets.Items[i]; set.Name == platformapi.BridgesName && c.makesBridges(set) {
			h.Sets = append(h.Sets, *set)
		}
	}
	c.namespace(ctx, file.Namespace)
	c.profile(ctx, facts.KindPlatform)
	return c.out, c.failure
}

// makesBridges leaves out what a tenant calls by the name in a namespace of its
// own: the platform's DaemonSet is where the configuration says, or is one that
// the operator wrote.
func (c *collector) makesBridges(set *appsv1.DaemonSet) bool {
	config := c.out.Host.Config
	return c.FromFiles || config == nil || set.Namespace == config.Networking.Bridge.Namespace || Written(set)
}

// Written tells whether the operator wrote the object and nobody owns it: it has
// no owner, since nothing that could be one lies in its namespace.
func Written(object metav1.Object) bool {
	by := slices.ContainsFunc(object.GetManagedFields(), func(f metav1.ManagedFieldsEntry) bool { return f.Manager == catov1alpha1.FieldManager })
	return by && len(object.GetOwnerReferences()) == 0
}
