package fleet

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"cato.dev/cato/controllers/gather"
)

// Cache is a client.Reader over the first machines of a fleet with their
// namespaces. It answers as the cache of a manager does: from memory, by key or
// by namespace, with copies.
type Cache struct {
	fleet       Fleet
	scheme      *runtime.Scheme
	byKey       map[kindKey]client.Object
	byNamespace map[kindKey][]client.Object // the name is empty
	machines    []client.ObjectKey
	objects     int
}

type kindKey struct {
	kind schema.GroupVersionKind
	client.ObjectKey
}

// NewCache returns a cache without machines.
func (f Fleet) NewCache() (*Cache, error) {
	scheme, err := gather.Scheme()
	if err != nil {
		return nil, err
	}
	return &Cache{fleet: f, scheme: scheme, byKey: map[kindKey]client.Object{}, byNamespace: map[kindKey][]client.Object{}}, nil
}

// Grow makes the next machines until there are so many. No other goroutine may
// read meanwhile.
func (c *Cache) Grow(machines int) error {
	for i := len(c.machines); i < machines; i++ {
		if i%c.fleet.PerNamespace == 0 {
			c.put(c.fleet.Namespace(i))
		}
		machine, err := c.fleet.At(i)
		if err != nil {
			return err
		}
		c.machines = append(c.machines, client.ObjectKeyFromObject(machine.Resource))
		for _, object := range machine.Objects() {
			c.put(object)
		}
	}
	return nil
}

func (c *Cache) put(object client.Object) {
	kind := object.GetObjectKind().GroupVersionKind()
	key := client.ObjectKeyFromObject(object)
	c.byKey[kindKey{kind, key}] = object
	inNamespace := kindKey{kind, client.ObjectKey{Namespace: key.Namespace}}
	c.byNamespace[inNamespace] = append(c.byNamespace[inNamespace], object)
	c.objects++
}

// Machines are the names of the UDSVirtualMachines.
func (c *Cache) Machines() []client.ObjectKey { return c.machines }

// Len is the number of objects.
func (c *Cache) Len() int { return c.objects }

// Get implements client.Reader.
func (c *Cache) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	kind, err := apiutil.GVKForObject(into, c.scheme)
	if err != nil {
		return err
	}
	object := c.byKey[kindKey{kind, key}]
	if object == nil {
		return apierrors.NewNotFound(schema.GroupResource{Group: kind.Group, Resource: strings.ToLower(kind.Kind)}, key.String())
	}
	reflect.ValueOf(into).Elem().Set(reflect.ValueOf(object.DeepCopyObject()).Elem())
	return nil
}

// List implements client.Reader: by namespace, and cluster-scoped kinds whole.
func (c *Cache) List(_ context.Context, into client.ObjectList, opts ...client.ListOption) error {
	kind, err := apiutil.GVKForObject(into, c.scheme)
	if err != nil {
		return err
	}
	options := client.ListOptions{}
	options.ApplyOptions(opts)
	if options.LabelSelector != nil || options.FieldSelector != nil {
		return fmt.Errorf("the fleet is listed by namespace, not by %v %v", options.LabelSelector, options.FieldSelector)
	}
	kind.Kind = strings.TrimSuffix(kind.Kind, "List")
	items := []runtime.Object{}
	for _, object := range c.byNamespace[kindKey{kind, client.ObjectKey{Namespace: options.Namespace}}] {
		items = append(items, object.DeepCopyObject())
	}
	return meta.SetList(into, items)
}
