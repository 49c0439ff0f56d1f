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

type encodeFunc func(*terms, reflect.Value) *ast.Term

// terms makes the terms of one document out of few pieces of memory: a document lives and dies as a whole.
type terms struct {
	free  []ast.Term
	pairs [][2]*ast.Term // of the objects that are being made, the innermost last
}

const termsAtOnce = 128

func (t *terms) of(value ast.Value) *ast.Term {
	if len(t.free) == 0 {
		t.free = make([]ast.Term, termsAtOnce)
	}
	term := &t.free[0]
	t.free = t.free[1:]
	term.Value = value
	return term
}

// object takes the pairs that were added since there were so many. It leaves them to others: OPA copies them.
func (t *terms) object(since int) *ast.Term {
	object := ast.NewObject(t.pairs[since:]...)
	t.pairs = t.pairs[:since]
	return t.of(object)
}

func (t *terms) text(s string) *ast.Term {
	if s == "" {
		return ast.InternedEmptyString
	}
	return t.of(ast.String(text(s)))
}

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
	return e.encode(&terms{}, reflect.ValueOf(in).Elem()).Value
}

func encoderOf(t reflect.Type, path string) (encodeFunc, error) {
	switch t.Kind() {
	case reflect.String:
		return func(t *terms, v reflect.Value) *ast.Term { return t.text(v.String()) }, nil
	case reflect.Bool:
		return func(_ *terms, v reflect.Value) *ast.Term { return ast.InternedTerm(v.Bool()) }, nil
	case reflect.Int, reflect.Int64:
		return func(t *terms, v reflect.Value) *ast.Term { return t.integer(v.Int()) }, nil
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

func (t *terms) integer(n int64) *ast.Term {
	if n >= 0 && n < 64 { // OPA keeps these
		return ast.InternedTerm(int(n))
	}
	return t.of(ast.Number(json.Number(strconv.FormatInt(n, 10))))
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
	return func(t *terms, v reflect.Value) *ast.Term {
		if v.IsNil() {
			return ast.InternedNullTerm
		}
		return encode(t, v.Elem())
	}, nil
}

func listEncoder(t reflect.Type, path string) (encodeFunc, error) {
	encode, err := encoderOf(t.Elem(), path+"[]")
	if err != nil {
		return nil, err
	}
	return func(t *terms, v reflect.Value) *ast.Term {
		if v.Len() == 0 {
			return ast.InternedEmptyArray
		}
		elements := make([]*ast.Term, v.Len())
		for i := range elements {
			elements[i] = encode(t, v.Index(i))
		}
		return t.of(ast.NewArray(elements...))
	}, nil
}

func labelsEncoder(t reflect.Type, path string) (encodeFunc, error) {
	if t.Key().Kind() != reflect.String || t.Elem().Kind() != reflect.String {
		return nil, fmt.Errorf("%s: a map of facts has strings as keys and values", path)
	}
	return func(terms *terms, v reflect.Value) *ast.Term {
		keys := make([]string, 0, v.Len())
		for _, k := range v.MapKeys() {
			keys = append(keys, k.String())
		}
		slices.Sort(keys)
		since := len(terms.pairs)
		for _, k := range keys {
			value := v.MapIndex(reflect.ValueOf(k).Convert(t.Key()))
			terms.pairs = append(terms.pairs, [2]*ast.Term{terms.text(k), terms.text(value.String())})
		}
		return terms.object(since)
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
	return func(t *terms, v reflect.Value) *ast.Term {
		since := len(t.pairs)
		for _, f := range fields {
			value := f.encode(t, v.Field(f.index))
			t.pairs = append(t.pairs, [2]*ast.Term{f.key, value})
		}
		return t.object(since)
	}, nil
}
