package main

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
)

// restarter asks the subresource of KubeVirt's virt-api, which no typed client of ours knows.
func restarter(config *rest.Config) (func(context.Context, types.NamespacedName) error, error) {
	config = rest.CopyConfig(config)
	config.APIPath = "/apis"
	config.GroupVersion = &schema.GroupVersion{Group: "subresources.kubevirt.io", Version: "v1"}
	config.NegotiatedSerializer = serializer.NewCodecFactory(runtime.NewScheme()).WithoutConversion()
	client, err := rest.RESTClientFor(config)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, name types.NamespacedName) error {
		return client.Put().Namespace(name.Namespace).Resource("virtualmachines").Name(name.Name).SubResource("restart").
			SetHeader("Content-Type", "application/json").Body([]byte("{}")).Do(ctx).Error()
	}, nil
}
