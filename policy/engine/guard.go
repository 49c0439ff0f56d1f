package engine

import (
	"fmt"

	"github.com/open-policy-agent/opa/v1/ast"
)

// underOneGuard returns a rule's module in which entries of the report that begin with one and the same negation,
// such as `not _proven`, are asked for behind it once:
//
//	report contains entry if {
//		not _proven
//		some entry in _behind_0
//	}
//
// The report is the same set. A rule that passes is usually stopped by that negation in most of its entries, and each
// cost as much as a condition that holds. The module that it is given stays as it is: tests run by what was written.
func underOneGuard(m *ast.Module) (*ast.Module, error) {
	cpy := m.Copy()
	guarded := map[string][]*ast.Rule{}
	var order []string
	names := set{}
	for _, rule := range cpy.Rules {
		names[documentName(rule)] = true
		guard, found := guardOf(rule)
		if !found {
			continue
		}
		if guarded[guard] == nil {
			order = append(order, guard)
		}
		guarded[guard] = append(guarded[guard], rule)
	}
	for i, guard := range order {
		name := fmt.Sprintf("_behind_%d", i)
		if len(guarded[guard]) < 2 || names[name] {
			continue
		}
		asked, err := askedBehind(guard, name)
		if err != nil {
			return nil, err
		}
		asked.Module = cpy
		for _, rule := range guarded[guard] {
			rule.Head = rule.Head.Copy()
			rule.Head.Name = ast.Var(name)
			rule.Head.SetRef(ast.Ref{ast.VarTerm(name)})
			rule.Body = ast.NewBody(rule.Body[1:]...)
		}
		cpy.Rules = append(cpy.Rules, asked)
	}
	return cpy, nil
}

// guardOf is the negation of a name that an entry's conditions begin with, where more conditions follow.
func guardOf(rule *ast.Rule) (string, bool) {
	if documentName(rule) != "report" || rule.Else != nil || len(rule.Body) < 2 {
		return "", false
	}
	first := rule.Body[0]
	term, isTerm := first.Terms.(*ast.Term)
	if !isTerm || !first.Negated || len(first.With) > 0 {
		return "", false
	}
	switch name := term.Value.(type) {
	case ast.Var:
		return first.String(), true
	case ast.Ref:
		return first.String(), name.IsGround()
	default:
		return "", false
	}
}

func askedBehind(guard, name string) (*ast.Rule, error) {
	text := fmt.Sprintf("package cato\n\nreport contains entry if {\n\t%s\n\tsome entry in %s\n}\n", guard, name)
	m, err := ast.ParseModuleWithOpts(entryFile, text, ast.ParserOptions{RegoVersion: ast.RegoV1})
	if err != nil {
		return nil, err
	}
	return m.Rules[0], nil
}
