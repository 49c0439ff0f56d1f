package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
)

// Source is what a Set is loaded from.
type Source struct {
	// Bundle declares the packages cato.*: the embedded bundle, or one that an operator signed.
	Bundle fs.FS
	// Custom declares the packages custom.cato.* of a user; nil when there is none.
	Custom fs.FS
	// Schema is the decoded JSON Schema of the input document.
	Schema any
	// Catalog checks the control ids of the rules.
	Catalog Catalog
	// Deadline bounds each evaluation; zero is 100 ms.
	Deadline time.Duration
	// Observer is told of verdicts, fallbacks, gaps and durations.
	Observer Observer
}

// role is what a module is for, which its package says.
type role int

const (
	roleRoot role = iota // binds the schema, declares nothing
	roleRule
	roleGrant
	roleLibrary
)

type module struct {
	file   string
	pkg    string // dotted, without "data."
	role   role
	test   bool
	source []byte
	ast    *ast.Module
}

func (m *module) errorf(format string, args ...any) error {
	return fmt.Errorf("%s: package %s: %s", m.file, m.pkg, fmt.Sprintf(format, args...))
}

func (m *module) wrap(step string, err error) error {
	return fmt.Errorf("%s: package %s: %s: %w", m.file, m.pkg, step, err)
}

// origin is one tree of modules and the root below which it may declare packages.
type origin struct {
	files  fs.FS
	root   string // "cato" or "custom.cato"
	prefix string // keeps the file names of two trees apart
	layout bool   // whether the file's path must follow the package
}

func (s Source) origins() []origin {
	from := []origin{{files: s.Bundle, root: "cato", layout: true}}
	if s.Custom != nil {
		from = append(from, origin{files: s.Custom, root: "custom.cato", prefix: "custom/"})
	}
	return from
}

// readModules parses every Rego file of the tree and refuses packages that are not its to declare. Modules of
// one package merge silently, so that a second one could widen a grant: one module a package.
func readModules(from origin) ([]*module, error) {
	var modules []*module
	var errs []error
	owner := map[string]string{}
	err := fs.WalkDir(from.files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".rego") {
			return err
		}
		m, err := readModule(from, name)
		if err != nil {
			errs = append(errs, err)
			return nil
		}
		if first, taken := owner[m.pkg]; taken {
			errs = append(errs, m.errorf("already declared by %s; a package is one module", first))
			return nil
		}
		owner[m.pkg] = m.file
		modules = append(modules, m)
		return nil
	})
	return modules, errors.Join(append(errs, err)...)
}

func readModule(from origin, name string) (*module, error) {
	source, err := fs.ReadFile(from.files, name)
	if err != nil {
		return nil, err
	}
	file := from.prefix + name
	parsed, err := ast.ParseModuleWithOpts(file, string(source), ast.ParserOptions{ProcessAnnotation: true, RegoVersion: ast.RegoV1})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if parsed == nil {
		return nil, fmt.Errorf("%s: empty; a module declares a package", file)
	}
	m := &module{file: file, source: source, ast: parsed}
	m.pkg = strings.TrimPrefix(parsed.Package.Path.String(), "data.")
	if err := m.classify(from); err != nil {
		return nil, err
	}
	if m.test != strings.HasSuffix(name, "_test.rego") {
		return nil, m.errorf("tests, and only tests, are in files *_test.rego and packages *_test")
	}
	if want := m.folder(from); from.layout && path.Dir(name) != want {
		return nil, m.errorf("must lie in folder %s", want)
	}
	return m, nil
}

// folder is where the module's file belongs: the path is the name.
func (m *module) folder(from origin) string {
	below := strings.TrimPrefix(strings.TrimSuffix(m.pkg, "_test"), from.root+".")
	below = strings.ReplaceAll(below, ".", "/")
	switch m.role {
	case roleRoot:
		return "."
	case roleLibrary:
		return path.Dir(below)
	default:
		return below
	}
}

func (m *module) classify(from origin) error {
	segment := regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	m.test = strings.HasSuffix(m.pkg, "_test")
	if m.pkg == from.root && from.root == "cato" {
		m.role = roleRoot
		return nil
	}
	rest, owned := strings.CutPrefix(m.pkg, from.root+".")
	if !owned {
		return m.errorf("not below %s, which is all that this bundle may declare", from.root)
	}
	parts := strings.Split(rest, ".")
	if i := slices.IndexFunc(parts, func(p string) bool { return !segment.MatchString(p) }); i >= 0 {
		return m.errorf("part %q of the name must match %s", parts[i], segment)
	}
	switch {
	case parts[0] == "rules" && len(parts) == 3:
		m.role = roleRule
	case parts[0] == "grants" && len(parts) == 2 && from.root == "cato":
		m.role = roleGrant
	case parts[0] == "lib" && len(parts) >= 2:
		m.role = roleLibrary
	default:
		return m.errorf("must be %[1]s.rules.<domain>.<rule>, %[1]s.lib.<name> or, in the operator's bundle, cato.grants.<grant>", from.root)
	}
	return nil
}

// readData reads the bundle's own data, data.json at its root. It may only lie below <root>.data: elsewhere it
// could pose as a rule's or a grant's document.
func readData(from origin) (map[string]any, error) {
	text, err := fs.ReadFile(from.files, "data.json")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var document any
	if err := json.Unmarshal(text, &document); err != nil {
		return nil, fmt.Errorf("%sdata.json: %w", from.prefix, err)
	}
	for _, key := range strings.Split(from.root+".data", ".") {
		object, ok := document.(map[string]any)
		if !ok || len(object) != 1 || object[key] == nil {
			return nil, fmt.Errorf("%sdata.json: data of this bundle must be one object below %s.data and nothing beside it", from.prefix, from.root)
		}
		document = object[key]
	}
	data, ok := document.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%sdata.json: %s.data must be an object", from.prefix, from.root)
	}
	return data, nil
}
