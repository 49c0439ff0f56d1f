package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/storage"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
)

// capabilities leaves out every builtin whose answer depends on anything but its arguments, and bits.lsh, which
// can ask for gigabytes in one call and ignores a deadline. Time is a fact.
func capabilities() *ast.Capabilities {
	c := ast.CapabilitiesForThisVersion(ast.CapabilitiesRegoVersion(ast.RegoV1))
	c.Builtins = slices.DeleteFunc(c.Builtins, func(b *ast.Builtin) bool {
		return b.IsNondeterministic() || b.Name == "bits.lsh"
	})
	c.AllowNet = []string{}
	return c
}

// compilation makes compilers of one configuration: the live one without tests, the one that runs the tests.
type compilation struct {
	schema any
	data   map[string]any
}

func (c compilation) store() storage.Store {
	return inmem.NewFromObjectWithOpts(c.data, inmem.OptReturnASTValuesOnRead(true))
}

func (c compilation) compiler(ctx context.Context, store storage.Store) (*ast.Compiler, storage.Transaction, error) {
	txn, err := store.NewTransaction(ctx)
	if err != nil {
		return nil, nil, err
	}
	schemas := ast.NewSchemaSet()
	schemas.Put(ast.MustParseRef("schema.input"), c.schema)
	return ast.NewCompiler().WithStrict(true).WithCapabilities(capabilities()).WithSchemas(schemas).
		WithUseTypeCheckAnnotations(true).WithPathConflictsCheck(storage.NonEmpty(ctx, store, txn)), txn, nil
}

// compile compiles what the bundle says; rewrites change the modules of this compiler once their imports are resolved.
func (c compilation) compile(ctx context.Context, modules map[string]*ast.Module, rewrites ...ast.CompilerStage) (*ast.Compiler, storage.Store, error) {
	store := c.store()
	compiler, txn, err := c.compiler(ctx, store)
	if err != nil {
		return nil, nil, err
	}
	defer store.Abort(ctx, txn)
	for _, rewrite := range rewrites {
		compiler.WithStageAfterID(ast.StageRemoveImports, ast.CompilerStageDefinition{
			Name: "Rewrite", MetricName: "compile_stage_rewrite", Stage: rewrite,
		})
	}
	if compiler.Compile(modules); compiler.Failed() {
		return nil, nil, fmt.Errorf("compile: %w", compiler.Errors)
	}
	return compiler, store, nil
}

// bindCustom binds the schema for the packages of users, who cannot declare custom.cato themselves.
const bindCustom = `# METADATA
# scope: subpackages
# schemas:
#   - input: schema.input
package custom.cato
`

// checkBinding refuses a bundle that does not bind the schema: no misspelt fact would be seen.
func checkBinding(modules []*module) error {
	for _, m := range modules {
		if m.role != roleRoot || m.test {
			continue
		}
		for _, a := range m.ast.Annotations {
			if a.Scope == "subpackages" && len(a.Schemas) == 1 && a.Schemas[0].Path.String() == "input" &&
				a.Schemas[0].Schema.String() == "schema.input" {
				return nil
			}
		}
	}
	return errors.New("bundle: no module `package cato` with the annotation `scope: subpackages, schemas: [{input: schema.input}]`")
}

// checkDangling refuses references to documents that nothing declares: they compile, and are undefined for ever.
func (c compilation) checkDangling(m *module, reached reach) error {
	var errs []error
	for _, ref := range reached.data {
		if !declares(c.data, ref) {
			errs = append(errs, m.errorf("refers to %s, which no module and no data declares", ref))
		}
	}
	return errors.Join(errs...)
}

func declares(data map[string]any, ref ast.Ref) bool {
	var document any = data
	for _, term := range ref[1:] {
		key, isString := term.Value.(ast.String)
		object, isObject := document.(map[string]any)
		if !isString || !isObject {
			return false
		}
		value, found := object[string(key)]
		if !found {
			return false
		}
		document = value
	}
	return true
}
