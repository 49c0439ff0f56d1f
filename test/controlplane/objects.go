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

// createAll creates objects: namespaces first, Deployments last, and what is
// between them several at a time. A Deployment's program that finds an object
// missing would make it in its own way. What is there already stays as it is.
func createAll(ctx context.Context, config *rest.Config, objects []object) error {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("make a client of the API server: %w", err)
	}
	var turns [3][]object
	for _, o := range objects {
		turn := 1
		switch o["kind"] {
		case "Namespace":
			turn = 0
		case "Deployment":
			turn = 2
		}
		turns[turn] = append(turns[turn], o)
	}
	for _, some := range turns {
		if err := createSome(ctx, client, some); err != nil {
			return err
		}
	}
	return nil
}

func createSome(ctx context.Context, client dynamic.Interface, objects []object) error {
	var wait sync.WaitGroup
	failures := make([]error, len(objects))
	places := make(chan struct{}, parallelCreates)
	for i, o := range objects {
		wait.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
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
