package oscal

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"

	o "github.com/defenseunicorns/go-oscal/src/types/oscal-1-2-2"
	"sigs.k8s.io/yaml"
)

// YAMLLimit is the size of JSON in bytes up to which a document is offered as YAML, which takes ten times as long.
const YAMLLimit = 4 << 20

// marshal is JSON without the escapes that are meant for HTML, so that hashes do not depend on them.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

func tagOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:16])
}

// Encode writes a small document as JSON after the strict check of it.
func Encode(doc *o.OscalModels, opts CheckOptions) ([]byte, error) {
	text, err := marshal(doc)
	if err != nil {
		return nil, fmt.Errorf("encode OSCAL: %w", err)
	}
	if err := Check(text, opts); err != nil {
		return nil, err
	}
	return append(text, '\n'), nil
}

// ETag names the content of an encoded document, without quotes.
func ETag(doc []byte) string { return tagOf(doc) }

// YAML converts a document of up to YAMLLimit bytes of JSON.
func YAML(doc []byte) ([]byte, error) {
	if len(doc) > YAMLLimit {
		return nil, fmt.Errorf("document of %d bytes: YAML is offered up to %d; ask for JSON, or for view=rules", len(doc), YAMLLimit)
	}
	text, err := yaml.JSONToYAML(doc)
	if err != nil {
		return nil, fmt.Errorf("convert to YAML: %w", err)
	}
	return text, nil
}

// object is an OSCAL object of which some members are streamed.
type object map[string]any

// stream yields the elements of an array as they are made.
type stream = iter.Seq2[any, error]

// writer writes JSON of objects and streams; after the first error it does nothing.
type writer struct {
	out *bufio.Writer
	err error
}

func (w *writer) raw(text string) {
	if w.err == nil {
		_, w.err = w.out.WriteString(text)
	}
}

func (w *writer) value(v any) {
	switch v := v.(type) {
	case object:
		w.raw("{")
		for i, key := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				w.raw(",")
			}
			w.raw(`"` + key + `":`)
			w.value(v[key])
		}
		w.raw("}")
	case stream:
		w.raw("[")
		first := true
		for element, err := range v {
			if err != nil || w.err != nil {
				w.err = cmpError(w.err, err)
				return
			}
			if !first {
				w.raw(",")
			}
			first = false
			w.value(element)
		}
		w.raw("]")
	default:
		text, err := marshal(v)
		w.err = cmpError(w.err, err)
		if w.err == nil {
			_, w.err = w.out.Write(text)
		}
	}
}

func cmpError(first, then error) error {
	if first != nil {
		return first
	}
	return then
}

// fieldsOf is the object's members, to which streams are added.
func fieldsOf(v any) (object, error) {
	text, err := marshal(v)
	if err != nil {
		return nil, err
	}
	members := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &members); err != nil {
		return nil, err
	}
	fields := object{}
	for key, member := range members {
		fields[key] = member
	}
	return fields, nil
}

// writeTo flushes what value wrote.
func writeTo(out io.Writer, value any) error {
	w := &writer{out: bufio.NewWriterSize(out, 64<<10)}
	w.value(value)
	w.raw("\n")
	if w.err != nil {
		return w.err
	}
	return w.out.Flush()
}
