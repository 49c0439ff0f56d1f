package engine

import "strings"

// schema walks a decoded JSON Schema of the dialect that OPA's type checker reads: properties,
// additionalProperties, items, enum, anyOf for what may be null, local $ref.
type schema struct {
	root any
	node any // nil is the root
}

func (s schema) here() map[string]any {
	node := s.node
	if node == nil {
		node = s.root
	}
	object, _ := node.(map[string]any)
	for range 8 { // a reference to a reference, but no circle
		target, isRef := object["$ref"].(string)
		if !isRef {
			break
		}
		object = s.resolve(target)
	}
	if branch := nonNull(object["anyOf"]); branch != nil {
		return schema{root: s.root, node: branch}.here()
	}
	return object
}

// resolve follows a local reference such as #/$defs/nic.
func (s schema) resolve(target string) map[string]any {
	object, _ := s.root.(map[string]any)
	for _, key := range strings.Split(strings.TrimPrefix(target, "#/"), "/") {
		object, _ = object[key].(map[string]any)
	}
	return object
}

// nonNull is the branch of an anyOf that is not the null type.
func nonNull(anyOf any) any {
	branches, _ := anyOf.([]any)
	for _, b := range branches {
		if branch, ok := b.(map[string]any); ok && branch["type"] != "null" {
			return branch
		}
	}
	return nil
}

func (s schema) nullable() bool {
	object, _ := s.node.(map[string]any)
	branches, _ := object["anyOf"].([]any)
	for _, b := range branches {
		if branch, ok := b.(map[string]any); ok && branch["type"] == "null" {
			return true
		}
	}
	return false
}

// child is the schema of a key or a list's element; false where the schema says nothing of it.
func (s schema) child(key string) (schema, bool) {
	here := s.here()
	if properties, ok := here["properties"].(map[string]any); ok {
		if node, found := properties[key]; found {
			return schema{root: s.root, node: node}, true
		}
	}
	for _, keyword := range []string{"items", "additionalProperties"} {
		if node, ok := here[keyword].(map[string]any); ok {
			return schema{root: s.root, node: node}, true
		}
	}
	return schema{}, false
}

// has reports whether a dotted path lies in the schema, or below a map.
func (s schema) has(path string) bool {
	for _, key := range splitPath(path) {
		if _, open := s.values(); open {
			return true // a map's key may hold dots itself
		}
		child, ok := s.child(key)
		if !ok {
			return false
		}
		s = child
	}
	return true
}

// fixed reports whether a key is a field of the schema, not one of a map's keys, whose absence is a fact of its own.
func (s schema) fixed(key string) bool {
	if _, open := s.values(); !open {
		return true
	}
	properties, _ := s.here()["properties"].(map[string]any)
	_, found := properties[key]
	return found
}

// values is the schema of a map's values; false for an object of fields.
func (s schema) values() (schema, bool) {
	node, ok := s.here()["additionalProperties"].(map[string]any)
	return schema{root: s.root, node: node}, ok
}

// build makes a value of the schema: variant 0 of zero values, variant 1 of others.
func (s schema) build(variant, depth int) any {
	here := s.here()
	if enum, ok := here["enum"].([]any); ok && len(enum) > 0 {
		return enum[variant*(len(enum)-1)]
	}
	switch here["type"] {
	case "boolean":
		return variant == 1
	case "string":
		return [2]string{"", "another"}[variant]
	case "integer", "number":
		return variant
	case "array":
		if element, ok := s.child("0"); ok && variant == 1 && depth < maxDepth {
			return []any{element.build(variant, depth+1)}
		}
		return []any{}
	case "object":
		return s.buildObject(variant, depth)
	default:
		return nil
	}
}

// maxDepth ends the building of a value whose schema contains itself.
const maxDepth = 8

func (s schema) buildObject(variant, depth int) any {
	object := map[string]any{}
	properties, _ := s.here()["properties"].(map[string]any)
	for key, node := range properties {
		if depth < maxDepth {
			object[key] = schema{root: s.root, node: node}.build(variant, depth+1)
		}
	}
	return object
}
