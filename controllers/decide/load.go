package decide

import (
	"context"
	"fmt"
	"time"

	"cato.dev/cato/compliance/catalog"
	"cato.dev/cato/policy/bundle"
	"cato.dev/cato/policy/engine"
	"cato.dev/cato/policy/facts"
)

// deadline bounds one evaluation of the embedded rules, which take milliseconds:
// it is there for what nobody thought of, and must not be met on a machine that
// does other work as well, since a rule out of time is an unknown verdict.
const deadline = 2 * time.Second

// Load compiles the embedded bundle and returns the engine, a Judge of it and
// the catalog of controls that its rules name. An error means that the binary
// was built from a bundle that does not hold together.
func Load(ctx context.Context, observer engine.Observer) (*engine.Engine, *Judge, *catalog.Catalog, error) {
	controls, err := catalog.New()
	if err != nil {
		return nil, nil, nil, err
	}
	schema, err := facts.Schema()
	if err != nil {
		return nil, nil, nil, fmt.Errorf("schema of the facts: %w", err)
	}
	set, err := engine.Load(ctx, engine.Source{Bundle: bundle.FS(), Schema: schema, Catalog: controls.Check, Observer: observer, Deadline: deadline})
	if err != nil {
		return nil, nil, nil, fmt.Errorf("embedded policy bundle: %w", err)
	}
	e := engine.New(set)
	judge, err := New(e)
	if err != nil {
		return nil, nil, nil, err
	}
	return e, judge, controls, nil
}
