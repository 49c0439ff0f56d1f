package engine

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestASchemaSaysWhatAnInputCanHold(t *testing.T) {
	s := schema{root: decoded(t, schemaText)}
	for path, want := range map[string]bool{
		"network": true, "network.nics[0].binding": true, "network.nics.0.binding": true, "guest.size": true,
		"labels.cato.dev/x": true, "": false, "netwrk": false, "network.nics[0].bindng": false, "moment.more": false,
	} {
		if got := s.has(path); got != want {
			t.Errorf("has(%q) is %t", path, got)
		}
	}
}

func TestASchemaFindsWhatIsNotAWholeInput(t *testing.T) {
	s := schema{root: decoded(t, schemaText)}
	for _, c := range []struct {
		name, path, value string
		want              []string
	}{
		{"a whole one", "network.policies", `["deny"]`, nil},
		{"null where it may be", "guest.size", "null", nil},
		{"a value where null may be", "guest.size", `"1Gi"`, nil},
		{"null where it may not be", "network.open", "null", []string{"network.open is of type null, not boolean"}},
		{"a fact of another type", "params.maximum", `"3"`, []string{"params.maximum is of type string, not integer"}},
		{"an unknown fact", "network.opn", "true", []string{"network.opn is not in the schema"}},
		{"a missing one in a list", "network.nics", `[{"name": "a", "network": "b"}]`, []string{"network.nics.0.binding is missing"}},
		{"a list for a map", "labels", "[]", []string{"labels is of type array, not object"}},
		{"any key of a map", "labels", `{"a.b/c": "d"}`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var at trail
			for _, key := range splitPath(c.path) {
				at = append(at, key)
			}
			document := replace(decoded(t, goodText), at, decoded(t, c.value))
			if diff := cmp.Diff(c.want, s.strays(document, nil)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAlternativesAreOtherValuesOfTheSchema(t *testing.T) {
	s := schema{root: decoded(t, `{"type": "object", "properties": {
	  "word": {"type": "string", "enum": ["a", "b"]}, "flag": {"type": "boolean"}, "count": {"type": "integer"},
	  "maybe": {"anyOf": [{"type": "string"}, {"type": "null"}]},
	  "map": {"type": "object", "additionalProperties": {"type": "string"}},
	  "tree": {"$ref": "#/$defs/tree"}},
	  "$defs": {"tree": {"type": "object", "properties": {"more": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}}}}`)}
	for _, c := range []struct {
		key  string
		node any
		want []any
	}{
		{"word", "a", []any{"", "another", "b"}},
		{"flag", true, []any{false}},
		{"maybe", nil, []any{"", "another"}},
		{"map", map[string]any{"k": "v"}, []any{map[string]any{}, map[string]any{"k": "v", "another": ""}, map[string]any{"k": "v", "another": "another"}}},
	} {
		below, _ := s.child(c.key)
		if diff := cmp.Diff(c.want, alternatives(c.node, below)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.key, diff)
		}
	}
	tree, _ := s.child("tree")
	if built := alternatives([]any{}, schema{root: s.root, node: map[string]any{"items": tree.node}}); len(built) != 5 {
		t.Errorf("a list of a type that contains itself has alternatives %v", built)
	}
	if properties, _ := s.child("map"); properties.fixed("k") || !s.fixed("word") {
		t.Error("a map's key is taken for a field, or a field for a map's key")
	}
}
