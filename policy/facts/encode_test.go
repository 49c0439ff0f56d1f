package facts

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"
)

// fill draws a value for everything below v. Lists and maps are never nil, as
// Build makes them.
func fill(t *rapid.T, v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(rapid.OneOf(rapid.String(), rapid.Just("a\xff\xfeb"), rapid.Just("<&>\u2028")).Draw(t, "string"))
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, "bool"))
	case reflect.Int, reflect.Int64:
		v.SetInt(rapid.Int64().Draw(t, "integer"))
	case reflect.Pointer:
		if rapid.Bool().Draw(t, "present") {
			v.Set(reflect.New(v.Type().Elem()))
			fill(t, v.Elem())
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), rapid.IntRange(0, 1).Draw(t, "length"), 1))
		for i := range v.Len() {
			fill(t, v.Index(i))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range rapid.IntRange(0, 2).Draw(t, "size") {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			key.SetString(rapid.String().Draw(t, "key"))
			value.SetString(rapid.String().Draw(t, "value"))
			v.SetMapIndex(key, value)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Field(i))
		}
	default:
		t.Fatalf("a fact of kind %s", v.Kind())
	}
}

func newEncoder(t *testing.T) *Encoder {
	t.Helper()
	e, err := NewEncoder()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// throughJSON is the way around the encoder: the document as other tools read it.
func throughJSON(t rapid.TB, in *Input) (any, ast.Value) {
	data, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var document any
	if err := decoder.Decode(&document); err != nil {
		t.Fatal(err)
	}
	value, err := ast.InterfaceToValue(document)
	if err != nil {
		t.Fatal(err)
	}
	return document, value
}

func schemaValidator(t *testing.T) *jsonschema.Schema {
	t.Helper()
	schema, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("input.json", schema); err != nil {
		t.Fatal(err)
	}
	validator, err := compiler.Compile("input.json")
	if err != nil {
		t.Fatal(err)
	}
	return validator
}

func TestEncodeGivesTheDocumentThatJSONGives(t *testing.T) {
	encoder, validator := newEncoder(t), schemaValidator(t)
	rapid.Check(t, func(t *rapid.T) {
		var in Input
		fill(t, reflect.ValueOf(&in).Elem())
		document, want := throughJSON(t, &in)
		if got := encoder.Encode(&in); got.Compare(want) != 0 {
			t.Fatalf("encoded %v\nby JSON %v", got, want)
		}
		if err := validator.Validate(document); err != nil {
			t.Fatal(err)
		}
	})
}

func TestTheSchemaRefusesADocumentThatLacksAFact(t *testing.T) {
	validator := schemaValidator(t)
	in := Build(&Gathered{})
	whole, _ := throughJSON(t, &in)
	if err := validator.Validate(whole); err != nil {
		t.Fatal(err)
	}
	for key := range whole.(map[string]any) {
		document, _ := throughJSON(t, &in)
		delete(document.(map[string]any), key)
		if validator.Validate(document) == nil {
			t.Errorf("a document without %s is accepted", key)
		}
		document, _ = throughJSON(t, &in)
		document.(map[string]any)[key] = nil
		if validator.Validate(document) == nil {
			t.Errorf("a document whose %s is null is accepted", key)
		}
	}
	whole.(map[string]any)["more"] = "facts"
	if validator.Validate(whole) == nil {
		t.Error("a document with an unknown fact is accepted")
	}
}

func TestTypesThatADocumentCannotHoldAreRefused(t *testing.T) {
	for name, kind := range map[string]reflect.Type{
		"a fraction": reflect.TypeFor[struct {
			F float64 `json:"f"`
		}](),
		"an object that is null": reflect.TypeFor[struct {
			P *struct{} `json:"p"`
		}](),
		"a field that may be out": reflect.TypeFor[struct {
			O string `json:"o,omitempty"`
		}](),
		"a field without a name": reflect.TypeFor[struct{ N string }](),
		"a map of numbers": reflect.TypeFor[struct {
			M map[string]int `json:"m"`
		}](),
	} {
		if _, err := encoderOf(kind, "input"); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}
