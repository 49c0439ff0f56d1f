// Command controlplane builds the test cluster ahead of its first use and
// prints where it is. With --run it starts one with KubeVirt and CDI, prints
// the path of a kubeconfig and stays until Ctrl-C.
package main

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"cato.dev/cato/test/controlplane"
)

func main() {
	start := flag.Bool("run", false, "start a cluster and stay until Ctrl-C")
	nodes := flag.Int("nodes", 1, "with --run: the number of nodes")
	flag.Parse()
	if err := do(*start, *nodes); err != nil {
		fmt.Fprintln(os.Stderr, "controlplane:", err)
		os.Exit(1)
	}
}

func do(start bool, nodes int) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := build(ctx); err != nil || !start {
		return err
	}
	return run(ctx, nodes)
}

func build(ctx context.Context) error {
	files, err := controlplane.Binaries(ctx, os.Stderr)
	if err != nil {
		return err
	}
	fmt.Println(files.Assets)
	for _, set := range slices.Sorted(maps.Keys(files.CRDs)) {
		fmt.Println(files.CRDs[set])
	}
	fmt.Println(files.KubeVirt)
	fmt.Println(files.CDI)
	return nil
}

func run(ctx context.Context, nodes int) error {
	cluster, err := controlplane.Start(ctx, controlplane.Options{KubeVirt: true, CDI: true, Nodes: nodes})
	if err != nil {
		return err
	}
	defer cluster.Stop()
	fmt.Printf("export KUBECONFIG=%s\n", cluster.Kubeconfig)
	<-ctx.Done()
	return nil
}
