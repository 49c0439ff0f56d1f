package gather

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"sigs.k8s.io/controller-runtime/pkg/client"
	sigsyaml "sigs.k8s.io/yaml"
)

// lost is where a document could not be read: then what is there of that kind
// is not known, and what depends on it is unknown and never a pass.
type lost struct{ kind, namespace string } // an empty namespace is every namespace

// lose remembers that an object of the kind is missing from what was read.
func (f *Files) lose(kind schema.GroupKind, namespace string) {
	if namespace == "" && !clusterScoped(kind.Kind) {
		namespace = DefaultNamespace
	}
	f.lost[lost{kind.Kind, namespace}] = fmt.Sprintf("a %s of the input could not be read", kind.Kind)
}

// loseText does the same for text that is not even YAML, by the kind that it seems to have.
func (f *Files) loseText(document []byte) {
	for _, found := range regexp.MustCompile(`(?m)^[\s"{]*kind"?\s*:\s*"?([A-Za-z]+)`).FindAllSubmatch(document, -1) {
		kind := string(found[1])
		f.lost[lost{kind, ""}] = fmt.Sprintf("a document of the input that is not YAML seems to hold a %s", kind)
	}
}

// Blind implements Blindness for Gatherer.
func (f *Files) Blind(resource, namespace string) string {
	name, _, _ := strings.Cut(resource, ".")
	for where, reason := range f.lost {
		plural, _ := meta.UnsafeGuessKindToResource(schema.GroupVersionKind{Kind: where.kind})
		if plural.Resource == name && (where.namespace == "" || namespace == "" || where.namespace == namespace) {
			return reason
		}
	}
	return ""
}

// Broken is an object of which kind and name can be read and the rest cannot.
type Broken struct {
	Kind   schema.GroupVersionKind
	Key    client.ObjectKey
	Stored bool // a cluster holds it: it has a uid
	Reason string
}

// broken remembers who an object is that is missing from what was read. One
// without a name cannot be told from another.
func (f *Files) broken(kind schema.GroupVersionKind, data []byte, err error) {
	var named metav1.PartialObjectMetadata
	if sigsyaml.Unmarshal(data, &named) != nil || named.Name == "" {
		return
	}
	key := client.ObjectKeyFromObject(&named)
	if key.Namespace == "" && !clusterScoped(kind.Kind) {
		key.Namespace = DefaultNamespace
	}
	f.Broken = append(f.Broken, Broken{Kind: kind, Key: key, Stored: named.UID != "", Reason: err.Error()})
}

// breakText does the same for text that is YAML only to a lenient reader, such as one with a key doubled.
func (f *Files) breakText(document []byte, cause error) {
	data, err := sigsyaml.YAMLToJSON(document)
	if err != nil {
		return
	}
	if kind, err := json.DefaultMetaFactory.Interpret(data); err == nil && f.scheme.Recognizes(*kind) {
		f.broken(*kind, data, cause)
	}
}

// overrules keeps a policy that is asked before every NetworkPolicy.
func (f *Files) overrules(kind schema.GroupVersionKind, data []byte) {
	if kind.Group != OverrulingGroup || !slices.Contains(OverrulingKinds(), kind.Kind) {
		return
	}
	text, err := sigsyaml.YAMLToJSON(data)
	if err != nil {
		text = nil // ReadOverruler says of it that it cannot be read
	}
	if o, allows := ReadOverruler(kind.GroupKind(), text); allows {
		f.overrulers = append(f.overrulers, o)
	}
}

// Overrulers are the policies of the input that allow traffic before any
// NetworkPolicy is asked.
func (f *Files) Overrulers() []Overruler { return f.overrulers }

// nameIn reads the name of an object that did not decode, as far as it can be read.
func nameIn(data []byte) client.ObjectKey {
	var named metav1.PartialObjectMetadata
	if err := sigsyaml.Unmarshal(data, &named); err != nil {
		return client.ObjectKey{}
	}
	return client.ObjectKey{Namespace: named.Namespace, Name: named.Name}
}

func describe(kind string, name client.ObjectKey) string {
	switch {
	case name.Name == "":
		return kind
	case name.Namespace == "":
		return kind + " " + name.Name
	default:
		return kind + " " + name.String()
	}
}
