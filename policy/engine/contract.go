package engine

import (
	"errors"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// checkContract refuses what the compiler allows but a rule, grant or test must not do.
func checkContract(m *module) error {
	if m.test {
		return nil
	}
	var public []string
	switch m.role {
	case roleRoot:
		if len(m.ast.Rules) > 0 {
			return m.errorf("binds the schema and declares nothing")
		}
		return nil
	case roleRule:
		public = []string{"judged", "report"}
	case roleGrant:
		public = []string{"given"}
	case roleLibrary:
	}
	errs := []error{checkDocuments(m, public), checkWith(m), checkExceptions(m)}
	for _, rule := range m.ast.Rules {
		errs = append(errs, checkDocument(m, rule))
	}
	return errors.Join(errs...)
}

// checkDocuments wants exactly the public documents: a misspelt report would otherwise be a silent rule.
func checkDocuments(m *module, public []string) error {
	if public == nil {
		return nil
	}
	seen := map[string]bool{}
	var errs []error
	for _, rule := range m.ast.Rules {
		name := documentName(rule)
		seen[name] = true
		if !slices.Contains(public, name) && !strings.HasPrefix(name, "_") {
			errs = append(errs, m.errorf("line %d: %q is neither %s nor a helper; helpers begin with _",
				rule.Location.Row, name, strings.Join(public, ", ")))
		}
	}
	for _, name := range public {
		if !seen[name] {
			errs = append(errs, m.errorf("declares no %q", name))
		}
	}
	return errors.Join(errs...)
}

func documentName(rule *ast.Rule) string {
	return strings.Trim(rule.Head.Ref()[0].Value.String(), `"`)
}

func checkDocument(m *module, rule *ast.Rule) error {
	name, line := documentName(rule), rule.Location.Row
	private := strings.HasPrefix(name, "_") || m.role == roleLibrary
	if private {
		return nil
	}
	if len(rule.Head.Ref()) != 1 || len(rule.Head.Args) > 0 {
		return m.errorf("line %d: %q must be one document, neither a function nor an object", line, name)
	}
	if name == "judged" {
		return nil
	}
	if rule.Default || rule.Head.RuleKind() != ast.MultiValue {
		return m.errorf("line %d: %q must be a partial set without default (%s contains ... if ...)", line, name, name)
	}
	if name == "report" && !madeByResult(m, rule.Head.Key) {
		return m.errorf("line %d: an entry of report must be a call of data.cato.lib.result: pass, fail, unknown or not_applicable", line)
	}
	return nil
}

func madeByResult(m *module, key *ast.Term) bool {
	call, ok := key.Value.(ast.Call)
	if !ok || len(call) == 0 {
		return false
	}
	operator, ok := call[0].Value.(ast.Ref)
	if !ok {
		return false
	}
	name := operator.String()
	for _, imported := range m.ast.Imports {
		if alias := string(imported.Name()); strings.HasPrefix(name, alias+".") {
			name = imported.Path.String() + strings.TrimPrefix(name, alias)
			break
		}
	}
	function, ok := strings.CutPrefix(name, "data.cato.lib.result.")
	return ok && slices.Contains([]string{"pass", "fail", "unknown", "not_applicable"}, function)
}

// checkWith refuses `with`: it would let a rule forge the input, or a grant that it asks.
func checkWith(m *module) error {
	var errs []error
	ast.WalkExprs(m.ast, func(e *ast.Expr) bool {
		if len(e.With) > 0 {
			errs = append(errs, m.errorf("line %d: `with` is for tests only", e.Location.Row))
		}
		return false
	})
	return errors.Join(errs...)
}

// checkExceptions keeps exceptions from the rules: they are matched after the fold, and the verdict stays.
func checkExceptions(m *module) error {
	if m.role != roleRule {
		return nil
	}
	var errs []error
	ast.WalkRefs(m.ast, func(ref ast.Ref) bool {
		if path, isInput := inputPath(ref); isInput && pathsOverlap(path, "exceptions") {
			errs = append(errs, m.errorf("line %d: %s: a rule reads neither exceptions nor the input as a whole", ref[0].Location.Row, ref))
		}
		return false
	})
	return errors.Join(errs...)
}
