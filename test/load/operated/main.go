// Command operated prints what the operator costs a cluster: how fast tenants
// and instances are made, its memory, its calls to the API server, and what it
// asks when nothing happens.
//
// The API server, etcd and the operator are the real ones, and the operator has
// its own ServiceAccount. KubeVirt and CDI are there as kinds alone, so that the
// figures are the operator's and not theirs. It is no test: a figure beyond its
// goal is printed as one that falls short.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"cato.dev/cato/test/e2e/stack"
)

// mostCalls is the goal: calls an object that was written.
const mostCalls = 2.0

// size says how much is made, and how long the operator is watched afterwards.
type size struct {
	tenants, instances int
	quiet, idle        time.Duration // without a call before it has settled; watched afterwards
}

func main() {
	s := size{quiet: 15 * time.Second}
	flag.IntVar(&s.tenants, "tenants", 1000, "Tenants to create")
	flag.IntVar(&s.instances, "instances", 5000, "Instances to create, spread over the tenants")
	flag.DurationVar(&s.idle, "idle", time.Minute, "How long the idle operator is watched")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Stdout, s, stack.Options{Root: ".", Progress: os.Stderr})
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "operated:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer, s size, options stack.Options) error {
	log.SetLogger(logr.Discard()) // the operator logs for itself; this only holds clients
	options.Bare, options.Audited = true, true
	running, err := stack.Start(ctx, options)
	if err != nil {
		return err
	}
	defer running.Stop()
	w := newWorld(running, s)
	if err := w.settle(ctx, newCalls()); err != nil { // what a start takes belongs to no object
		return err
	}
	_, _ = fmt.Fprintf(out, "\n%d tenants and %d instances on a real API server; KubeVirt and CDI are kinds without controllers\n", s.tenants, s.instances)
	for _, stage := range []struct {
		name   string
		number int
		make   func(context.Context) error
	}{{"tenants", s.tenants, w.makeTenants}, {"instances", s.instances, w.makeInstances}} {
		if err := w.measure(ctx, out, stage.name, stage.number, stage.make); err != nil {
			return fmt.Errorf("%s: %w", stage.name, err)
		}
	}
	return w.watchIdle(ctx, out)
}
