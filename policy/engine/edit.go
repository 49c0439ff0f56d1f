package engine

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// trail leads into a decoded JSON document; a step is a key (string) or an index (int).
type trail []any

func (p trail) with(step any) trail { return append(slices.Clone(p), step) }

func (p trail) String() string {
	parts := make([]string, len(p))
	for i, step := range p {
		parts[i] = fmt.Sprint(step)
	}
	return strings.Join(parts, ".")
}

// replace returns the document with another value at the path; the original stays as it is.
func replace(document any, at trail, value any) any {
	if len(at) == 0 {
		return value
	}
	switch n := document.(type) {
	case map[string]any:
		key, _ := at[0].(string)
		n = maps.Clone(n)
		n[key] = replace(n[key], at[1:], value)
		return n
	case []any:
		index, _ := at[0].(int)
		n = slices.Clone(n)
		n[index] = replace(n[index], at[1:], value)
		return n
	default:
		return document
	}
}

// remove returns the document without the key that the path ends in.
func remove(document any, at trail) any {
	parent, key := at[:len(at)-1], fmt.Sprint(at[len(at)-1])
	object, _ := find(document, parent).(map[string]any)
	object = maps.Clone(object)
	delete(object, key)
	return replace(document, parent, object)
}

func find(document any, at trail) any {
	for _, step := range at {
		switch n := document.(type) {
		case map[string]any:
			key, _ := step.(string)
			document = n[key]
		case []any:
			index, _ := step.(int)
			document = n[index]
		}
	}
	return document
}

// alternatives are other values that a fact could have: their effect shows whether the fact decides.
func alternatives(node any, s schema) []any {
	switch n := node.(type) {
	case bool:
		return []any{!n}
	case string:
		others := []any{"", "another"}
		enum, _ := s.here()["enum"].([]any)
		return slices.DeleteFunc(append(others, enum...), func(o any) bool { return o == n })
	case json.Number, float64, int:
		return []any{-1, 0, 1, int64(1) << 50}
	case []any:
		element, _ := s.child("0")
		lists := []any{[]any{}}
		for _, built := range []any{element.build(0, 0), element.build(1, 0)} {
			lists = append(lists, []any{built}, append(slices.Clone(n), built))
		}
		return lists
	case map[string]any:
		return otherMaps(n, s)
	case nil:
		return []any{s.build(0, 0), s.build(1, 0)}
	default:
		return nil
	}
}

// otherMaps are the changes of an object whose keys the schema leaves open: emptied, and with one more key.
func otherMaps(n map[string]any, s schema) []any {
	value, open := s.values()
	if !open {
		return nil
	}
	others := []any{map[string]any{}}
	for _, built := range []any{value.build(0, 0), value.build(1, 0)} {
		more := maps.Clone(n)
		more["another"] = built
		others = append(others, more)
	}
	return others
}
