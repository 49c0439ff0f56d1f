package platform

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	cniv1 "cato.dev/cato/api/cni/v1"
	"cato.dev/cato/api/platform"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/apply"
	"cato.dev/cato/controllers/gather"
)

// errNotOurs tells that an object of a name that is needed is another's.
var errNotOurs = errors.New("is not the operator's")

// bring makes the object, or replaces what take takes of it where it is not so.
// The API server itself says what the wanted content is with its defaults, by a
// dry run, so that whatever another added is drift. It returns what stood when it
// put that right, and nil when it did not.
func bring[T client.Object](ctx context.Context, c client.Client, desired T, take func(live, wanted T)) (T, error) {
	var none T
	live, ok := desired.DeepCopyObject().(T)
	if !ok {
		return none, fmt.Errorf("%s cannot be copied", desired.GetName())
	}
	err := c.Get(ctx, client.ObjectKeyFromObject(desired), live)
	switch {
	case apierrors.IsNotFound(err):
		return none, c.Create(ctx, desired, client.FieldOwner(apply.FieldManager))
	case err != nil:
		return none, err
	case !gather.Written(live):
		return none, fmt.Errorf("%s %s/%s %w: delete it, or rename the platform's", desired.GetObjectKind().GroupVersionKind().Kind, live.GetNamespace(), live.GetName(), errNotOurs)
	}
	next, _ := live.DeepCopyObject().(T)
	labels := maps.Clone(live.GetLabels())
	if labels == nil {
		labels = map[string]string{}
	}
	maps.Copy(labels, desired.GetLabels())
	next.SetLabels(labels)
	take(next, desired)
	tried, _ := next.DeepCopyObject().(T)
	if err := c.Update(ctx, tried, client.DryRunAll, client.FieldOwner(apply.FieldManager)); err != nil {
		return none, err
	}
	if same(tried, live) {
		return none, nil
	}
	return live, c.Update(ctx, next, client.FieldOwner(apply.FieldManager))
}

// same compares all but what the server writes at each write.
func same[T client.Object](tried, live T) bool {
	left, _ := tried.DeepCopyObject().(T)
	right, _ := live.DeepCopyObject().(T)
	for _, object := range []T{left, right} {
		object.SetManagedFields(nil)
		object.SetResourceVersion("")
		object.SetGeneration(0)
		object.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	}
	return equality.Semantic.DeepEqual(left, right)
}

// remove deletes the very object that was read.
func remove(ctx context.Context, c client.Client, live client.Object) error {
	if live.GetDeletionTimestamp() != nil {
		return nil
	}
	uid := live.GetUID()
	return client.IgnoreNotFound(c.Delete(ctx, live, client.Preconditions{UID: &uid}))
}

// labelPlatform marks the attachment of the platform's public network.
const labelPlatform = "virtfoundry.io/platform-network"

// attachment brings the NetworkAttachmentDefinition of the public network about:
// always the bridge plugin, with no IPAM (VirtFoundry sheet, section 6).
func (r *Reconciler) attachment(ctx context.Context, public *platform.Public) error {
	if !r.Attachments {
		return nil
	}
	var all cniv1.NetworkAttachmentDefinitionList
	if err := r.Client.List(ctx, &all, client.MatchingLabels{labelPlatform: "public"}); err != nil {
		return err
	}
	for i := range all.Items {
		live := &all.Items[i]
		if !gather.Written(live) || public.Enabled && live.Namespace == public.NAD.Namespace && live.Name == public.NAD.Name {
			continue
		}
		if err := remove(ctx, r.Client, live); err != nil {
			return err
		}
	}
	if !public.Enabled {
		return nil
	}
	config, err := json.Marshal(map[string]any{"cniVersion": "0.3.1", "name": public.NAD.Name, "type": "bridge", "bridge": public.Bridge.Name, "ipam": map[string]any{}})
	if err != nil {
		return err
	}
	desired := &cniv1.NetworkAttachmentDefinition{
		TypeMeta: metav1.TypeMeta{APIVersion: cniv1.GroupVersion.String(), Kind: cniv1.KindNetworkAttachmentDefinition},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: public.NAD.Namespace, Name: public.NAD.Name,
			Labels: map[string]string{virtfoundryv1alpha1.LabelPartOf: virtfoundryv1alpha1.PartOf, virtfoundryv1alpha1.LabelManagedBy: virtfoundryv1alpha1.ManagedBy, labelPlatform: "public"},
		},
		Spec: cniv1.NetworkAttachmentDefinitionSpec{Config: string(config)},
	}
	_, err = bring(ctx, r.Client, desired, func(live, wanted *cniv1.NetworkAttachmentDefinition) { live.Spec = wanted.Spec })
	return err
}
