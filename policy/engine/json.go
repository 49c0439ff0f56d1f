package engine

import (
	"fmt"
	"unicode/utf8"

	"github.com/open-policy-agent/opa/v1/ast"
)

// appendJSON writes a value as JSON, sets as arrays, keys in order: the same value, the same bytes. It walks the
// value once, since evidence is copied for every finding of every subject.
func appendJSON(b []byte, value ast.Value) []byte {
	switch v := value.(type) {
	case ast.String:
		return appendString(b, string(v))
	case ast.Object:
		b = append(b, '{')
		first := true
		v.Foreach(func(key, value *ast.Term) {
			if !first {
				b = append(b, ',')
			}
			first = false
			if name, ok := key.Value.(ast.String); ok {
				b = appendString(b, string(name))
			} else {
				b = appendString(b, key.String())
			}
			b = appendJSON(append(b, ':'), value.Value)
		})
		return append(b, '}')
	case *ast.Array:
		return appendList(b, v.Len(), v.Elem)
	case ast.Set:
		terms := v.Slice()
		return appendList(b, len(terms), func(i int) *ast.Term { return terms[i] })
	case ast.Null, ast.Boolean, ast.Number:
		return append(b, v.String()...)
	default:
		return appendString(b, value.String())
	}
}

func appendList(b []byte, n int, at func(int) *ast.Term) []byte {
	b = append(b, '[')
	for i := range n {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendJSON(b, at(i).Value)
	}
	return append(b, ']')
}

// appendString quotes as RFC 8259 asks; what is not UTF-8 becomes U+FFFD.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
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
