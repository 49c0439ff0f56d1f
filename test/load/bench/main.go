// Command bench prints what judging costs.
//
// Everything is measured in one run on one machine and compared within it, so
// that the ratios hold elsewhere. It is no test: a figure beyond its goal is
// printed as one that falls short, and only what cannot be measured is an error.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
)

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400) // as the operator has it
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, &table{out: os.Stdout})
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, t *table) error {
	for _, part := range []func(context.Context, *table) error{oneTenant, oneSubject, fullNamespace, wholeFleet} {
		if err := part(ctx, t); err != nil {
			return err
		}
	}
	return nil
}
