package bundle_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/format"

	"cato.dev/cato/policy/bundle"
	"cato.dev/cato/policy/engine"
	"cato.dev/cato/policy/facts"
)

func load(t *testing.T) *engine.Set {
	t.Helper()
	schema, err := facts.Schema()
	if err != nil {
		t.Fatal(err)
	}
	s, err := engine.Load(context.Background(), engine.Source{Bundle: bundle.FS(), Schema: schema, Catalog: wellFormed})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// wellFormed checks the spelling of control ids; whether they exist is asked where the catalog is.
func wellFormed(control string, statements, objectives []string) error {
	if !regexp.MustCompile(`^[a-z]{2}-[1-9][0-9]*(\.[1-9][0-9]*)?$`).MatchString(control) {
		return fmt.Errorf("control id %q: must be spelt as in the OSCAL catalog, such as sc-7 or sc-7.5", control)
	}
	for _, part := range append(statements, objectives...) {
		if !strings.Contains(part, "_smt") && !strings.Contains(part, "_obj") {
			return errors.New(part + ": must be the id of a statement (_smt) or an objective (_obj)")
		}
	}
	return nil
}

func TestRulesAndGrantsKeepTheirContract(t *testing.T) {
	result, err := load(t).Test(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if err := result.Err(); err != nil {
		t.Error(err)
	}
	if result.Passed == 0 {
		t.Error("no test ran")
	}
	t.Logf("%d tests of the bundle passed", result.Passed)
}

func TestNoRulePassesWithoutTheFactsThatDecideIt(t *testing.T) {
	if err := load(t).Amputate(context.Background()); err != nil {
		t.Error(err)
	}
}

func TestEveryFileIsFormatted(t *testing.T) {
	err := fs.WalkDir(bundle.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".rego") {
			return err
		}
		source, err := fs.ReadFile(bundle.FS(), name)
		if err != nil {
			return err
		}
		options := format.Opts{RegoVersion: ast.RegoV1, ParserOptions: &ast.ParserOptions{ProcessAnnotation: true, RegoVersion: ast.RegoV1}}
		formatted, err := format.SourceWithOpts(name, source, options)
		if err != nil {
			return err
		}
		if diff := cmp.Diff(string(source), string(formatted)); diff != "" {
			t.Errorf("%s: run opa fmt (-is +must be):\n%s", name, diff)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func BenchmarkLoad(b *testing.B) {
	schema, err := facts.Schema()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := engine.Load(context.Background(), engine.Source{Bundle: bundle.FS(), Schema: schema, Catalog: wellFormed}); err != nil {
			b.Fatal(err)
		}
	}
}
