package engine

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// strays lists where a decoded document differs from the schema: facts that are missing, unknown or of another
// type. Facts are total, so a document with any of these is not one that a subject can have.
func (s schema) strays(node any, at trail) []string {
	if node == nil && s.nullable() {
		return nil
	}
	if want, got := s.here()["type"], typeOf(node); want != got && (want != "integer" || got != "number") {
		return []string{fmt.Sprintf("%s is of type %s, not %v", at, got, want)}
	}
	var found []string
	switch n := node.(type) {
	case map[string]any:
		found = s.missing(n, at)
		for _, key := range slices.Sorted(maps.Keys(n)) {
			if child, known := s.child(key); known {
				found = append(found, child.strays(n[key], at.with(key))...)
			} else {
				found = append(found, fmt.Sprintf("%s is not in the schema", at.with(key)))
			}
		}
	case []any:
		element, _ := s.child("0")
		for i, e := range n {
			found = append(found, element.strays(e, at.with(i))...)
		}
	}
	return found
}

func (s schema) missing(object map[string]any, at trail) []string {
	var found []string
	properties, _ := s.here()["properties"].(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(properties)) {
		if _, present := object[key]; !present {
			found = append(found, fmt.Sprintf("%s is missing", at.with(key)))
		}
	}
	return found
}

func typeOf(node any) string {
	switch node.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	case json.Number, float64, int:
		return "number"
	default:
		return fmt.Sprintf("%T", node)
	}
}
