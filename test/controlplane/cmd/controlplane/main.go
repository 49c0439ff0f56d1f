// Command controlplane builds the control plane for the tests ahead of its
// first use and prints where it is.
package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"cato.dev/cato/test/controlplane"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "controlplane:", err)
		os.Exit(1)
	}
}

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	files, err := controlplane.Binaries(ctx, os.Stderr)
	if err != nil {
		return err
	}
	fmt.Println(files.Assets)
	for _, set := range slices.Sorted(maps.Keys(files.CRDs)) {
		fmt.Println(files.CRDs[set])
	}
	return nil
}
