package engine

import (
	"fmt"
	"unicode/utf8"

	"github.com/open-policy-agent/opa/v1/ast"
)

// asJSON writes a value as JSON, sets as arrays, keys in order: the same value, the same bytes. It walks the
// value once, since evidence is copied for every finding of every subject.
func asJSON(value ast.Value) []byte {
	w := &jsonWriter{}
	w.each = w.pair
	w.value(value)
	return w.text
}

// jsonWriter walks a value with one callback for all of its objects: one for each would be most of the cost.
type jsonWriter struct {
	text []byte
	each func(key, value *ast.Term)
}

func (w *jsonWriter) value(value ast.Value) {
	switch v := value.(type) {
	case ast.String:
		w.text = appendString(w.text, string(v))
	case ast.Object:
		w.text = append(w.text, '{')
		v.Foreach(w.each)
		w.text = append(w.text, '}')
	case *ast.Array:
		w.text = append(w.text, '[')
		for i := range v.Len() {
			w.element(i, v.Elem(i))
		}
		w.text = append(w.text, ']')
	case ast.Set:
		w.text = append(w.text, '[')
		for i, term := range v.Slice() {
			w.element(i, term)
		}
		w.text = append(w.text, ']')
	case ast.Null, ast.Boolean, ast.Number:
		w.text = append(w.text, v.String()...)
	default:
		w.text = appendString(w.text, value.String())
	}
}

func (w *jsonWriter) pair(key, value *ast.Term) {
	if w.text[len(w.text)-1] != '{' { // no value ends in one
		w.text = append(w.text, ',')
	}
	if name, ok := key.Value.(ast.String); ok {
		w.text = appendString(w.text, string(name))
	} else {
		w.text = appendString(w.text, key.String())
	}
	w.text = append(w.text, ':')
	w.value(value.Value)
}

func (w *jsonWriter) element(i int, term *ast.Term) {
	if i > 0 {
		w.text = append(w.text, ',')
	}
	w.value(term.Value)
}

// appendString quotes as RFC 8259 asks; what is not UTF-8 becomes U+FFFD.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	if isPlain(s) {
		return append(append(b, s...), '"')
	}
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r < 0x20:
			b = fmt.Appendf(b, `\u%04x`, r)
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
}

// isPlain reports whether a string is its own JSON: ASCII without what must be quoted, as most facts are.
func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}
