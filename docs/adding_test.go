package docs_test

import (
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/format"

	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	"cato.dev/cato/compliance/catalog"
	"cato.dev/cato/controllers/decide"
	"cato.dev/cato/controllers/gather"
	"cato.dev/cato/docs/markdown"
	"cato.dev/cato/policy/bundle"
	"cato.dev/cato/policy/engine"
	"cato.dev/cato/policy/facts"
)

const (
	page    = "adding-a-rule.md"
	newRule = "IMG-010"
)

// TestAddingARuleWorksAsThePageSays follows docs/adding-a-rule.md.
func TestAddingARuleWorksAsThePageSays(t *testing.T) {
	blocks := blocksOf(t)
	everything := load(t, blocks["rego"], func(string) bool { return true })
	// Beside the other rules its tests would run all of theirs, which the bundle's own test does.
	alone := load(t, blocks["rego"], func(name string) bool { return !strings.HasPrefix(name, "rules/") })
	if rules := alone.Rules(); len(rules) != 1 || rules[0].ID != newRule {
		t.Fatalf("the page adds %d rules, not %s alone", len(rules), newRule)
	}
	t.Run("its tests are whole and pass", func(t *testing.T) { tested(t, alone) })
	t.Run("no decisive fact can be taken away", func(t *testing.T) {
		if err := alone.Amputate(t.Context()); err != nil {
			t.Error(err)
		}
	})
	t.Run("it judges the object of the page", func(t *testing.T) { judges(t, everything, blocks) })
}

// tested runs the tests of the rule; lines of libraries that only other rules reach do not count.
func tested(t *testing.T, alone *engine.Set) {
	result, err := alone.Test(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if result.Passed == 0 {
		t.Error("no test ran")
	}
	missed := slices.Concat(result.Failed, result.Missing)
	for _, line := range result.Uncovered {
		if strings.HasPrefix(line, alone.Rules()[0].File) {
			missed = append(missed, line)
		}
	}
	if len(missed) > 0 {
		t.Error(strings.Join(missed, "\n"))
	}
}

func blocksOf(t *testing.T) map[string][]markdown.Block {
	t.Helper()
	all, err := markdown.Read(page)
	if err != nil {
		t.Fatal(err)
	}
	blocks := map[string][]markdown.Block{}
	for _, b := range all {
		blocks[b.Language] = append(blocks[b.Language], b)
	}
	for language, count := range map[string]int{"rego": 2, "yaml": 1, "text": 1} {
		if len(blocks[language]) != count {
			t.Fatalf("%s has %d blocks of %s, not %d", page, len(blocks[language]), language, count)
		}
	}
	return blocks
}

// load compiles what is kept of the embedded bundle, with the page's files beside it.
func load(t *testing.T, files []markdown.Block, kept func(name string) bool) *engine.Set {
	t.Helper()
	overlay := fstest.MapFS{}
	err := fs.WalkDir(bundle.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !kept(name) {
			return err
		}
		text, err := fs.ReadFile(bundle.FS(), name)
		overlay[name] = &fstest.MapFile{Data: text}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range files {
		name, below := strings.CutPrefix(b.File, "policy/bundle/")
		if !below || overlay[name] != nil {
			t.Fatalf("%s:%d: %q must be a new file below policy/bundle", page, b.Line, b.File)
		}
		formatted(t, b)
		overlay[path.Clean(name)] = &fstest.MapFile{Data: []byte(b.Text)}
	}
	controls, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	schema, err := facts.Schema()
	if err != nil {
		t.Fatal(err)
	}
	set, err := engine.Load(t.Context(), engine.Source{Bundle: overlay, Schema: schema, Catalog: controls.Check})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func formatted(t *testing.T, b markdown.Block) {
	t.Helper()
	options := format.Opts{RegoVersion: ast.RegoV1, ParserOptions: &ast.ParserOptions{ProcessAnnotation: true, RegoVersion: ast.RegoV1}}
	text, err := format.SourceWithOpts(b.File, []byte(b.Text), options)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(b.Text, string(text)); diff != "" {
		t.Errorf("%s:%d is not formatted (-is +must be):\n%s", page, b.Line, diff)
	}
}

// judges has the rule look at the page's manifest, as catoctl check does.
func judges(t *testing.T, set *engine.Set, blocks map[string][]markdown.Block) {
	files, err := gather.NewFiles()
	if err != nil {
		t.Fatal(err)
	}
	manifest := blocks["yaml"][0]
	if err := files.Add(manifest.File, strings.NewReader(manifest.Text)); err != nil {
		t.Fatal(err)
	}
	machine, ok := files.Objects()[0].(*udsv1alpha1.UDSVirtualMachine)
	if !ok {
		t.Fatalf("%s holds no UDSVirtualMachine", manifest.File)
	}
	machine.Spec.SetDefaults()
	gatherer := gather.FromReader(files, time.Now)
	gatherer.Blind, gatherer.FromFiles = files.Blind, true
	gathered, err := gatherer.UDSVirtualMachine(t.Context(), machine, facts.Plan)
	if err != nil {
		t.Fatal(err)
	}
	userData, err := gather.ReadUserData(t.Context(), files, machine)
	if err != nil {
		t.Fatal(err)
	}
	judge, err := decide.New(engine.New(set))
	if err != nil {
		t.Fatal(err)
	}
	judgement, _, err := judge.Machine(t.Context(), gathered, userData, facts.Plan)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, v := range judgement.Verdicts {
		if v.Value == engine.Fail || v.Value == engine.Unknown {
			got[v.Rule.ID] = string(v.Value) + ": " + v.Why
		}
	}
	want := map[string]string{newRule: "fail: " + strings.TrimSpace(blocks["text"][0].Text)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what does not pass (-page +rules):\n%s", diff)
	}
	if refusals := judgement.Refusals(); len(refusals) != 1 || refusals[0].Rule.ID != newRule {
		t.Errorf("the write must be refused by %s alone, got %v", newRule, refusals)
	}
}
