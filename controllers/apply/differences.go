package apply

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Document returns what is applied for a child: its content as JSON has it,
// without what the server alone writes, and with the empty lists that it owns.
func Document(child client.Object) (map[string]any, error) {
	return document(child, child.GetObjectKind().GroupVersionKind().Kind)
}

// document is an object as JSON has it, without what the server alone writes.
func document(object client.Object, kind string) (map[string]any, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", describe(object), err)
	}
	delete(content, "status")
	prune(content)
	if metadata, ok := content["metadata"].(map[string]any); ok {
		for _, field := range []string{"managedFields", "generation", "creationTimestamp", "selfLink"} {
			delete(metadata, field)
		}
	}
	declareEmpty(content, kind)
	return content, nil
}

// declareEmpty writes the empty values that mean something and that typed
// objects leave out: a NetworkPolicy without ingress rules must own that field,
// or a rule that another adds stays; a machine without dedicated processors too.
func declareEmpty(content map[string]any, kind string) {
	switch kind {
	case "NetworkPolicy":
		if spec, ok := content["spec"].(map[string]any); ok {
			declare(spec, "ingress", []any{})
			declare(spec, "egress", []any{})
		}
	case "VirtualMachine":
		if cpu, ok := lookup(content, "spec.template.spec.domain.cpu").(map[string]any); ok {
			declare(cpu, "dedicatedCpuPlacement", false)
		}
	}
}

func declare(fields map[string]any, name string, value any) {
	if fields[name] == nil {
		fields[name] = value
	}
}

// prune drops nulls: a typed object writes one for a time that was never set.
func prune(value map[string]any) {
	for key, entry := range value {
		switch entry := entry.(type) {
		case nil:
			delete(value, key)
		case map[string]any:
			prune(entry)
		case []any:
			for _, item := range entry {
				if inner, ok := item.(map[string]any); ok {
					prune(inner)
				}
			}
		}
	}
}

// Differences lists the dotted paths at which live is not as desired, sorted.
func Differences(desired, live map[string]any, exact []string) []string {
	var paths []string
	for key, want := range desired {
		switch key {
		case "apiVersion", "kind", "status":
		case "metadata":
			paths = append(paths, metadataDifferences(want, live[key])...)
		default:
			paths = append(paths, compare(key, want, live[key], exact)...)
		}
	}
	for _, path := range exact {
		if !same(lookup(desired, path), lookup(live, path)) {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

// lookup returns the value at a dotted path, or nil.
func lookup(content map[string]any, path string) any {
	var value any = content
	for _, key := range strings.Split(path, ".") {
		fields, ok := value.(map[string]any)
		if !ok {
			return nil
		}
		value = fields[key]
	}
	return value
}

// same compares two values; an empty list and none are one to the API.
func same(want, have any) bool {
	if list, ok := want.([]any); ok && len(list) == 0 {
		want = nil
	}
	if list, ok := have.([]any); ok && len(list) == 0 {
		have = nil
	}
	return reflect.DeepEqual(want, have)
}

func metadataDifferences(desired, live any) []string {
	want, _ := desired.(map[string]any)
	have, _ := live.(map[string]any)
	var paths []string
	for _, field := range []string{"labels", "annotations"} {
		paths = append(paths, compare("metadata."+field, want[field], have[field], nil)...)
	}
	owners, _ := want["ownerReferences"].([]any)
	current, _ := have["ownerReferences"].([]any)
	for _, owner := range owners {
		if !slices.ContainsFunc(current, func(other any) bool { return reflect.DeepEqual(owner, other) }) {
			paths = append(paths, "metadata.ownerReferences")
		}
	}
	return paths
}

func compare(path string, want, have any, exact []string) []string {
	if slices.Contains(exact, path) {
		return nil // compared as a whole
	}
	switch want := want.(type) {
	case nil:
		return nil
	case map[string]any:
		return compareMaps(path, want, have, exact)
	case []any:
		return compareLists(path, want, have, exact)
	default:
		if reflect.DeepEqual(want, have) {
			return nil
		}
		return []string{path}
	}
}

func compareMaps(path string, want map[string]any, have any, exact []string) []string {
	current, ok := have.(map[string]any)
	if !ok {
		return []string{path} // an empty object says something where none does not: masquerade: {}
	}
	var paths []string
	for key, value := range want {
		paths = append(paths, compare(path+"."+key, value, current[key], exact)...)
	}
	return paths
}

func compareLists(path string, want []any, have any, exact []string) []string {
	current, _ := have.([]any)
	if len(want) != len(current) {
		return []string{path}
	}
	var paths []string
	for i := range want {
		paths = append(paths, compare(fmt.Sprintf("%s[%d]", path, i), want[i], current[i], exact)...)
	}
	return paths
}

// within tells whether one of the paths is, or lies below, one of the roots.
func within(paths, roots []string) bool {
	return slices.ContainsFunc(paths, func(path string) bool {
		return slices.ContainsFunc(roots, func(root string) bool {
			return path == root || strings.HasPrefix(path, root+".") || strings.HasPrefix(path, root+"[")
		})
	})
}

func isNil(object client.Object) bool {
	return object == nil || reflect.ValueOf(object).IsNil()
}
