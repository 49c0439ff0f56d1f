package engine

import (
	"maps"

	"github.com/open-policy-agent/opa/v1/ast"
)

const resultPackage = "data.cato.lib.result"

// inlineResults puts, in the heads of all reports, what the functions of data.cato.lib.result return in place of
// their calls. OPA evaluates a call of a function in a query of its own and caches it under its arguments, which
// costs more than many a rule's conditions; the functions of results are nothing but templates of an object.
func inlineResults(c *ast.Compiler) *ast.Error {
	templates := templatesOf(c)
	for _, m := range c.Modules {
		for _, rule := range m.Rules {
			if key := inlined(rule, templates); key != nil {
				rule.Head.Key = key
			}
		}
	}
	return nil
}

// templatesOf are the functions that have one body without conditions and return an object of constants and
// parameters, by reference.
func templatesOf(c *ast.Compiler) map[string]*ast.Rule {
	bodies := map[string]int{}
	templates := map[string]*ast.Rule{}
	for _, m := range c.Modules {
		if m.Package.Path.String() != resultPackage {
			continue
		}
		for _, rule := range m.Rules {
			name := rule.Ref().String()
			bodies[name]++
			if isTemplate(rule) {
				templates[name] = rule
			}
		}
	}
	maps.DeleteFunc(templates, func(name string, _ *ast.Rule) bool { return bodies[name] != 1 })
	return templates
}

func isTemplate(rule *ast.Rule) bool {
	always := ast.NewBody(ast.NewExpr(ast.InternedTerm(true)))
	object, isObject := rule.Head.Value.Value.(ast.Object)
	if rule.Default || rule.Else != nil || !rule.Body.Equal(always) || !isObject {
		return false
	}
	parameters := map[ast.Value]bool{}
	for _, parameter := range rule.Head.Args {
		name, isVar := parameter.Value.(ast.Var)
		if !isVar || parameters[name] {
			return false
		}
		parameters[name] = true
	}
	plain := true
	object.Foreach(func(name, value *ast.Term) {
		_, isVar := value.Value.(ast.Var)
		plain = plain && name.IsGround() && (ast.IsConstant(value.Value) || isVar && parameters[value.Value])
	})
	return plain
}

// inlined is the key of a rule's head with the call replaced, or nil where there is nothing to replace.
func inlined(rule *ast.Rule, templates map[string]*ast.Rule) *ast.Term {
	if rule.Head.Key == nil {
		return nil
	}
	call, ok := rule.Head.Key.Value.(ast.Call)
	if !ok {
		return nil
	}
	template := templates[call[0].Value.String()]
	if template == nil || len(template.Head.Args) != len(call)-1 {
		return nil
	}
	return filled(template, call[1:]).SetLocation(rule.Head.Key.Location)
}

// filled is the object of a template with terms in place of its parameters. Nothing but whole values are replaced,
// so that no variable of the caller can be taken for a parameter of the same name.
func filled(template *ast.Rule, arguments []*ast.Term) *ast.Term {
	given := map[ast.Value]*ast.Term{}
	for i, parameter := range template.Head.Args {
		given[parameter.Value] = arguments[i]
	}
	object := ast.NewObject()
	fields, _ := template.Head.Value.Value.(ast.Object)
	fields.Foreach(func(name, value *ast.Term) {
		if _, isVar := value.Value.(ast.Var); isVar {
			value = given[value.Value]
		}
		object.Insert(name, value)
	})
	return ast.NewTerm(object)
}
