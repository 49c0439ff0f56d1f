// Command generate writes the generated pages of docs; run it from the root of the checkout.
package main

import (
	"context"
	"fmt"
	"os"

	"cato.dev/cato/controllers/decide"
	"cato.dev/cato/docs/reference"
	"cato.dev/cato/policy/engine"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	e, _, controls, err := decide.Load(ctx, engine.Observer{})
	if err != nil {
		return err
	}
	for path, text := range map[string]string{
		"docs/rules.md":   reference.Rules(e.Current(), controls),
		"docs/metrics.md": reference.Metrics(),
	} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
