package gather

import (
	"context"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
)

// users reads the Instances that may name an object of the catalogue, where that is being deleted: they matter to
// nothing else, and there may be many.
func (c *collector) users(ctx context.Context, object client.Object) {
	if object.GetDeletionTimestamp() == nil {
		return
	}
	namespace := object.GetNamespace()
	template, isTemplate := object.(*virtfoundryv1alpha1.Template)
	ofPlatform := isTemplate && namespace == virtfoundryv1alpha1.SystemNamespace
	if ofPlatform {
		namespace = ""
	}
	var instances virtfoundryv1alpha1.InstanceList
	c.list(ctx, namespace, &instances, "instances.virtfoundry.io", "fabric.users")
	c.out.Fabric.Instances = instances.Items
	if !ofPlatform {
		return
	}
	// A namespace that has a Template of the name boots from its own.
	var templates virtfoundryv1alpha1.TemplateList
	c.list(ctx, "", &templates, templatesResource, "fabric.users")
	c.out.Fabric.Instances = slices.DeleteFunc(instances.Items, func(i virtfoundryv1alpha1.Instance) bool {
		return i.Namespace != template.Namespace && slices.ContainsFunc(templates.Items, func(own virtfoundryv1alpha1.Template) bool {
			return own.Namespace == i.Namespace && own.Name == template.Name
		})
	})
}
