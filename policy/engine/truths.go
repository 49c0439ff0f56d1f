package engine

import "github.com/open-policy-agent/opa/v1/ast"

// compareTruths writes a condition that is the name of a rule, where that rule is true or undefined, as a comparison
// with true. It means the same. OPA evaluates a bare name by way of a variable that it makes up each time, a
// comparison without one.
func compareTruths(c *ast.Compiler) *ast.Error {
	truths := truthsOf(c)
	for _, m := range c.Modules {
		ast.WalkExprs(m, func(e *ast.Expr) bool {
			term, isTerm := e.Terms.(*ast.Term)
			if !isTerm {
				return false
			}
			if ref, isRef := term.Value.(ast.Ref); isRef && truths[ref.String()] {
				e.Terms = ast.Equality.Expr(term, ast.InternedTerm(true)).SetLocation(e.Location).Terms
			}
			return false
		})
	}
	return nil
}

// truthsOf are the rules that have no other value than true, by reference.
func truthsOf(c *ast.Compiler) map[string]bool {
	truths := map[string]bool{}
	for _, m := range c.Modules {
		for _, rule := range m.Rules {
			name := rule.Ref().String()
			before, seen := truths[name]
			truths[name] = isTruth(rule) && (before || !seen)
		}
	}
	return truths
}

func isTruth(rule *ast.Rule) bool {
	value := rule.Head.Value
	return !rule.Default && rule.Else == nil && len(rule.Head.Args) == 0 && rule.Ref().IsGround() &&
		rule.Head.RuleKind() == ast.SingleValue && value != nil && value.Value.Compare(ast.Boolean(true)) == 0
}
