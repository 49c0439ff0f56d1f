package controlplane

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

// object is any Kubernetes object.
type object map[string]any

func (o object) unstructured() *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: o}
}

func namespaceObject(name string) object {
	return object{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name}}
}

// readObjects reads the JSON List that a module's program printed.
func readObjects(path string) ([]object, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read what to install: %w", err)
	}
	var list struct {
		Items []object `json:"items"`
	}
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("read what to install: %s: %w", path, err)
	}
	for i, item := range list.Items {
		u := item.unstructured()
		if u.GetKind() == "" || u.GetName() == "" {
			return nil, fmt.Errorf("read what to install: %s: item %d has no kind or no name", path, i)
		}
	}
	return list.Items, nil
}

// createAll creates objects, namespaces first and then several at a time. What
// is there already stays as it is.
func createAll(ctx context.Context, config *rest.Config, objects []object) error {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("make a client of the API server: %w", err)
	}
	var others []object
	for _, o := range objects {
		if o["kind"] != "Namespace" {
			others = append(others, o)
			continue
		}
		if err := create(ctx, client, o); err != nil {
			return err
		}
	}
	var wait sync.WaitGroup
	failures := make([]error, len(others))
	turns := make(chan struct{}, parallelCreates)
	for i, o := range others {
		wait.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			failures[i] = create(ctx, client, o)
		})
	}
	wait.Wait()
	return errors.Join(failures...)
}

func create(ctx context.Context, client dynamic.Interface, o object) error {
	u := o.unstructured()
	resource, _ := meta.UnsafeGuessKindToResource(u.GroupVersionKind())
	_, err := client.Resource(resource).Namespace(u.GetNamespace()).Create(ctx, u, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("create %s %s: %w", u.GetKind(), u.GetName(), err)
	}
	return nil
}
