package lifecycle

import (
	"context"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
)

// Requests are the objects of a kind, by list options.
func Requests(ctx context.Context, reader client.Reader, list client.ObjectList, options ...client.ListOption) []reconcile.Request {
	if err := reader.List(ctx, list, options...); err != nil {
		// The cache answers; it fails only while the manager ends.
		log.FromContext(ctx).Error(err, "list for an event")
		return nil
	}
	requests := []reconcile.Request{}
	_ = meta.EachListItem(list, func(item runtime.Object) error {
		if object, ok := item.(client.Object); ok {
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(object)})
		}
		return nil
	})
	return requests
}

// Beside wakes every object of a kind in the namespace of what an event is of.
func Beside[T client.ObjectList](reader client.Reader, list func() T) handler.EventHandler {
	return handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, object client.Object) []reconcile.Request {
		return Requests(ctx, reader, list(), client.InNamespace(object.GetNamespace()))
	})
}

// Within wakes every object of a kind in the namespace that an event is of, or
// that a Tenant stands for.
func Within[T client.ObjectList](reader client.Reader, list func() T) handler.EventHandler {
	return handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, object client.Object) []reconcile.Request {
		namespace := object.GetName()
		if tenant, ok := object.(*virtfoundryv1alpha1.Tenant); ok {
			namespace = virtfoundryv1alpha1.NamespacePrefix + tenant.Spec.Slug
		}
		if !strings.HasPrefix(namespace, virtfoundryv1alpha1.NamespacePrefix) && namespace != virtfoundryv1alpha1.SystemNamespace {
			return nil
		}
		return Requests(ctx, reader, list(), client.InNamespace(namespace))
	})
}

// All wakes every object of a kind.
func All[T client.ObjectList](reader client.Reader, list func() T) handler.EventHandler {
	return handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, _ client.Object) []reconcile.Request {
		return Requests(ctx, reader, list())
	})
}
