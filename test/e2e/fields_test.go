package e2e

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
)

// fieldPath leads to a value of a document: names of fields and, for entries of
// lists, their indexes.
type fieldPath []any

func (p fieldPath) String() string {
	text := ""
	for _, step := range p {
		switch step := step.(type) {
		case int:
			text += "[" + strconv.Itoa(step) + "]"
		case string:
			text += "." + step
		}
	}
	return strings.TrimPrefix(text, ".")
}

func (p fieldPath) below(step any) fieldPath { return append(slices.Clone(p), step) }

// within tells whether the path is a root, or lies below it.
func (p fieldPath) within(root string) bool {
	text := p.String()
	return text == root || strings.HasPrefix(text, root+".") || strings.HasPrefix(text, root+"[")
}

// edit is one change that a person could make to one owned field. Where the
// first values are not valid for the field, the others are tried.
type edit struct {
	path   fieldPath
	verb   string // change, remove or add
	values []any  // of change and add
}

func (e edit) String() string { return e.verb + " " + e.path.String() }

// on makes the edit in a copy of a document; false when the path is not there.
func (e edit) on(document map[string]any, value any) (map[string]any, bool) {
	edited := runtime.DeepCopyJSON(document)
	parent, found := lookup(edited, e.path[:len(e.path)-1])
	if !found {
		return nil, false
	}
	last := e.path[len(e.path)-1]
	switch holder := parent.(type) {
	case map[string]any:
		name, _ := last.(string)
		list, _ := holder[name].([]any)
		switch e.verb {
		case "remove":
			delete(holder, name)
		case "add":
			holder[name] = append(list, value)
		default:
			holder[name] = value
		}
	case []any:
		index, _ := last.(int)
		if index >= len(holder) {
			return nil, false
		}
		if e.verb != "remove" {
			holder[index] = value
			return edited, true
		}
		return edit{path: e.path[:len(e.path)-1], verb: "change"}.on(edited, slices.Delete(holder, index, index+1))
	}
	return edited, true
}

func lookup(document any, path fieldPath) (any, bool) {
	value := document
	for _, step := range path {
		switch step := step.(type) {
		case string:
			fields, _ := value.(map[string]any)
			next, found := fields[step]
			if !found {
				return nil, false
			}
			value = next
		case int:
			list, _ := value.([]any)
			if step >= len(list) {
				return nil, false
			}
			value = list[step]
		}
	}
	return value, true
}

// editsOf are a change and a removal of every field of a child's document, one
// at a time, and an entry added to each list that is owned as a whole.
func editsOf(document map[string]any, exact []string) []edit {
	all := []edit{}
	var walk func(path fieldPath, value any)
	walk = func(path fieldPath, value any) {
		if list, isList := value.([]any); isList && slices.ContainsFunc(exact, path.within) {
			added := any(map[string]any{})
			if len(list) > 0 {
				added = runtime.DeepCopyJSONValue(list[len(list)-1])
			}
			all = append(all, edit{path, "add", []any{map[string]any{}, renamed(added)}})
		}
		switch value := value.(type) {
		case map[string]any:
			for _, name := range sortedKeys(value) {
				walk(path.below(name), value[name])
			}
			if len(value) > 0 {
				return
			}
		case []any:
			for index, entry := range value {
				walk(path.below(index), entry)
			}
			if len(value) > 0 {
				return
			}
		}
		_, object := value.(map[string]any)
		if others := othersThan(value); len(others) > 0 && (!object || strings.HasSuffix(path.String(), "elector")) {
			all = append(all, edit{path, "change", others})
		}
		all = append(all, edit{path: path, verb: "remove"})
	}
	for _, root := range sortedKeys(document) {
		switch root {
		case "apiVersion", "kind": // another kind is another object
		case "metadata":
			metadata, _ := document[root].(map[string]any)
			for _, field := range []string{"labels", "annotations", "ownerReferences"} { // name and namespace are its identity
				if value, found := metadata[field]; found {
					walk(fieldPath{root, field}, value)
				}
			}
		default:
			walk(fieldPath{root}, document[root])
		}
	}
	return all
}

func sortedKeys(fields map[string]any) []string {
	names := make([]string, 0, len(fields))
	for name := range fields {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// renamed gives an added entry a name of its own, where it has one.
func renamed(entry any) any {
	if fields, ok := entry.(map[string]any); ok {
		if name, named := fields["name"].(string); named {
			fields["name"] = name + "-added"
		}
	}
	return entry
}

// alternatives are other words of an enumeration that an API knows.
var alternatives = map[string]string{
	"TCP": "UDP", "UDP": "TCP", "Ingress": "Egress", "Egress": "Ingress", "Always": "Halted", "Halted": "Always",
	"Container": "Pod", "virtio": "sata", "ServiceAccount": "User", "ClusterRole": "Role", "privileged": "baseline",
}

// othersThan are values of the kind of a value, none of which it equals.
func othersThan(value any) []any {
	others := []any{}
	switch value := value.(type) {
	case string:
		if other, known := alternatives[value]; known {
			others = append(others, other)
		}
		if amount, err := resource.ParseQuantity(value); err == nil {
			amount.Add(amount)
			others = append(others, amount.String())
			amount.Sub(*resource.NewQuantity(1, amount.Format))
			others = append(others, amount.String(), "1")
		}
		others = append(others, value+"x", "192.0.2.0/24", "ZHJpZnQ=", "11111111-2222-3333-4444-555555555555")
	case bool:
		others = append(others, !value)
	case int64:
		others = append(others, value+1, value-1)
	case []any:
		others = append(others, []any{map[string]any{}})
	case map[string]any:
		// Only a selector of all can be narrowed; what is added to another empty
		// object is not Cato's.
		others = append(others, map[string]any{"matchLabels": map[string]any{"drift": "x"}})
	default:
		panic(fmt.Sprintf("a value of type %T in a document", value))
	}
	return slices.DeleteFunc(others, func(other any) bool { return reflect.DeepEqual(other, value) })
}

// missing lists the owned fields that a live document does not have as they
// should be. Below the exact paths nothing else may be there either.
func missing(path fieldPath, want, have any, exact []string) []string {
	whole := slices.ContainsFunc(exact, path.within)
	switch want := want.(type) {
	case map[string]any:
		fields, ok := have.(map[string]any)
		if !ok && len(want) == 0 && strings.HasSuffix(path.String(), ".resources") {
			return nil // no pointer in Go: absent and empty are one there
		}
		if !ok {
			return []string{path.String()}
		}
		paths := []string{}
		for _, name := range sortedKeys(want) {
			paths = append(paths, missing(path.below(name), want[name], fields[name], exact)...)
		}
		for _, name := range sortedKeys(fields) {
			if _, wanted := want[name]; whole && !wanted {
				paths = append(paths, path.below(name).String())
			}
		}
		return paths
	case []any:
		list, _ := have.([]any)
		if len(list) < len(want) || len(list) > len(want) && whole {
			return []string{path.String()}
		}
		paths := []string{}
		for index := range want {
			paths = append(paths, missing(path.below(index), want[index], list[index], exact)...)
		}
		return paths
	default:
		if reflect.DeepEqual(want, have) || want == false && have == nil { // absent means false
			return nil
		}
		return []string{path.String()}
	}
}
