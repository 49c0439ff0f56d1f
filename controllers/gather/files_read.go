package gather

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// shelf holds the objects of one kind, in the order of the input.
type shelf struct {
	byKey       map[client.ObjectKey]client.Object
	byNamespace map[string][]client.Object // "" holds those of all namespaces
	bySlug      map[string][]client.Object
}

func newShelf() *shelf {
	return &shelf{byKey: map[client.ObjectKey]client.Object{}, byNamespace: map[string][]client.Object{}, bySlug: map[string][]client.Object{}}
}

// add reports false when the key is taken.
func (s *shelf) add(key client.ObjectKey, object client.Object) bool {
	if s.byKey[key] != nil {
		return false
	}
	s.byKey[key] = object
	s.byNamespace[""] = append(s.byNamespace[""], object)
	if key.Namespace != "" {
		s.byNamespace[key.Namespace] = append(s.byNamespace[key.Namespace], object)
	}
	for _, slug := range SlugOf(object) {
		s.bySlug[slug] = append(s.bySlug[slug], object)
	}
	return true
}

// With returns a reader that has more objects than f, which stays as it is. They are none of Objects; one whose name is
// taken is left out.
func (f *Files) With(more ...client.Object) *Files {
	extended := *f
	extended.byKind = maps.Clone(f.byKind)
	copied := map[schema.GroupKind]bool{}
	for _, object := range more {
		kind, err := apiutil.GVKForObject(object, f.scheme)
		if err != nil {
			continue // of no kind that anybody could ask for
		}
		if !copied[kind.GroupKind()] {
			copied[kind.GroupKind()] = true
			extended.byKind[kind.GroupKind()] = f.byKind[kind.GroupKind()].clone()
		}
		extended.byKind[kind.GroupKind()].add(client.ObjectKeyFromObject(object), object)
	}
	return &extended
}

// clone of no shelf is an empty one.
func (s *shelf) clone() *shelf {
	cpy := newShelf()
	if s == nil {
		return cpy
	}
	for _, object := range s.byNamespace[""] {
		cpy.add(client.ObjectKeyFromObject(object), object)
	}
	return cpy
}

// Get implements client.Reader.
func (f *Files) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	kind, err := apiutil.GVKForObject(into, f.scheme)
	if err != nil {
		return err
	}
	shelf := f.byKind[kind.GroupKind()]
	if shelf == nil || shelf.byKey[key] == nil {
		return apierrors.NewNotFound(schema.GroupResource{Group: kind.Group, Resource: strings.ToLower(kind.Kind)}, key.String())
	}
	reflect.ValueOf(into).Elem().Set(reflect.ValueOf(shelf.byKey[key]).Elem())
	return nil
}

// List implements client.Reader: by namespace, label selector and SlugIndex.
func (f *Files) List(_ context.Context, into client.ObjectList, opts ...client.ListOption) error {
	kind, err := apiutil.GVKForObject(into, f.scheme)
	if err != nil {
		return err
	}
	kind.Kind = strings.TrimSuffix(kind.Kind, "List")
	options := client.ListOptions{}
	options.ApplyOptions(opts)
	chosen := []client.Object{}
	if shelf := f.byKind[kind.GroupKind()]; shelf != nil {
		chosen = shelf.byNamespace[options.Namespace]
		if options.FieldSelector != nil {
			slug, found := options.FieldSelector.RequiresExactMatch(SlugIndex)
			if !found {
				return fmt.Errorf("files cannot be listed by %s", options.FieldSelector)
			}
			chosen = shelf.bySlug[slug]
		}
	}
	if options.LabelSelector != nil {
		chosen = slices.DeleteFunc(slices.Clone(chosen), func(o client.Object) bool { return !options.LabelSelector.Matches(labels.Set(o.GetLabels())) })
	}
	items := reflect.ValueOf(into).Elem().FieldByName("Items")
	if !items.IsValid() {
		return fmt.Errorf("%T cannot be listed from files: it has no items", into)
	}
	filled := reflect.MakeSlice(items.Type(), len(chosen), len(chosen))
	for i, object := range chosen {
		filled.Index(i).Set(reflect.ValueOf(object).Elem())
	}
	items.Set(filled)
	return nil
}
