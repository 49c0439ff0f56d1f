package facts

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/open-policy-agent/opa/v1/ast"
)

// Encoder makes OPA values out of facts. It is built once: the walk over the
// types happens then, so that encoding costs only what the values cost. OPA's
// own conversion of structs goes through JSON.
type Encoder struct {
	encode encodeFunc
}

type encodeFunc func(reflect.Value) *ast.Term

// NewEncoder returns the encoder of Input, or an error naming the first field
// whose type the document cannot hold.
func NewEncoder() (*Encoder, error) {
	encode, err := encoderOf(reflect.TypeFor[Input](), "input")
	if err != nil {
		return nil, err
	}
	return &Encoder{encode: encode}, nil
}

// Encode returns the document as an OPA value. The value shares nothing with in.
func (e *Encoder) Encode(in *Input) ast.Value {
	return e.encode(reflect.ValueOf(in).Elem()).Value
}

func encoderOf(t reflect.Type, path string) (encodeFunc, error) {
	switch t.Kind() {
	case reflect.String:
		return func(v reflect.Value) *ast.Term { return ast.StringTerm(text(v.String())) }, nil
	case reflect.Bool:
		return func(v reflect.Value) *ast.Term { return ast.InternedTerm(v.Bool()) }, nil
	case reflect.Int, reflect.Int64:
		return func(v reflect.Value) *ast.Term { return integerTerm(v.Int()) }, nil
	case reflect.Pointer:
		return nullableEncoder(t, path)
	case reflect.Slice:
		return listEncoder(t, path)
	case reflect.Map:
		return labelsEncoder(t, path)
	case reflect.Struct:
		return structEncoder(t, path)
	default:
		return nil, fmt.Errorf("%s: a fact cannot be of kind %s", path, t.Kind())
	}
}

// text is a string as JSON carries it: what is not UTF-8 is replaced, byte by
// byte, so that a document reads the same before and after it was written.
func text(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}

func integerTerm(n int64) *ast.Term {
	return ast.NumberTerm(json.Number(strconv.FormatInt(n, 10)))
}

func nullableEncoder(t reflect.Type, path string) (encodeFunc, error) {
	switch t.Elem().Kind() {
	case reflect.String, reflect.Bool, reflect.Int, reflect.Int64:
	default:
		return nil, fmt.Errorf("%s: only scalars may be null; use a list of none or one", path)
	}
	encode, err := encoderOf(t.Elem(), path)
	if err != nil {
		return nil, err
	}
	return func(v reflect.Value) *ast.Term {
		if v.IsNil() {
			return ast.NullTerm()
		}
		return encode(v.Elem())
	}, nil
}

func listEncoder(t reflect.Type, path string) (encodeFunc, error) {
	encode, err := encoderOf(t.Elem(), path+"[]")
	if err != nil {
		return nil, err
	}
	return func(v reflect.Value) *ast.Term {
		terms := make([]*ast.Term, v.Len())
		for i := range terms {
			terms[i] = encode(v.Index(i))
		}
		return ast.ArrayTerm(terms...)
	}, nil
}

func labelsEncoder(t reflect.Type, path string) (encodeFunc, error) {
	if t.Key().Kind() != reflect.String || t.Elem().Kind() != reflect.String {
		return nil, fmt.Errorf("%s: a map of facts has strings as keys and values", path)
	}
	return func(v reflect.Value) *ast.Term {
		keys := make([]string, 0, v.Len())
		for _, k := range v.MapKeys() {
			keys = append(keys, k.String())
		}
		slices.Sort(keys)
		pairs := make([][2]*ast.Term, len(keys))
		for i, k := range keys {
			value := v.MapIndex(reflect.ValueOf(k).Convert(t.Key()))
			pairs[i] = [2]*ast.Term{ast.StringTerm(text(k)), ast.StringTerm(text(value.String()))}
		}
		return ast.ObjectTerm(pairs...)
	}, nil
}

func structEncoder(t reflect.Type, path string) (encodeFunc, error) {
	type field struct {
		index  int
		key    *ast.Term
		encode encodeFunc
	}
	fields := make([]field, 0, t.NumField())
	for i := range t.NumField() {
		name, err := factName(t.Field(i), path)
		if err != nil {
			return nil, err
		}
		encode, err := encoderOf(t.Field(i).Type, path+"."+name)
		if err != nil {
			return nil, err
		}
		fields = append(fields, field{index: i, key: ast.StringTerm(name), encode: encode})
	}
	return func(v reflect.Value) *ast.Term {
		pairs := make([][2]*ast.Term, len(fields))
		for i, f := range fields {
			pairs[i] = [2]*ast.Term{f.key, f.encode(v.Field(f.index))}
		}
		return ast.ObjectTerm(pairs...)
	}, nil
}
