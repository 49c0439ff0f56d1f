package oscal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	o "github.com/defenseunicorns/go-oscal/src/types/oscal-1-2-2"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"cato.dev/cato/compliance/posture"
	"cato.dev/cato/policy/engine"
)

// smallDocument is the number of observations up to which a document is checked whole before a byte of it is
// written. Beyond it each item is checked as it is written, and the document around the items with one of each.
const smallDocument = 2000

// WriteJSON writes the document. What the strict check refuses is an error: of a small document nothing is written
// then, a large one may be cut off, so a caller that has promised success writes to a buffer first.
func (r *Results) WriteJSON(out io.Writer) error {
	if r.observations() <= smallDocument {
		var b bytes.Buffer
		if err := r.write(&b, nil); err != nil {
			return err
		}
		if err := Check(b.Bytes(), r.checkOptions()); err != nil {
			return err
		}
		_, err := out.Write(b.Bytes())
		return err
	}
	schemas, err := compiledSchema(r.system.OscalVersion)
	if err != nil {
		return err
	}
	if err := errors.Join(r.checkHead(schemas), r.checkFindings()); err != nil {
		return err
	}
	return r.write(out, &itemCheck{schemas: schemas, result: newResultCheck(&checker{opts: r.checkOptions()}, r.input.Now)})
}

// observations is how many the document has.
func (r *Results) observations() int {
	if !r.full {
		return len(r.seen.rules)
	}
	n := 0
	for _, rule := range r.seen.rules {
		n += rule.counts.Total()
	}
	return n
}

func (r *Results) checkOptions() CheckOptions {
	return CheckOptions{Catalog: r.system.Catalog, Rules: r.system.Rules, Now: r.input.Now}
}

func (r *Results) write(out io.Writer, check *itemCheck) error {
	result, err := fieldsOf(r.head.Results[0])
	if err != nil {
		return fmt.Errorf("encode OSCAL: %w", err)
	}
	local, err := fieldsOf(r.head.Results[0].LocalDefinitions)
	if err != nil {
		return fmt.Errorf("encode OSCAL: %w", err)
	}
	document, err := fieldsOf(r.head)
	if err != nil {
		return fmt.Errorf("encode OSCAL: %w", err)
	}
	if items := r.named(func(s posture.Subject) bool { return !isComponent(s) }); len(items) > 0 {
		local["inventory-items"] = stream(func(yield func(any, error) bool) {
			for _, s := range items {
				if item := r.item(s); !yield(item, check.item(item)) {
					return
				}
			}
		})
	}
	result["local-definitions"] = local
	result["observations"] = stream(func(yield func(any, error) bool) {
		r.eachObservation(func(seen o.Observation) bool { return yield(seen, check.observation(seen)) })
	})
	document["results"] = stream(func(yield func(any, error) bool) { yield(result, nil) })
	return writeTo(out, object{"assessment-results": document})
}

// eachObservation makes them one at a time, in the order of their subjects.
func (r *Results) eachObservation(f func(o.Observation) bool) {
	rules := map[string]*engine.Rule{}
	for _, rule := range r.system.Rules {
		rules[rule.ID] = rule
		if seen := r.seen.rules[rule.ID]; !r.full && seen != nil && !f(r.ruleObservation(rule, seen)) {
			return
		}
	}
	if !r.full {
		return
	}
	r.input.Each(func(s posture.Subject, e posture.Entry) bool {
		rule := rules[e.Rule]
		return rule == nil || f(r.observation(rule, s, e))
	})
}

// itemCheck is the part of the strict check that one item can be asked for. A nil one checks nothing.
type itemCheck struct {
	schemas *compiled
	result  *resultCheck
}

func (c *itemCheck) item(item o.InventoryItem) error {
	if c == nil {
		return nil
	}
	return c.check(c.schemas.item, item, "assessment-results/results/local-definitions/inventory-items", nil)
}

func (c *itemCheck) observation(seen o.Observation) error {
	if c == nil {
		return nil
	}
	return c.check(c.schemas.observation, seen, "assessment-results/results/observations", &seen)
}

func (c *itemCheck) check(schema *jsonschema.Schema, value any, path string, seen *o.Observation) error {
	text, err := marshal(value)
	if err != nil {
		return err
	}
	tree, err := parse(text)
	if err != nil {
		return Problems{{Message: err.Error()}}
	}
	found := schemaProblems(schema, tree, "")
	k := c.result.checker
	k.nodes, k.found = k.nodes[:0], nil
	k.walk(node{path: path, key: path[strings.LastIndex(path, "/")+1:], value: tree})
	k.values()
	k.secrets()
	if seen != nil {
		c.result.observation("", seen)
	}
	return append(found, k.found...).err()
}

// checkFindings checks a large document's findings in the aggregated shape, which has the same and is always small.
func (r *Results) checkFindings() error {
	if !r.full {
		return nil
	}
	byRule := *r
	byRule.full = false
	byRule.head = byRule.prepare()
	var b bytes.Buffer
	if err := byRule.write(&b, nil); err != nil {
		return err
	}
	return Check(b.Bytes(), byRule.checkOptions())
}

// checkHead checks everything but the lists, which are not in it: its references to observations count as external.
func (r *Results) checkHead(schemas *compiled) error {
	text, err := marshal(o.OscalModels{AssessmentResults: &r.head})
	if err != nil {
		return err
	}
	tree, err := parse(text)
	if err != nil {
		return Problems{{Message: err.Error()}}
	}
	opts := r.checkOptions()
	for _, finding := range all(r.head.Results[0].Findings) {
		for _, related := range all(finding.RelatedObservations) {
			opts.External = append(opts.External, related.ObservationUuid)
		}
	}
	found := schemaProblems(schemas.document, tree, "")
	c := newChecker(tree, opts)
	c.references()
	c.controls()
	c.values()
	c.rooms()
	c.secrets()
	c.times()
	c.order()
	return append(found, c.found...).err()
}
