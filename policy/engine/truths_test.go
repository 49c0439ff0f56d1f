package engine

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/open-policy-agent/opa/v1/ast"
)

func TestOnlyNamesOfRulesThatAreTrueOrUndefinedAreCompared(t *testing.T) {
	const text = `package cato.lib.x
plain if input.open
several if input.open
several := true if input.closed
other := false if input.open
default standing := true
chosen if { input.open } else := 3
set contains 1 if input.open
f(x) if x
_negated if not plain
_asked if { plain; several; other; standing; chosen; set; f(input); input.open; every n in input.list { plain; n } }
`
	want := []string{
		"data.cato.lib.x.chosen", "data.cato.lib.x.f(input)", "data.cato.lib.x.other", "data.cato.lib.x.plain = true",
		"data.cato.lib.x.set", "data.cato.lib.x.several = true", "data.cato.lib.x.standing", "not data.cato.lib.x.plain = true",
	}
	module, err := ast.ParseModuleWithOpts("x.rego", text, ast.ParserOptions{RegoVersion: ast.RegoV1})
	if err != nil {
		t.Fatal(err)
	}
	compiler := ast.NewCompiler()
	var got set = map[string]bool{}
	compiler.WithStageAfterID(ast.StageRemoveImports, ast.CompilerStageDefinition{Name: "Rewrite", Stage: func(c *ast.Compiler) *ast.Error {
		err := compareTruths(c)
		ast.WalkExprs(c.Modules["x.rego"], func(e *ast.Expr) bool {
			var names bool
			ast.WalkRefs(e, func(ref ast.Ref) bool {
				names = names || ref.HasPrefix(ast.MustParseRef("data.cato"))
				return false
			})
			if _, every := e.Terms.(*ast.Every); names && !every {
				got[e.String()] = true
			}
			return false
		})
		return err
	}})
	if compiler.Compile(map[string]*ast.Module{"x.rego": module}); compiler.Failed() {
		t.Fatal(compiler.Errors)
	}
	if diff := cmp.Diff(want, got.sorted()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
