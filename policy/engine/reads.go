package engine

import (
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/dependencies"
)

// inputPath is the dotted path that a reference reads for certain: the part before its first variable.
func inputPath(ref ast.Ref) (string, bool) {
	if !ref.HasPrefix(ast.InputRootRef) {
		return "", false
	}
	var parts []string
	for _, term := range ref.ConstantPrefix()[1:] {
		part, ok := term.Value.(ast.String)
		if !ok {
			break
		}
		parts = append(parts, string(part))
	}
	return strings.Join(parts, "."), true
}

// pathsOverlap reports whether one path lies within the other. A key that holds a dot can only make it say yes
// too often.
func pathsOverlap(a, b string) bool {
	return within(a, b) || within(b, a)
}

func within(outer, inner string) bool {
	if outer == "" {
		return true
	}
	rest, ok := strings.CutPrefix(inner, outer)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

func readsOverlap(reads []string, path string) bool {
	return slices.ContainsFunc(reads, func(read string) bool { return pathsOverlap(read, path) })
}

// reach is what a package can read and whom it asks, through everything that it refers to.
type reach struct {
	reads    []string  // dotted paths of the input
	data     []ast.Ref // base documents below data
	packages []string  // packages whose rules it reaches, its own among them
}

func reachOf(compiler *ast.Compiler, pkg string) (reach, error) {
	reads, packages := set{}, set{}
	var data []ast.Ref
	rules := compiler.GetRulesWithPrefix(ast.MustParseRef("data." + pkg))
	for _, rule := range slices.Clone(rules) {
		base, err := dependencies.Base(compiler, rule)
		if err != nil {
			return reach{}, err
		}
		for _, ref := range base {
			if path, isInput := inputPath(ref); isInput {
				reads[path] = true
			} else if ref.HasPrefix(ast.DefaultRootRef) {
				data = append(data, ref)
			}
		}
		virtual, err := dependencies.Virtual(compiler, rule)
		if err != nil {
			return reach{}, err
		}
		for _, ref := range virtual {
			rules = append(rules, compiler.GetRules(ref)...)
		}
	}
	for _, rule := range rules {
		packages[strings.TrimPrefix(rule.Module.Package.Path.String(), "data.")] = true
	}
	packages[strings.TrimPrefix(resultPackage, "data.")] = true // inlined, so that no rule seems to reach it
	addMissedReads(rules, reads)
	return reach{reads: reads.sorted(), data: data, packages: packages.sorted()}, nil
}

// addMissedReads is the second pair of eyes on the dependency analysis, whose handling of aliases is intricate:
// a read that it did not account for would hide a gap.
func addMissedReads(rules []*ast.Rule, reads set) {
	known := reads.sorted()
	for _, rule := range rules {
		ast.WalkRefs(rule, func(ref ast.Ref) bool {
			if path, isInput := inputPath(ref); isInput && !readsOverlap(known, path) {
				reads[path] = true
			}
			return false
		})
	}
}

type set map[string]bool

func (s set) sorted() []string {
	keys := make([]string, 0, len(s))
	for key := range s {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
