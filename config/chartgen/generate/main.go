// Command generate writes the chart's generated templates; run it from the root of the checkout.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"cato.dev/cato/config/chartgen"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func run() error {
	templates, err := chartgen.Templates(os.DirFS("config"))
	if err != nil {
		return err
	}
	const folder = "config/chart/templates"
	old, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil {
		return err
	}
	for _, path := range old {
		if name := filepath.Base(path); templates[name] == "" && chartgen.Generated(name) {
			if err := os.Remove(path); err != nil {
				return err
			}
		}
	}
	for name, text := range templates {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
