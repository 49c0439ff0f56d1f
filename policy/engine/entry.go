package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// entryFile names the generated module in errors.
const entryFile = "cato.engine"

// selection is which rules answer for one kind at one moment.
type selection struct {
	kind, moment string
}

// choice is the rules of a selection, by index: those asked now, and those whose facts exist at another moment.
type choice struct {
	now, later []int
}

// choose lists the rules of every kind at every moment, in the order of the rules.
func choose(rules []*Rule) map[selection]choice {
	chosen := map[selection]choice{}
	for _, r := range rules {
		for _, kind := range r.Subjects {
			for _, moment := range []string{Admission, Plan, Live} {
				key := selection{kind, moment}
				c := chosen[key]
				if r.JudgesAt(moment) {
					c.now = append(c.now, r.index)
				} else {
					c.later = append(c.later, r.index)
				}
				chosen[key] = c
			}
		}
	}
	return chosen
}

// entry generates the module that the engine asks: r<N> is the pair of a rule's two documents. A static list
// leaves no rule out, whatever its documents are called, and lets no rule refer back to it by a wildcard.
func entry(rules []*Rule) (*ast.Module, error) {
	var b strings.Builder
	b.WriteString("package cato.engine\n")
	for _, r := range rules {
		fmt.Fprintf(&b, "\n%s := [{t | some t in data.%[2]s.judged}, data.%[2]s.report]\n", one(r.index), r.Package)
	}
	return ast.ParseModuleWithOpts(entryFile, b.String(), ast.ParserOptions{RegoVersion: ast.RegoV1})
}

func one(index int) string { return fmt.Sprintf("r%d", index) }

// together is the query for several rules at once.
func together(indexes []int) string {
	names := make([]string, len(indexes))
	for i, index := range indexes {
		names[i] = "data.cato.engine." + one(index)
	}
	return "[" + strings.Join(names, ", ") + "]"
}

// byID sorts rules and gives each its index; an id that is used twice is an error.
func byID(rules []*Rule) error {
	slices.SortFunc(rules, func(a, b *Rule) int { return strings.Compare(a.ID, b.ID) })
	for i, r := range rules {
		if i > 0 && rules[i-1].ID == r.ID {
			return fmt.Errorf("rule id %s is used by both %s and %s; an id is unique for ever", r.ID, rules[i-1].Package, r.Package)
		}
		r.index = i
	}
	return nil
}
