package gather

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
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
		plural := strings.ToLower(where.kind) + "s"
		if stem, ends := strings.CutSuffix(strings.ToLower(where.kind), "y"); ends {
			plural = stem + "ies"
		}
		if plural == name && (where.namespace == "" || namespace == "" || where.namespace == namespace) {
			return reason
		}
	}
	return ""
}

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

// badQuantities names the fields that hold no quantity, which a decoder of
// typed objects does not tell.
func badQuantities(data []byte) error {
	var document any
	if err := sigsyaml.Unmarshal(data, &document); err != nil {
		return nil // told already
	}
	var problems []error
	walk("", document, false, func(path, text string) {
		if _, err := resource.ParseQuantity(text); err != nil {
			problems = append(problems, fmt.Errorf("%s: %.64q is no quantity: write a number with a suffix, such as 10Gi or 500m", path, text))
		}
	})
	return errors.Join(problems...)
}

// walk visits the texts of those fields that hold quantities in the kinds that are read.
func walk(path string, value any, quantities bool, visit func(path, text string)) {
	switch v := value.(type) {
	case map[string]any:
		keys := make([]string, 0, len(v))
		for key := range v {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		for _, key := range keys {
			walk(strings.TrimPrefix(path+"."+key, "."), v[key], quantities || holdsQuantities(key), visit)
		}
	case []any:
		for i, item := range v {
			walk(fmt.Sprintf("%s[%d]", path, i), item, false, visit)
		}
	case string:
		if quantities {
			visit(path, v)
		}
	}
}

func holdsQuantities(field string) bool {
	switch field {
	case "hard", "used", "requests", "limits", "capacity", "min", "max", "default", "defaultRequest", "maxLimitRequestRatio", "guest", "maxGuest":
		return true
	}
	return false
}
