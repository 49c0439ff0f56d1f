package gather

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
)

// users reads the Instances that may name an object of the catalogue, where that is being deleted: they matter to
// nothing else, and there may be many.
func (c *collector) users(ctx context.Context, object client.Object) {
	if object.GetDeletionTimestamp() == nil {
		return
	}
	template, isTemplate := object.(*virtfoundryv1alpha1.Template)
	if !isTemplate || template.Namespace != virtfoundryv1alpha1.SystemNamespace {
		c.instancesOf(ctx, object.GetNamespace(), nil)
		return
	}
	// A namespace that has a Template of the name boots from its own.
	var templates virtfoundryv1alpha1.TemplateList
	c.list(ctx, "", &templates, templatesResource, "fabric.users")
	hides := map[string]bool{}
	for i := range templates.Items {
		if own := &templates.Items[i]; own.Name == template.Name && own.Namespace != template.Namespace {
			hides[own.Namespace] = true
		}
	}
	c.instancesOf(ctx, "", hides)
}
