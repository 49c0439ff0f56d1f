package network

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	cniv1 "cato.dev/cato/api/cni/v1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/lifecycle"
	"cato.dev/cato/policy/facts"
)

// SetupWithManager has the manager run the reconciler, with so many Networks at
// a time. The manager's cache must have the index gather.SlugIndex. Attachments
// are watched where the cluster serves them.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager, concurrent int, attachments bool) error {
	list := func() *virtfoundryv1alpha1.NetworkList { return &virtfoundryv1alpha1.NetworkList{} }
	changed := builder.WithPredicates(predicate.GenerationChangedPredicate{})
	b := ctrl.NewControllerManagedBy(mgr).
		For(&virtfoundryv1alpha1.Network{}).
		Watches(&virtfoundryv1alpha1.Network{}, lifecycle.Beside(r.Client, list), changed).
		Watches(&virtfoundryv1alpha1.VPC{}, lifecycle.Beside(r.Client, list), changed).
		Watches(&virtfoundryv1alpha1.IPAddress{}, handler.EnqueueRequestsFromMapFunc(named), changed).
		Watches(&virtfoundryv1alpha1.Instance{}, handler.EnqueueRequestsFromMapFunc(byNICs), changed).
		Watches(&corev1.Namespace{}, lifecycle.Within(r.Client, list)).
		Watches(&virtfoundryv1alpha1.Tenant{}, lifecycle.Within(r.Client, list), changed).
		Watches(&catov1alpha1.ComplianceProfile{}, lifecycle.All(r.Client, list), changed).
		Watches(&corev1.ConfigMap{}, lifecycle.All(r.Client, list)). // the platform's configuration
		WithOptions(controller.Options{MaxConcurrentReconciles: concurrent})
	if attachments {
		b = b.Watches(&cniv1.NetworkAttachmentDefinition{}, handler.EnqueueRequestsFromMapFunc(r.byAttachment))
	}
	return b.Complete(r)
}

// byAttachment wakes the Network of an attachment's name, the shared one that
// it may be for, and those of the same segment.
func (r *Reconciler) byAttachment(ctx context.Context, object client.Object) []reconcile.Request {
	nad, ok := object.(*cniv1.NetworkAttachmentDefinition)
	if !ok {
		return nil
	}
	requests := []reconcile.Request{{NamespacedName: client.ObjectKeyFromObject(nad)}}
	if nad.Namespace == virtfoundryv1alpha1.SystemNamespace {
		requests = append(requests, lifecycle.Requests(ctx, r.Client, &virtfoundryv1alpha1.NetworkList{}, client.InNamespace(nad.Namespace))...)
	}
	var all cniv1.NetworkAttachmentDefinitionList
	if err := r.Client.List(ctx, &all, client.UnsafeDisableDeepCopy); err != nil {
		return requests // the cache is stopping
	}
	for i := range all.Items {
		if other := &all.Items[i]; facts.Meet(nad, other) {
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(other)})
		}
	}
	slices.SortFunc(requests, cmpRequests)
	return slices.Compact(requests)
}

func cmpRequests(a, b reconcile.Request) int {
	switch {
	case a.String() < b.String():
		return -1
	case a.String() > b.String():
		return 1
	default:
		return 0
	}
}

// named wakes the Network that an IPAddress names.
func named(_ context.Context, object client.Object) []reconcile.Request {
	address, ok := object.(*virtfoundryv1alpha1.IPAddress)
	if !ok {
		return nil
	}
	return []reconcile.Request{{NamespacedName: client.ObjectKey{Namespace: address.Namespace, Name: address.Spec.NetworkRef.Name}}}
}

// byNICs wakes the Networks that an Instance's NICs name, of its own namespace
// or of the platform's.
func byNICs(_ context.Context, object client.Object) []reconcile.Request {
	instance, ok := object.(*virtfoundryv1alpha1.Instance)
	if !ok {
		return nil
	}
	requests := []reconcile.Request{}
	for i := range instance.Spec.NICs {
		for _, namespace := range []string{instance.Namespace, virtfoundryv1alpha1.SystemNamespace} {
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKey{Namespace: namespace, Name: instance.Spec.NICs[i].NetworkRef.Name}})
		}
	}
	return requests
}
