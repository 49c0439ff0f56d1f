package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// Amputate takes facts away. The tests of each rule export `passing`, one document or a set of them, one for
// each way to pass. Every fact of it whose change alters the verdict is decisive; without it, or with null in
// its place where the schema has no null, the rule must not pass and must not be not applicable. Grants likewise:
// without a decisive fact nothing is given. The error names each rule and path that fails this.
func (s *Set) Amputate(ctx context.Context) error {
	modules, err := s.testModules()
	if err != nil {
		return err
	}
	compiler, store, err := s.compilation.compile(ctx, modules)
	if err != nil {
		return err
	}
	p := preparer{compiler: compiler, store: store, deadline: testDeadline, memos: newMemos()}
	examples := func(pkg string) ([]any, error) {
		q, err := p.prepare(ctx, "data."+pkg+"_test.passing")
		if err != nil {
			return nil, err
		}
		return passing(ctx, q)
	}
	var errs []error
	for _, r := range s.rules {
		documents, err := examples(r.Package)
		if err != nil {
			errs = append(errs, fmt.Errorf("rule %s (%s): passing: %w", r.ID, r.Package, err))
		}
		a := amputation{
			subject: fmt.Sprintf("rule %s (%s)", r.ID, r.Package), schema: schema{root: s.compilation.schema}, reads: r.Reads,
			positive: string(Pass), harmless: []string{string(Fail), string(Unknown)},
			ask: func(v ast.Value) string {
				word, _ := fold(answerOf(s.audit.one[r.index].patient().ask(ctx, v)).orMalformed(), "")
				return string(word)
			},
		}
		errs = append(errs, a.run(documents))
	}
	for _, name := range slices.Sorted(maps.Keys(s.grants)) {
		g := s.grants[name]
		documents, err := examples(g.Package)
		if err != nil {
			errs = append(errs, fmt.Errorf("grant %s: passing: %w", name, err))
		}
		a := amputation{
			subject: "grant " + name, schema: schema{root: s.compilation.schema}, reads: g.Reads,
			positive: "given", harmless: []string{"not given"},
			ask: func(v ast.Value) string {
				if p, err := permissionOf(g.query.patient().ask(ctx, v)); err == nil && p.Given {
					return "given"
				}
				return "not given"
			},
		}
		errs = append(errs, a.run(documents))
	}
	return errors.Join(append(errs, ctx.Err())...)
}

// orMalformed lets an evaluation that failed be folded as an answer that cannot be read.
func (a answer) orMalformed() statement {
	if a.err != nil {
		return statement{malformed: []string{a.err.Error()}}
	}
	return a.statement
}

func passing(ctx context.Context, q query) ([]any, error) {
	term, err := q.ask(ctx, ast.NewObject())
	if err != nil {
		return nil, err
	}
	terms := []*ast.Term{term}
	if several, ok := term.Value.(ast.Set); ok {
		terms = several.Slice()
	}
	if len(terms) == 0 {
		return nil, errors.New("an empty set shows nothing")
	}
	var documents []any
	for _, t := range terms {
		document, err := ast.JSON(t.Value)
		if err != nil {
			return nil, err
		}
		documents = append(documents, document)
	}
	return documents, nil
}

// amputation is the test of one rule or grant.
type amputation struct {
	subject  string
	schema   schema
	reads    []string
	positive string   // the word that passing facts must give
	harmless []string // the words that may follow when a decisive fact is missing
	ask      func(ast.Value) string
}

func (a amputation) run(documents []any) error {
	var errs []error
	found := set{}
	for i, document := range documents {
		if strays := a.schema.strays(document, nil); len(strays) > 0 {
			errs = append(errs, fmt.Errorf("%s: passing document %d is not a whole input: %s", a.subject, i+1, strings.Join(strays, "; ")))
		}
		if word := a.judge(document); word != a.positive {
			errs = append(errs, fmt.Errorf("%s: passing document %d gives %q, not %q", a.subject, i+1, word, a.positive))
			continue
		}
		if word := a.judge(a.prune(document, nil)); word != a.positive {
			errs = append(errs, fmt.Errorf("%s: passing document %d: without the facts that it does not read it gives %q; its reads are wrong, "+
				"so a gap could be missed: %q", a.subject, i+1, word, a.reads))
		}
		holes, decisive := a.walk(document, nil, document, a.schema)
		if !decisive {
			holes = append(holes, "no fact of it decides anything")
		}
		if word := a.judge(map[string]any{}); !slices.Contains(a.harmless, word) {
			holes = append(holes, fmt.Sprintf("without any fact it says %q", word))
		}
		for _, hole := range holes {
			if found[hole] {
				continue // already shown by an earlier document
			}
			found[hole] = true
			errs = append(errs, fmt.Errorf("%s: passing document %d: %s", a.subject, i+1, hole))
		}
	}
	return errors.Join(errs...)
}

// prune leaves only what the reads say can matter.
func (a amputation) prune(node any, at trail) any {
	object, ok := node.(map[string]any)
	if !ok {
		return node
	}
	kept := map[string]any{}
	for key, value := range object {
		if here := at.with(key); readsOverlap(a.reads, here.String()) {
			kept[key] = a.prune(value, here)
		}
	}
	return kept
}

func (a amputation) judge(document any) string {
	value, err := ast.InterfaceToValue(document)
	if err != nil {
		return err.Error()
	}
	return a.ask(value)
}

// walk tries the node at the path and all below it, and says whether any of them is decisive.
func (a amputation) walk(document any, at trail, node any, s schema) (holes []string, decisive bool) {
	if !readsOverlap(a.reads, at.String()) {
		return nil, false
	}
	visit := func(step any, child any, fixed bool) {
		below, _ := s.child(fmt.Sprint(step))
		here := at.with(step)
		found, decides := a.walk(document, here, child, below)
		holes = append(holes, found...)
		if decides && fixed {
			holes = append(holes, a.cut(document, here, below)...)
		}
		decisive = decisive || decides
	}
	switch n := node.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(n)) {
			visit(key, n[key], s.fixed(key))
		}
	case []any:
		for i, element := range n {
			visit(i, element, false)
		}
	}
	if len(at) > 0 {
		for _, other := range alternatives(node, s) {
			decisive = decisive || a.judge(replace(document, at, other)) != a.positive
		}
	}
	return holes, decisive
}

// cut takes a decisive fact away.
func (a amputation) cut(document any, at trail, s schema) []string {
	var holes []string
	if word := a.judge(remove(document, at)); !slices.Contains(a.harmless, word) {
		holes = append(holes, fmt.Sprintf("%s decides, yet without it the word is %q", at, word))
	}
	if !s.nullable() {
		if word := a.judge(replace(document, at, nil)); !slices.Contains(a.harmless, word) {
			holes = append(holes, fmt.Sprintf("%s decides, yet with null in its place the word is %q", at, word))
		}
	}
	return holes
}
