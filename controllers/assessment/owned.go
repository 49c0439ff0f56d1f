package assessment

import (
	"context"
	"maps"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"cato.dev/cato/controllers/gather"
	"cato.dev/cato/policy/facts"
)

// ofMachine wakes the machine whose VirtualMachine or instance controls the
// object, such as a launcher pod or a pinned instancetype; both have its name.
func ofMachine(groups ...string) touches {
	return func(_ context.Context, object client.Object) []wake {
		owner := metav1.GetControllerOf(object)
		if owner == nil || owner.Kind != facts.KindVirtualMachine && owner.Kind != "VirtualMachineInstance" {
			return nil
		}
		return forMachine(object.GetNamespace(), owner.Name, groups)
	}
}

// launcherSelected wakes the machines whose launcher pods a policy selects by
// the labels that they have: somebody may have given a pod one of its own.
func (c *Controller) launcherSelected(ctx context.Context, policy *networkingv1.NetworkPolicy) []wake {
	var pods corev1.PodList
	if err := c.Reader.List(ctx, &pods, client.InNamespace(policy.Namespace), client.UnsafeDisableDeepCopy); err != nil {
		return nil // the cache is stopping; a sweep follows each start
	}
	selector, err := metav1.LabelSelectorAsSelector(&policy.Spec.PodSelector)
	var wakes []wake
	for i := range pods.Items {
		if err != nil || selector.Matches(labels.Set(pods.Items[i].Labels)) {
			wakes = append(wakes, ofMachine("network.policies")(ctx, &pods.Items[i])...)
		}
	}
	return wakes
}

// podRelabelled lets pass of a pod's many updates those that change which
// policies select it, or that it has ended.
func podRelabelled() predicate.TypedPredicate[client.Object] {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		before, wasPod := e.ObjectOld.(*corev1.Pod)
		after, isPod := e.ObjectNew.(*corev1.Pod)
		return !wasPod || !isPod || !maps.Equal(before.Labels, after.Labels) || gather.Ended(before) != gather.Ended(after)
	}}
}
