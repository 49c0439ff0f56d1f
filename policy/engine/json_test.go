package engine

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/open-policy-agent/opa/v1/ast"
	"pgregory.net/rapid"
)

func TestEvidenceIsJSONWhateverTheValue(t *testing.T) {
	for value, want := range map[string]string{
		`{"b": [1, 2.5, null], "a": {true}}`: `{"a":[true],"b":[1,2.5,null]}`,
		`{1: "x", [2]: "y"}`:                 `{"1":"x","[2]":"y"}`,
		`"tab\t, quote\" and \\"`:            `"tab\u0009, quote\" and \\"`,
		`[]`:                                 `[]`,
	} {
		if got := string(asJSON(ast.MustParseTerm(value).Value)); got != want {
			t.Errorf("%s became %s, want %s", value, got, want)
		}
	}
}

func drawJSON(t *rapid.T, depth int) any {
	scalars := rapid.OneOf(rapid.Just[any](nil), rapid.Bool().AsAny(), rapid.String().AsAny(), rapid.Int32().AsAny())
	if depth == 0 || rapid.Bool().Draw(t, "scalar") {
		return scalars.Draw(t, "value")
	}
	below := rapid.Custom(func(t *rapid.T) any { return drawJSON(t, depth-1) })
	if rapid.Bool().Draw(t, "list") {
		return rapid.SliceOfN(below, 0, 3).Draw(t, "elements")
	}
	return rapid.MapOfN(rapid.String(), below, 0, 3).Draw(t, "fields")
}

func TestEvidenceReadsBackAsItWas(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		document := drawJSON(t, 3)
		value, err := ast.InterfaceToValue(document)
		if err != nil {
			t.Fatal(err)
		}
		want, err := json.Marshal(document)
		if err != nil {
			t.Fatal(err)
		}
		var before, after any
		if err := json.Unmarshal(want, &before); err != nil {
			t.Fatal(err)
		}
		text := asJSON(value)
		if err := json.Unmarshal(text, &after); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		if diff := cmp.Diff(before, after); diff != "" {
			t.Fatalf("(-before +after):\n%s", diff)
		}
	})
}
