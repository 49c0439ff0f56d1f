package gather

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	sigsyaml "sigs.k8s.io/yaml"
)

// Files is a client.Reader over the objects of YAML or JSON documents. It gets,
// and lists by namespace, label and index; anything else is an error.
type Files struct {
	scheme  *runtime.Scheme
	strict  runtime.Decoder // for kinds of ours: an unknown field is an error
	lenient runtime.Decoder // for dumps of others' kinds
	objects map[schema.GroupVersionKind]map[client.ObjectKey]client.Object
	order   []client.Object
	Skipped map[string]int // documents of kinds that are not judged, by kind
}

// NewFiles returns a reader without objects.
func NewFiles() (*Files, error) {
	scheme, err := Scheme()
	if err != nil {
		return nil, err
	}
	return &Files{
		scheme:  scheme,
		strict:  json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme, scheme, json.SerializerOptions{Strict: true}),
		lenient: json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme, scheme, json.SerializerOptions{}),
		objects: map[schema.GroupVersionKind]map[client.ObjectKey]client.Object{},
		Skipped: map[string]int{},
	}, nil
}

// Add reads all documents of r. The errors of all documents are joined; each
// names the source, the document's number and, where it is known, the object.
func (f *Files) Add(source string, r io.Reader) error {
	documents := yaml.NewYAMLReader(bufio.NewReader(r))
	var problems []error
	for number := 1; ; number++ {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return errors.Join(problems...)
		}
		if err != nil {
			return errors.Join(append(problems, fmt.Errorf("%s: document %d: %w", source, number, err))...)
		}
		if err := f.document(document); err != nil {
			problems = append(problems, fmt.Errorf("%s: document %d: %w", source, number, err))
		}
	}
}

func (f *Files) document(document []byte) error {
	data, err := sigsyaml.YAMLToJSON(document)
	if err != nil {
		return fmt.Errorf("not YAML: %w", err)
	}
	if bytes.Equal(data, []byte("null")) {
		return nil
	}
	return f.object(data)
}

func (f *Files) object(data []byte) error {
	kind, err := json.DefaultMetaFactory.Interpret(data)
	if err != nil {
		return fmt.Errorf("not a Kubernetes object: %w", err)
	}
	if kind.Kind == "" || kind.Version == "" {
		return errors.New("not a Kubernetes object: it has no apiVersion or no kind")
	}
	if kind.Kind == "List" && kind.Group == "" {
		return f.items(data)
	}
	if !f.scheme.Recognizes(*kind) {
		f.Skipped[kind.Kind]++
		return nil
	}
	decoder := f.lenient
	if ours(kind.Group) {
		decoder = f.strict
	}
	decoded, _, err := decoder.Decode(data, nil, nil)
	if err != nil {
		return fmt.Errorf("%s: %w", describe(data, kind.Kind), err)
	}
	object, ok := decoded.(client.Object)
	if !ok { // a typed list
		return f.items(data)
	}
	return f.add(*kind, object)
}

func ours(group string) bool {
	return group == "virtfoundry.io" || group == "uds.dev" || group == "cato.dev"
}

// describe names an object that did not decode, as far as it can be read.
func describe(data []byte, kind string) string {
	var named metav1.PartialObjectMetadata
	if err := sigsyaml.Unmarshal(data, &named); err != nil || named.Name == "" {
		return kind
	}
	return strings.TrimSuffix(fmt.Sprintf("%s %s/%s", kind, named.Namespace, named.Name), "/")
}

func (f *Files) items(data []byte) error {
	var list struct {
		Items []runtime.RawExtension `json:"items"`
	}
	if err := sigsyaml.Unmarshal(data, &list); err != nil {
		return fmt.Errorf("list: %w", err)
	}
	var problems []error
	for i, item := range list.Items {
		if err := f.object(item.Raw); err != nil {
			problems = append(problems, fmt.Errorf("item %d: %w", i+1, err))
		}
	}
	return errors.Join(problems...)
}

func (f *Files) add(kind schema.GroupVersionKind, object client.Object) error {
	key := client.ObjectKeyFromObject(object)
	if key.Name == "" {
		return fmt.Errorf("%s: metadata.name is missing", kind.Kind)
	}
	if f.objects[kind] == nil {
		f.objects[kind] = map[client.ObjectKey]client.Object{}
	}
	if f.objects[kind][key] != nil {
		return fmt.Errorf("%s %s is in the input twice: leave one out", kind.Kind, key)
	}
	object.GetObjectKind().SetGroupVersionKind(kind)
	f.objects[kind][key] = object
	f.order = append(f.order, object)
	return nil
}

// Objects are all objects in the order of the input.
func (f *Files) Objects() []client.Object { return f.order }

// Get implements client.Reader.
func (f *Files) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	kind, err := apiutil.GVKForObject(into, f.scheme)
	if err != nil {
		return err
	}
	object := f.objects[kind][key]
	if object == nil {
		return apierrors.NewNotFound(schema.GroupResource{Group: kind.Group, Resource: strings.ToLower(kind.Kind)}, key.String())
	}
	reflect.ValueOf(into).Elem().Set(reflect.ValueOf(object.DeepCopyObject()).Elem())
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
	slug, bySlug := "", false
	if options.FieldSelector != nil {
		if slug, bySlug = options.FieldSelector.RequiresExactMatch(SlugIndex); !bySlug {
			return fmt.Errorf("files cannot be listed by %s", options.FieldSelector)
		}
	}
	items := []runtime.Object{}
	for _, object := range f.order {
		chosen := object.GetObjectKind().GroupVersionKind() == kind &&
			(options.Namespace == "" || options.Namespace == object.GetNamespace()) &&
			(options.LabelSelector == nil || options.LabelSelector.Matches(labels.Set(object.GetLabels()))) &&
			(!bySlug || len(SlugOf(object)) == 1 && SlugOf(object)[0] == slug)
		if chosen {
			items = append(items, object.DeepCopyObject())
		}
	}
	return meta.SetList(into, items)
}
