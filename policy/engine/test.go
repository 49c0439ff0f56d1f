package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/cover"
	"github.com/open-policy-agent/opa/v1/tester"
)

const testDeadline = 10 * time.Second

// TestResult is what the bundle's own tests showed.
type TestResult struct {
	Passed    int
	Failed    []string // file:line, package, name and outcome of each test that did not pass
	Missing   []string // packages without tests, and kinds of tests that a rule or grant must have
	Uncovered []string // file:lines that no test reached
}

// Err returns all that is wrong as one error, nil if nothing is.
func (t TestResult) Err() error {
	var errs []error
	for _, list := range [][]string{t.Failed, t.Missing, t.Uncovered} {
		for _, line := range list {
			errs = append(errs, errors.New(line))
		}
	}
	return errors.Join(errs...)
}

// Test runs the tests of the bundle by a compiler of their own; those that time out or err did not pass. An
// error means that they could not be run at all.
func (s *Set) Test(ctx context.Context) (TestResult, error) {
	modules, err := s.testModules()
	if err != nil {
		return TestResult{}, err
	}
	store := s.compilation.store()
	compiler, txn, err := s.compilation.compiler(ctx, store)
	if err != nil {
		return TestResult{}, err
	}
	defer store.Abort(ctx, txn)
	coverage := cover.New()
	results, err := tester.NewRunner().SetCompiler(compiler).SetStore(store).SetModules(modules).
		SetTimeout(testDeadline).SetCoverageQueryTracer(coverage).RaiseBuiltinErrors(true).RunTests(ctx, nil)
	if err != nil {
		return TestResult{}, fmt.Errorf("tests: %w", err)
	}
	var t TestResult
	for r := range results {
		if r.Pass() && !r.Skip {
			t.Passed++
			continue
		}
		t.Failed = append(t.Failed, fmt.Sprintf("%s: %s", r.Location, outcome(r)))
	}
	slices.Sort(t.Failed)
	t.Missing = s.missingTests()
	t.Uncovered = s.uncovered(coverage, modules)
	return t, nil
}

// testModules is all modules, tests among them.
func (s *Set) testModules() (map[string]*ast.Module, error) {
	modules, err := s.liveModules()
	if err != nil {
		return nil, err
	}
	for _, m := range s.modules {
		modules[m.file] = m.ast
	}
	return modules, nil
}

func outcome(r *tester.Result) string {
	name := strings.TrimPrefix(r.Package, "data.") + "." + r.Name
	switch {
	case r.Error != nil:
		return fmt.Sprintf("%s: error: %s", name, r.Error)
	case r.Skip:
		return name + ": skipped; a test that does not run shows nothing"
	default:
		return name + ": failed"
	}
}

// missingTests lists what the contract asks of a rule's and a grant's tests and is not there.
func (s *Set) missingTests() []string {
	var missing []string
	for _, r := range s.rules {
		wanted := []string{"test_pass", "test_fail", "test_unknown", "test_not_applicable", "test_malformed"}
		if r.AlwaysApplies {
			wanted = slices.DeleteFunc(wanted, func(w string) bool { return w == "test_not_applicable" })
		}
		missing = append(missing, s.missingNames(r.Package, append(wanted, "passing"))...)
	}
	for _, g := range s.Grants() {
		missing = append(missing, s.missingNames(g.Package, []string{"test_given", "test_not_given", "test_malformed", "passing"})...)
	}
	return missing
}

func (s *Set) missingNames(pkg string, wanted []string) []string {
	var missing []string
	for _, prefix := range wanted {
		found := false
		for _, m := range s.modules {
			found = found || m.pkg == pkg+"_test" && slices.ContainsFunc(m.ast.Rules, func(r *ast.Rule) bool {
				return strings.HasPrefix(documentName(r), prefix)
			})
		}
		if !found {
			missing = append(missing, fmt.Sprintf("package %s_test: has no %s", pkg, prefix))
		}
	}
	return missing
}

func (s *Set) uncovered(coverage *cover.Cover, modules map[string]*ast.Module) []string {
	var lines []string
	report := coverage.Report(modules)
	for _, m := range s.modules {
		if m.test || m.role == roleRoot {
			continue
		}
		if file := report.Files[m.file]; file != nil {
			if rows := rowsOf(file.NotCovered); rows != "" {
				lines = append(lines, fmt.Sprintf("%s: no test reaches lines %s", m.file, rows))
			}
		}
	}
	return lines
}

func rowsOf(ranges []cover.Range) string {
	var rows []string
	for _, r := range ranges {
		row := fmt.Sprint(r.Start.Row)
		if r.End.Row != r.Start.Row {
			row = fmt.Sprintf("%d-%d", r.Start.Row, r.End.Row)
		}
		rows = append(rows, row)
	}
	return strings.Join(slices.Compact(rows), ", ")
}
