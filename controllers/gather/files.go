package gather

import (
	"bufio"
	"bytes"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

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
	Broken   []Broken       // objects of kinds that are read, of which nothing is among Objects

	scheme  *runtime.Scheme
	strict  runtime.Decoder // for kinds of ours: an unknown field is an error
	lenient runtime.Decoder // for dumps of others' kinds
	byKind  map[schema.GroupKind]*shelf
	order   []client.Object
	lost    map[lost]string

	overrulers []Overruler
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
		err = fmt.Errorf("not YAML, correct it at that line: %w", err)
		f.breakText(document, err)
		return err
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
	if kind.Kind == "List" && kind.Group == "" || f.lists(*kind) {
		return f.items(*kind, data)
	}
	if !f.scheme.Recognizes(*kind) {
		return f.foreign(*kind, data)
	}
	object, err := f.decode(*kind, data)
	if object == nil && err == nil {
		err = errors.New("is no object with metadata: leave the document out")
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
		f.broken(*kind, data, err)
	}
	return fmt.Errorf("%s: %w", describe(kind.Kind, name), err)
}

// foreign counts what is not read. A kind that is read, in a version that is
// not, would be missed without a word, so it is an error.
func (f *Files) foreign(kind schema.GroupVersionKind, data []byte) error {
	read := f.scheme.VersionsForGroupKind(kind.GroupKind())
	f.overrules(kind, data)
	if kind.Group == "extensions" && strings.TrimSuffix(kind.Kind, "List") == "NetworkPolicy" {
		kind.Group, kind.Kind = "networking.k8s.io", "NetworkPolicy"
		read = f.scheme.VersionsForGroupKind(kind.GroupKind())
	}
	if len(read) == 0 {
		f.Skipped[kind.Kind]++
		return nil
	}
	name := nameIn(data)
	f.lose(kind.GroupKind(), name.Namespace)
	err := fmt.Errorf("apiVersion of version %q is not read: use %s", kind.Version, read[0])
	f.broken(read[0].WithKind(kind.Kind), data, err)
	return fmt.Errorf("%s: %w", describe(kind.Kind, name), err)
}

// decode never returns a list. Of an object of ours what can
// be read is returned beside the error: an error alone would leave its topics
// without a verdict, and no verdict reads as no objection.
func (f *Files) decode(kind schema.GroupVersionKind, data []byte) (client.Object, error) {
	if !ours(kind.Group) {
		decoded, _, err := f.lenient.Decode(data, nil, nil)
		if err != nil {
			return nil, decodingProblem(kind.Kind, data, err)
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
		return nil, decodingProblem(kind.Kind, data, err)
	}
	object, isObject := decoded.(client.Object)
	if !isObject {
		return nil, nil
	}
	return object, problem
}

func ours(group string) bool {
	return group == "virtfoundry.io" || group == "uds.dev" || group == "cato.dev"
}

// lists tells whether the kind is a list of a kind that is read, such as NetworkPolicyList.
func (f *Files) lists(kind schema.GroupVersionKind) bool {
	item, isList := strings.CutSuffix(kind.Kind, "List")
	return isList && f.scheme.Recognizes(kind.GroupVersion().WithKind(item))
}

// items reads the items of a list. Those of a typed list need not repeat its kind.
func (f *Files) items(kind schema.GroupVersionKind, data []byte) error {
	itemKind := strings.TrimSuffix(kind.Kind, "List")
	var list struct {
		Items []stdjson.RawMessage `json:"items"`
	}
	if err := sigsyaml.Unmarshal(data, &list); err != nil {
		f.lost[lost{itemKind, ""}] = fmt.Sprintf("a %s of the input could not be read", kind.Kind)
		return fmt.Errorf("%s: %w", kind.Kind, err)
	}
	var problems []error
	for i, item := range list.Items {
		if itemKind != "" {
			item = withKind(item, kind.GroupVersion(), itemKind)
		}
		if err := f.object(item); err != nil {
			problems = append(problems, fmt.Errorf("item %d: %w", i+1, err))
		}
	}
	return errors.Join(problems...)
}

// withKind adds the kind to an item that has none, as clients write typed lists.
func withKind(item []byte, version schema.GroupVersion, kind string) []byte {
	fields := map[string]stdjson.RawMessage{}
	if stdjson.Unmarshal(item, &fields) != nil || fields["kind"] != nil {
		return item // told when it is read
	}
	fields["apiVersion"], fields["kind"] = stdjson.RawMessage(strconv.Quote(version.String())), stdjson.RawMessage(strconv.Quote(kind))
	whole, err := stdjson.Marshal(fields)
	if err != nil {
		return item
	}
	return whole
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
		"CDI", "CDIConfig", "StorageProfile", "VirtualMachineClusterInstancetype", "VirtualMachineClusterPreference",
		"User", "Offering", "VolumeSnapshotClass":
		return true
	}
	return false
}

// Objects are all objects in the order of the input.
func (f *Files) Objects() []client.Object { return f.order }
