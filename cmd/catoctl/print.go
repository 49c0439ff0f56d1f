package main

import (
	"encoding/json"
	"fmt"
	"io"

	"sigs.k8s.io/yaml"
)

// printAs writes a value as JSON or YAML, or for people by its own table.
func printAs(w io.Writer, format string, value any, table func(io.Writer) error) error {
	switch format {
	case "table":
		return table(w)
	case "json":
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		encoder.SetEscapeHTML(false)
		return encoder.Encode(value)
	case "yaml":
		text, err := yaml.Marshal(value)
		if err != nil {
			return err
		}
		_, err = w.Write(text)
		return err
	default:
		return fmt.Errorf("-o %q: use table, json or yaml", format)
	}
}
