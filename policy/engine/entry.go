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
		fmt.Fprintf(&b, "\n%s := %s\n", one(r.index), pair(r))
	}
	return ast.ParseModuleWithOpts(entryFile, b.String(), ast.ParserOptions{RegoVersion: ast.RegoV1})
}

func one(index int) string { return fmt.Sprintf("r%d", index) }

// pair asks a rule for its two documents. A comprehension makes a set of a judged that is undefined or a list; where
// it is a set anyway it is left out, for its cost is that of a condition or two.
func pair(r *Rule) string {
	if r.judgedIsSet {
		return fmt.Sprintf("[data.%[1]s.judged, data.%[1]s.report]", r.Package)
	}
	return fmt.Sprintf("[{t | some t in data.%[1]s.judged}, data.%[1]s.report]", r.Package)
}

// isAlwaysSet reports whether a document is defined whatever the input, and a set.
func isAlwaysSet(m *module, name string) bool {
	constant := ast.NewBody(ast.NewExpr(ast.InternedTerm(true)))
	for _, rule := range m.ast.Rules {
		if documentName(rule) != name || rule.Head.RuleKind() == ast.MultiValue {
			continue
		}
		_, isSet := rule.Head.Value.Value.(ast.Set)
		if !isSet || !rule.Body.Equal(constant) || !rule.Head.Value.IsGround() {
			return false
		}
	}
	return true
}

// together is the query for several rules at once.
func together(rules []*Rule) string {
	pairs := make([]string, len(rules))
	for i, r := range rules {
		pairs[i] = pair(r)
	}
	return "[" + strings.Join(pairs, ", ") + "]"
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
