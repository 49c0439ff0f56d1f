package facts

import (
	"fmt"
	"reflect"
	"strings"
)

// factName is the field's name in the document: the name of its json tag. A
// tag with an option (omitempty) would make the document partial and is refused.
func factName(f reflect.StructField, path string) (string, error) {
	name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "" || name == "-" || options != "" || f.Anonymous || !f.IsExported() {
		return "", fmt.Errorf("%s: field %s needs a plain json name: facts are total", path, f.Name)
	}
	return name, nil
}

// Schema returns the JSON Schema of the document in the dialect that OPA's
// type checker understands: closed objects, and null only beside a scalar.
func Schema() (map[string]any, error) {
	schema, err := schemaOf(reflect.TypeFor[Input](), "input")
	if err != nil {
		return nil, err
	}
	schema["$schema"] = "http://json-schema.org/draft-07/schema#"
	schema["title"] = "Cato input document"
	return schema, nil
}

func schemaOf(t reflect.Type, path string) (map[string]any, error) {
	switch t.Kind() {
	case reflect.String:
		return map[string]any{"type": "string"}, nil
	case reflect.Bool:
		return map[string]any{"type": "boolean"}, nil
	case reflect.Int, reflect.Int64:
		return map[string]any{"type": "integer"}, nil
	case reflect.Pointer:
		inner, err := schemaOf(t.Elem(), path)
		if err != nil {
			return nil, err
		}
		return map[string]any{"anyOf": []any{inner, map[string]any{"type": "null"}}}, nil
	case reflect.Slice:
		items, err := schemaOf(t.Elem(), path+"[]")
		if err != nil {
			return nil, err
		}
		return map[string]any{"type": "array", "items": items}, nil
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": map[string]any{"type": "string"}}, nil
	case reflect.Struct:
		return structSchema(t, path)
	default:
		return nil, fmt.Errorf("%s: a fact cannot be of kind %s", path, t.Kind())
	}
}

func structSchema(t reflect.Type, path string) (map[string]any, error) {
	properties := make(map[string]any, t.NumField())
	required := make([]any, 0, t.NumField())
	for i := range t.NumField() {
		name, err := factName(t.Field(i), path)
		if err != nil {
			return nil, err
		}
		property, err := schemaOf(t.Field(i).Type, path+"."+name)
		if err != nil {
			return nil, err
		}
		properties[name] = property
		required = append(required, name)
	}
	return map[string]any{
		"type":                 "object",
		"properties":           properties,
		"required":             required,
		"additionalProperties": false,
	}, nil
}
