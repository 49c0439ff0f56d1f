// Command generate writes the dashboards; run it from the root of the checkout.
package main

import (
	"fmt"
	"os"

	"cato.dev/cato/dashboards"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func run() error {
	text, err := dashboards.JSON()
	if err != nil {
		return err
	}
	return os.WriteFile("dashboards/"+dashboards.UID+".json", text, 0o644)
}
