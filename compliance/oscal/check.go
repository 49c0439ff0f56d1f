package oscal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	o "github.com/defenseunicorns/go-oscal/src/types/oscal-1-2-2"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"cato.dev/cato/compliance/catalog"
	"cato.dev/cato/policy/engine"
)

// CheckOptions are what a document cannot say about itself.
type CheckOptions struct {
	// Catalog holds the controls, statements and objectives that exist. Required.
	Catalog *catalog.Catalog
	// Rules say which rule covers what. With them a satisfied finding is compared with every observation of
	// every rule of its target; without them only with its own related observations.
	Rules []*engine.Rule
	// Now is when observations must not have expired; zero is the end of the result.
	Now time.Time
	// External are uuids of other documents that this one may refer to.
	External []string
}

// Check is the strict check of a JSON document: the schema of its own oscal-version, and what the schema does not
// see. Every uuid once, every reference resolved, ids in the catalog, only known tokens, satisfied only by
// covering and unexpired passes, times in order, lists sorted, nothing that looks like a secret. The error is
// Problems, all of them.
func Check(doc []byte, opts CheckOptions) error {
	tree, err := parse(doc)
	if err != nil {
		return Problems{{Message: err.Error()}}
	}
	version := oscalVersion(tree)
	schemas, err := compiledSchema(version)
	if err != nil {
		return Problems{{Pointer: "", Message: err.Error()}}
	}
	found := schemaProblems(schemas.document, tree, "")
	var typed o.OscalModels
	if err := decodeStrict(doc, &typed); err != nil && len(found) == 0 {
		found = append(found, Problem{Message: err.Error()})
	}
	c := newChecker(tree, opts)
	c.references()
	c.controls()
	c.values()
	c.rooms()
	c.secrets()
	c.times()
	c.order()
	if typed.AssessmentResults != nil {
		c.results(typed.AssessmentResults)
	}
	return append(found, c.found...).err()
}

// checker walks one document.
type checker struct {
	opts  CheckOptions
	nodes []node
	found Problems
}

// node is one member of the document.
type node struct {
	pointer string
	path    string // member names joined by "/", without array indices
	key     string // last member name of path
	value   any
	holder  map[string]any // nearest object that holds it
}

func newChecker(tree any, opts CheckOptions) *checker {
	c := &checker{opts: opts}
	c.walk(node{value: tree})
	return c
}

// walk lists all nodes, members of an object by name.
func (c *checker) walk(n node) {
	c.nodes = append(c.nodes, n)
	switch value := n.value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			path := key
			if n.path != "" {
				path = n.path + "/" + key
			}
			c.walk(node{pointer: n.pointer + "/" + escapeToken(key), path: path, key: key, value: value[key], holder: value})
		}
	case []any:
		for i, element := range value {
			c.walk(node{pointer: fmt.Sprintf("%s/%d", n.pointer, i), path: n.path, key: n.key, value: element, holder: n.holder})
		}
	}
}

func (c *checker) refuse(at, format string, args ...any) {
	c.found = append(c.found, Problem{Pointer: at, Message: fmt.Sprintf(format, args...)})
}

// parse reads one JSON value and nothing after it.
func parse(doc []byte) (any, error) {
	tree, err := jsonschema.UnmarshalJSON(bytes.NewReader(doc))
	if err != nil {
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	if _, ok := tree.(map[string]any); !ok {
		return nil, fmt.Errorf("must be an object with one OSCAL model, is %T", tree)
	}
	return tree, nil
}

func decodeStrict(doc []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(doc))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return fmt.Errorf("content after the end of the document")
	}
	return nil
}

// oscalVersion is the document's own, or empty.
func oscalVersion(tree any) string {
	root, _ := tree.(map[string]any)
	for _, model := range root {
		fields, _ := model.(map[string]any)
		metadata, _ := fields["metadata"].(map[string]any)
		if version, ok := metadata["oscal-version"].(string); ok {
			return version
		}
	}
	return ""
}

func text(object map[string]any, key string) string {
	s, _ := object[key].(string)
	return s
}
