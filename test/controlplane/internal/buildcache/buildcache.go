// Package buildcache builds the program of a Go module once and keeps what it
// made under a hash of everything that went into it. The control plane's
// modules take minutes to compile, so what is kept is the product (the binary,
// or what the program prints), not the Go build cache, which is far larger.
package buildcache

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"
)

// keptBuilds is how many builds of one module stay: the present one and the
// one before, so that changing between two branches builds nothing.
const keptBuilds = 2

// Module is one Go module and what is wanted from it.
type Module struct {
	// Name is the module's folder in the cache and its name in messages.
	Name string
	// Dir is the folder that holds the module's go.mod.
	Dir string
	// Package is the main package to build, such as "." or "./cmd/x".
	Package string
	// Tools are the import paths of further main packages, whose programs are
	// kept too, each under the last part of its path.
	Tools []string
	// Tags are build tags, separated by commas.
	Tags string
	// LDFlags are the linker's flags, as for go build -ldflags.
	LDFlags string
	// Output is the name of the file that is kept.
	Output string
	// Links are further names of the file, made as symbolic links beside it.
	Links []string
	// Print, when set, are the arguments with which the program is run once
	// after the build; then its standard output is kept as Output in place of
	// the program.
	Print []string
	// CPUSeconds is about what a build takes when nothing is compiled yet; it
	// serves the estimate that is printed.
	CPUSeconds int
}

// Cache is a folder of builds.
type Cache struct {
	// Root is the folder; it is made when it is missing.
	Root string
	// Progress gets one line when a build begins or is waited for, and one
	// line each Heartbeat until it ends.
	Progress io.Writer
	// Heartbeat is the time between two lines of progress.
	Heartbeat time.Duration
}

// Get returns the folder that holds m's output, which is built first if it is
// missing, damaged or made from other inputs. Parallel calls, of this process
// and of others, build once: the others wait.
func (c Cache) Get(ctx context.Context, m Module) (string, error) {
	inputs, err := hashInputs(ctx, m)
	if err != nil {
		return "", fmt.Errorf("module %s: %w", m.Name, err)
	}
	home := filepath.Join(c.Root, m.Name)
	dir := filepath.Join(home, inputs)
	if verify(dir, m, inputs) == nil {
		return dir, touch(dir)
	}
	if err := os.MkdirAll(home, 0o755); err != nil {
		return "", fmt.Errorf("make the build cache: %w", err)
	}
	lock, err := c.lock(ctx, m.Name)
	if err != nil {
		return "", err
	}
	defer lock.release()

	// Another process may have built it while this one waited for the lock.
	damage := verify(dir, m, inputs)
	if damage == nil {
		return dir, touch(dir)
	}
	reason := whyBuild(home, dir, damage)
	if err := removeRemains(home, dir); err != nil {
		return "", err
	}
	_, _ = fmt.Fprintf(c.Progress, "controlplane: building %s: %s. On %d idle CPUs about %s if nothing is compiled yet, far less if the Go build cache is warm.\n",
		m.Name, reason, runtime.NumCPU(), estimate(m.CPUSeconds, runtime.NumCPU()))
	start := time.Now()
	if err := c.build(ctx, m, inputs, home, dir); err != nil {
		return "", fmt.Errorf("build %s: %w", m.Name, err)
	}
	_, _ = fmt.Fprintf(c.Progress, "controlplane: built %s in %s\n", m.Name, time.Since(start).Round(time.Second))
	return dir, prune(home)
}

// estimate is the time that CPU seconds of work take on a number of CPUs, in
// words a person waits by.
func estimate(cpuSeconds, cpus int) string {
	d := time.Duration(cpuSeconds) * time.Second / time.Duration(cpus)
	if d < time.Minute {
		return fmt.Sprintf("%d s", int(d.Seconds()))
	}
	return fmt.Sprintf("%d min", int((d + 30*time.Second).Minutes()))
}

// whyBuild says in words why the build in dir cannot be used.
func whyBuild(home, dir string, damage error) string {
	if !errors.Is(damage, os.ErrNotExist) {
		return "the cached build is unusable (" + damage.Error() + ")"
	}
	if _, err := os.Stat(dir); err == nil {
		return "the cached build is incomplete (" + damage.Error() + ")"
	}
	if others, err := builds(home); err == nil && len(others) > 0 {
		return "its sources, the Go version or the flags have changed since the last build"
	}
	return "there is no build yet"
}
