package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
)

const defaultDeadline = 100 * time.Millisecond

// Load reads, checks and compiles a bundle. Its errors name the file, the package and the remedy. It does not
// run the bundle's tests: Set.Test and Set.Amputate do, and belong before the activation of a foreign bundle.
func Load(ctx context.Context, source Source) (*Set, error) {
	if source.Bundle == nil || source.Schema == nil || source.Catalog == nil {
		return nil, errors.New("a source needs a bundle, the schema of the input and a catalog of controls")
	}
	modules, data, err := read(source)
	if err != nil {
		return nil, err
	}
	deadline := source.Deadline
	if deadline == 0 {
		deadline = defaultDeadline
	}
	s := &Set{
		modules: modules, compilation: compilation{schema: source.Schema, data: data},
		observer: source.Observer.orSilent(), grants: map[string]*grant{}, byID: map[string]*Rule{},
	}
	if err := s.describe(source.Catalog); err != nil {
		return nil, err
	}
	if err := s.build(ctx, deadline); err != nil {
		return nil, err
	}
	return s, nil
}

// read parses all modules and refuses what need not be compiled to be refused.
func read(source Source) ([]*module, map[string]any, error) {
	var modules []*module
	data := map[string]any{}
	var errs []error
	for _, from := range source.origins() {
		read, err := readModules(from)
		errs = append(errs, err)
		modules = append(modules, read...)
		own, err := readData(from)
		errs = append(errs, err)
		if own != nil {
			graft(data, from.root, own)
		}
	}
	for _, m := range modules {
		errs = append(errs, checkContract(m))
	}
	errs = append(errs, checkBinding(modules), checkTestsHaveSubject(modules))
	slices.SortFunc(modules, func(a, b *module) int { return strings.Compare(a.pkg, b.pkg) })
	return modules, data, errors.Join(errs...)
}

// graft puts a bundle's data where its root says: cato.data or custom.cato.data.
func graft(into map[string]any, root string, data map[string]any) {
	keys := strings.Split(root, ".")
	for _, key := range keys {
		below := map[string]any{}
		into[key], into = below, below
	}
	into["data"] = data
}

// checkTestsHaveSubject refuses a test of a rule or grant that is not there, such as one left by a rename.
func checkTestsHaveSubject(modules []*module) error {
	declared := set{}
	for _, m := range modules {
		declared[m.pkg] = true
	}
	var errs []error
	for _, m := range modules {
		if subject := strings.TrimSuffix(m.pkg, "_test"); m.test && !declared[subject] && (m.role == roleRule || m.role == roleGrant) {
			errs = append(errs, m.errorf("tests %s, which is not declared", subject))
		}
	}
	return errors.Join(errs...)
}

// describe reads the metadata of rules and grants.
func (s *Set) describe(catalog Catalog) error {
	parsed := make([]*ast.Module, len(s.modules))
	for i, m := range s.modules {
		parsed[i] = m.ast
	}
	annotations, problems := ast.BuildAnnotationSet(parsed)
	if len(problems) > 0 {
		return problems
	}
	var errs []error
	for _, m := range s.modules {
		switch {
		case m.test:
		case m.role == roleRule:
			r, err := ruleFrom(m, annotations, catalog)
			if err != nil {
				errs = append(errs, err)
				continue
			}
			s.rules = append(s.rules, r)
		case m.role == roleGrant:
			g, err := grantFrom(m, annotations)
			if err != nil {
				errs = append(errs, err)
				continue
			}
			s.grants[g.Name] = &grant{Grant: *g}
		}
	}
	if err := errors.Join(append(errs, byID(s.rules))...); err != nil {
		return err
	}
	for _, r := range s.rules {
		s.byID[r.ID] = r
	}
	s.choices = choose(s.rules)
	return nil
}

// build compiles the live modules with the generated entry point and prepares every query.
func (s *Set) build(ctx context.Context, deadline time.Duration) error {
	live, err := s.liveModules()
	if err != nil {
		return err
	}
	for _, m := range s.modules {
		if m.role == roleRule && !m.test {
			if live[m.file], err = underOneGuard(m.ast); err != nil {
				return m.wrap("one guard", err)
			}
		}
	}
	compiler, store, err := s.compilation.compile(ctx, live, inlineResults)
	if err != nil {
		return err
	}
	if err := s.resolve(compiler); err != nil {
		return err
	}
	p := preparer{compiler: compiler, store: store, deadline: deadline, memos: newMemos()}
	if s.audit, err = p.queries(ctx, s, Plan, Live); err != nil {
		return err
	}
	if s.admission, err = p.queries(ctx, s, Admission); err != nil {
		return err
	}
	for _, g := range s.grants {
		if g.query, err = p.prepare(ctx, "data."+g.Package+".given"); err != nil {
			return err
		}
	}
	return nil
}

func (s *Set) liveModules() (map[string]*ast.Module, error) {
	generated, err := entry(s.rules)
	if err != nil {
		return nil, err
	}
	binding, err := ast.ParseModuleWithOpts("custom.cato", bindCustom, ast.ParserOptions{ProcessAnnotation: true, RegoVersion: ast.RegoV1})
	if err != nil {
		return nil, err
	}
	live := map[string]*ast.Module{entryFile: generated, "custom.cato": binding}
	for _, m := range s.modules {
		if !m.test {
			live[m.file] = m.ast
		}
	}
	return live, nil
}

// resolve asks the compiler what each package reads and reaches, and hashes it.
func (s *Set) resolve(compiler *ast.Compiler) error {
	sums := map[string][]byte{}
	all := sha256.New()
	for _, m := range s.modules {
		if !m.test {
			sum := sha256.Sum256(append([]byte(m.pkg+"\n"), m.source...))
			sums[m.pkg] = sum[:]
			all.Write(sum[:])
		}
	}
	data, err := json.Marshal(s.compilation.data)
	if err != nil {
		return err
	}
	all.Write(data)
	s.Revision = hex.EncodeToString(all.Sum(nil))[:12]
	var errs []error
	for _, m := range s.modules {
		if m.test || m.role == roleRoot {
			continue
		}
		reached, err := reachOf(compiler, m.pkg)
		if err != nil {
			return m.wrap("dependencies", err)
		}
		errs = append(errs, s.compilation.checkDangling(m, reached), s.assign(m, reached, fingerprint(reached, sums, data)))
	}
	return errors.Join(errs...)
}

func fingerprint(reached reach, sums map[string][]byte, data []byte) string {
	h := sha256.New()
	for _, pkg := range reached.packages {
		h.Write(sums[pkg])
	}
	if len(reached.data) > 0 {
		h.Write(data)
	}
	return hex.EncodeToString(h.Sum(nil))[:12]
}

func (s *Set) assign(m *module, reached reach, fingerprint string) error {
	for _, r := range s.rules {
		if r.Package == m.pkg {
			r.Reads, r.Fingerprint = reached.reads, fingerprint
			return checkParameters(m, r)
		}
	}
	for _, g := range s.grants {
		if g.Package == m.pkg {
			g.Reads, g.Fingerprint = reached.reads, fingerprint
		}
	}
	return nil
}
