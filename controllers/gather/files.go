package gather

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"
	sigsyaml "sigs.k8s.io/yaml"
)

// Files is a client.Reader over the objects of YAML or JSON documents. It gets,
// and lists by namespace, label and index; anything else is an error. What it
// hands out is shared, so that a large input is not copied for each subject:
// readers change nothing.
type Files struct {
	// Validate looks at each document of a kind of ours before it is decoded;
	// nil is no look. It is set once, before use.
	Validate func(kind schema.GroupVersionKind, document []byte) error
	Skipped  map[string]int // documents of kinds that are not judged, by kind

	scheme  *runtime.Scheme
	strict  runtime.Decoder // for kinds of ours: an unknown field is an error
	lenient runtime.Decoder // for dumps of others' kinds
	byKind  map[schema.GroupKind]*shelf
	order   []client.Object
	lost    map[lost]string
}

// NewFiles returns a reader without objects.
func NewFiles() (*Files, error) {
	scheme, err := Scheme()
	if err != nil {
		return nil, err
	}
	return &Files{
		Skipped: map[string]int{}, scheme: scheme,
		strict:  json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme, scheme, json.SerializerOptions{Strict: true}),
		lenient: json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme, scheme, json.SerializerOptions{}),
		byKind:  map[schema.GroupKind]*shelf{}, lost: map[lost]string{},
	}, nil
}

// Add reads all documents of r. The errors of all documents are joined; each
// names the source, the document's number and, where it is known, the object.
func (f *Files) Add(source string, r io.Reader) error {
	documents := yaml.NewYAMLReader(bufio.NewReaderSize(r, 64<<10))
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
	data, err := sigsyaml.YAMLToJSONStrict(document)
	if err != nil {
		f.loseText(document)
		return fmt.Errorf("not YAML, correct it at that line: %w", err)
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
		return errors.New("not a Kubernetes object, it has no apiVersion or no kind: add them, or leave the document out")
	}
	if kind.Kind == "List" && kind.Group == "" {
		return f.items(data)
	}
	if !f.scheme.Recognizes(*kind) {
		return f.foreign(*kind, data)
	}
	object, err := f.decode(*kind, data)
	if object == nil && err == nil { // a typed list
		return f.items(data)
	}
	missing := object == nil
	if object != nil {
		adding := f.add(*kind, object)
		missing = adding != nil
		err = errors.Join(err, adding)
	}
	if err == nil {
		return nil
	}
	name := nameIn(data)
	if missing {
		f.lose(kind.GroupKind(), name.Namespace)
	}
	return fmt.Errorf("%s: %w", describe(kind.Kind, name), err)
}

// foreign counts what is not read. A kind that is read, in a version that is
// not, would be missed without a word, so it is an error.
func (f *Files) foreign(kind schema.GroupVersionKind, data []byte) error {
	read := f.scheme.VersionsForGroupKind(kind.GroupKind())
	if kind.Group == "extensions" && kind.Kind == "NetworkPolicy" {
		kind.Group = "networking.k8s.io"
		read = f.scheme.VersionsForGroupKind(kind.GroupKind())
	}
	if len(read) == 0 {
		f.Skipped[kind.Kind]++
		return nil
	}
	name := nameIn(data)
	f.lose(kind.GroupKind(), name.Namespace)
	return fmt.Errorf("%s: apiVersion of version %q is not read: use %s", describe(kind.Kind, name), kind.Version, read[0])
}

// decode returns nil without an error for a list. Of an object that a cluster
// holds (with a uid) what can be read is returned beside the error, since it
// is there whatever its fields; one that is not stored yet must be right first.
func (f *Files) decode(kind schema.GroupVersionKind, data []byte) (client.Object, error) {
	if !ours(kind.Group) {
		decoded, _, err := f.lenient.Decode(data, nil, nil)
		if err != nil {
			return nil, errors.Join(err, badQuantities(data))
		}
		object, _ := decoded.(client.Object)
		return object, nil
	}
	var problem error
	if f.Validate != nil {
		problem = f.Validate(kind, data)
	}
	decoded, _, err := f.strict.Decode(data, nil, nil)
	switch {
	case runtime.IsStrictDecodingError(err):
		problem = errors.Join(problem, fmt.Errorf("%w: remove or correct it", err))
	case err != nil && problem != nil:
		return nil, problem
	case err != nil:
		return nil, err
	}
	object, isObject := decoded.(client.Object)
	if !isObject {
		return nil, nil
	}
	if problem != nil && object.GetUID() == "" {
		return nil, problem
	}
	return object, problem
}

func ours(group string) bool {
	return group == "virtfoundry.io" || group == "uds.dev" || group == "cato.dev"
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
		return errors.New("metadata.name is missing: give the object a name")
	}
	if key.Namespace == "" && !clusterScoped(kind.Kind) {
		key.Namespace = DefaultNamespace
		object.SetNamespace(key.Namespace)
	}
	object.GetObjectKind().SetGroupVersionKind(kind)
	shelf := f.byKind[kind.GroupKind()]
	if shelf == nil {
		shelf = newShelf()
		f.byKind[kind.GroupKind()] = shelf
	}
	if known := shelf.byKey[key]; known != nil && equality.Semantic.DeepEqual(known, object) {
		return nil // files that are applied together often repeat their namespace
	}
	if !shelf.add(key, object) {
		return errors.New("is in the input twice, and not alike: leave one out")
	}
	f.order = append(f.order, object)
	return nil
}

// DefaultNamespace is where kubectl puts an object that names no namespace.
const DefaultNamespace = "default"

// clusterScoped knows the kinds of Scheme that are read and live in no namespace.
func clusterScoped(kind string) bool {
	switch kind {
	case "Tenant", "ComplianceProfile", "Namespace", "Node", "PersistentVolume", "StorageClass", "ClusterRole", "ClusterRoleBinding",
		"CDI", "CDIConfig", "StorageProfile", "VirtualMachineClusterInstancetype", "VirtualMachineClusterPreference":
		return true
	}
	return false
}

// Objects are all objects in the order of the input.
func (f *Files) Objects() []client.Object { return f.order }
