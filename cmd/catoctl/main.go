// Command catoctl judges, reads and operates what Cato manages. Linked as
// uds-vmctl it is the command line of uds.dev virtual machines; linked as
// kubectl-cato it is a plugin of kubectl.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// version is set by the linker.
var version = "unknown"

func main() { os.Exit(run()) }

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// A short-lived program with a large input spends its time better than on collecting garbage.
	debug.SetGCPercent(200)
	streams := genericiooptions.IOStreams{In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr}
	app := app{name: nameOf(os.Args[0]), version: version, streams: streams, now: time.Now}
	return app.execute(ctx, os.Args[1:])
}

// nameOf is the name that the program was called by.
func nameOf(path string) string {
	return strings.TrimSuffix(filepath.Base(path), ".exe")
}

// exitError ends the program with a code; an error without one ends it with 2.
type exitError struct {
	code int
	err  error // nil when all was said already
}

func (e exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e exitError) Unwrap() error { return e.err }

// execute runs one command line and returns the exit code.
func (a app) execute(ctx context.Context, args []string) int {
	command := a.root()
	command.SetArgs(args)
	command.SetIn(a.streams.In)
	command.SetOut(a.streams.Out)
	command.SetErr(a.streams.ErrOut)
	err := command.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	var exit exitError
	if !errors.As(err, &exit) {
		exit = exitError{code: 2, err: err}
	}
	if exit.err != nil {
		fmt.Fprintf(a.streams.ErrOut, "error: %s\n", exit.err)
	}
	return exit.code
}
