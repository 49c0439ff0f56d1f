// Command demo tells Cato's story in one go, on a real API server: what the
// rules say of files, what the operator makes of a tenant and of machines, and
// what happens when somebody breaks them.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"cato.dev/cato/test/e2e/stack"
)

func main() {
	keep := flag.Bool("keep", false, "leave everything running at the end, until Ctrl-C")
	flag.Parse()
	log.SetLogger(logr.Discard()) // the story has a voice of its own
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, *keep)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, keep bool) error {
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	t := &teller{out: os.Stdout}
	t.chapter("1. The rules over files, before there is any cluster")
	t.say("$ catoctl check -f config/samples")
	checked, err := exec.CommandContext(ctx, filepath.Join(root, "bin/catoctl"), "check", "-f", filepath.Join(root, "config/samples")).CombinedOutput()
	if code := exitCode(err); code > 1 { // 1 tells that a rule fails or cannot tell
		return fmt.Errorf("catoctl check: %w\n%s", err, checked)
	}
	t.block(string(checked))

	t.chapter("2. A real cluster with a node, KubeVirt and CDI, and the operator under its own RBAC")
	s, err := stack.Start(ctx, stack.Options{Root: root, Progress: os.Stdout, Flags: []string{"--stand-in", stack.StandInSentence}})
	if err != nil {
		return err
	}
	defer s.Stop()
	live := time.Now()
	t.say(stack.StandInSentence)

	d := &demo{teller: t, stack: s}
	if err := d.story(ctx); err != nil {
		s.ControlPlane.KeepLogs()
		return fmt.Errorf("%w\n--- the operator's log ---\n%s", err, d.operatorLog())
	}
	t.say(fmt.Sprintf("\nLive part: %.0f s.", time.Since(live).Seconds()))
	if !keep {
		return nil
	}
	return d.stay(ctx)
}

func exitCode(err error) int {
	if err == nil {
		return 0
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	return -1
}
