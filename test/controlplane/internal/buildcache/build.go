package buildcache

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"
)

// minimumFree is what a link at least needs, in bytes; below it a build of
// many minutes would only fail at its end.
const minimumFree = 1 << 30

// guarded runs a command that must not outlive this process. Its file
// descriptor 3 is a pipe whose other end only this process holds; when this
// process ends in whatever way, kill -9 included, the pipe closes and the whole
// process group goes, the compilers that go started among them.
const guarded = `(read -r _ <&3; kill -KILL 0) >/dev/null 2>&1 & exec nice -n 10 "$@" 3<&-`

// build makes m into a temporary folder and gives it its name in the end.
func (c Cache) build(ctx context.Context, m Module, inputs, home, dir string) error {
	if err := checkFree(home); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(home, temporaryPrefix)
	if err != nil {
		return fmt.Errorf("make a folder for the build: %w", err)
	}
	// What cannot be removed now, the next build removes.
	defer func() { _ = os.RemoveAll(tmp) }()
	work := filepath.Join(tmp, "work")
	out := filepath.Join(tmp, "out")
	for _, d := range []string{work, out} {
		if err := os.Mkdir(d, 0o755); err != nil {
			return err
		}
	}
	program := filepath.Join(out, m.Output)
	if m.Print != nil {
		program = filepath.Join(work, "program")
	}
	if err := c.compile(ctx, m, work, program, m.Package); err != nil {
		return err
	}
	if len(m.Tools) > 0 {
		// With a folder to write to, each program gets the name of its package.
		if err := c.compile(ctx, m, work, out+string(filepath.Separator), m.Tools...); err != nil {
			return err
		}
	}
	if m.Print != nil {
		if err := keepPrint(ctx, m, program, filepath.Join(out, m.Output)); err != nil {
			return err
		}
	}
	if err := seal(out, m, inputs); err != nil {
		return fmt.Errorf("finish the build: %w", err)
	}
	if err := os.Rename(out, dir); err != nil {
		return fmt.Errorf("keep the build: %w", err)
	}
	return nil
}

// compile runs go build with a line of progress each heartbeat.
func (c Cache) compile(ctx context.Context, m Module, work, output string, packages ...string) error {
	hold, release, err := os.Pipe()
	if err != nil {
		return err
	}
	defer func() { _ = hold.Close() }()
	defer func() { _ = release.Close() }()

	args := append([]string{"-c", guarded, "sh", "go", "build", "-v", "-trimpath", "-tags", m.Tags, "-ldflags", m.LDFlags, "-o", output}, packages...)
	cmd := exec.CommandContext(ctx, "sh", args...)
	cmd.Dir = m.Dir
	cmd.Env = append(goEnvironment(), "GOTMPDIR="+work)
	cmd.ExtraFiles = []*os.File{hold}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 10 * time.Second
	messages := &packageLog{}
	cmd.Stdout, cmd.Stderr = messages, messages

	start := time.Now()
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the go command: %w", err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	beat := time.NewTicker(c.Heartbeat)
	defer beat.Stop()
	for {
		select {
		case <-beat.C:
			_, _ = fmt.Fprintf(c.Progress, "controlplane: still building %s: %s, %d packages compiled\n",
				m.Name, time.Since(start).Round(time.Second), messages.packages.Load())
		case err := <-done:
			if ctx.Err() != nil {
				return fmt.Errorf("stopped: %w", context.Cause(ctx))
			}
			if err != nil {
				return explain(err, messages.tail.String())
			}
			return nil
		}
	}
}

// keepPrint runs the program once and keeps its standard output.
func keepPrint(ctx context.Context, m Module, program, output string) error {
	cmd := exec.CommandContext(ctx, program, m.Print...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	data, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("run %s %v: %w: %s", m.Package, m.Print, err, bytes.TrimSpace(stderr.Bytes()))
	}
	if len(data) == 0 {
		return fmt.Errorf("run %s %v: it printed nothing", m.Package, m.Print)
	}
	return os.WriteFile(output, data, 0o644)
}

// checkFree refuses to begin a build that the disk has no room for.
func checkFree(dir string) error {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(dir, &fs); err != nil {
		return fmt.Errorf("ask for the free space under %s: %w", dir, err)
	}
	if free := fs.Bavail * uint64(fs.Bsize); free < minimumFree {
		return fmt.Errorf("only %d MiB are free under %s, at least %d MiB are needed: free some space, or set XDG_CACHE_HOME to a larger disk",
			free>>20, dir, minimumFree>>20)
	}
	return nil
}

// packageLog takes what go build -v writes: it counts the lines and keeps the
// last ones for an error message.
type packageLog struct {
	packages atomic.Int64
	tail     bytes.Buffer
}

// tailSize is how much of the go command's output an error repeats, in bytes.
const tailSize = 4096

func (l *packageLog) Write(p []byte) (int, error) {
	l.packages.Add(int64(bytes.Count(p, []byte("\n"))))
	l.tail.Write(p)
	if extra := l.tail.Len() - tailSize; extra > 0 {
		l.tail.Next(extra)
	}
	return len(p), nil
}

// explain adds the remedy to the failures that a person can do something about.
func explain(err error, output string) error {
	switch text := []byte(output); {
	case containsAny(text, "no space left on device", "disk quota exceeded"):
		return fmt.Errorf("no disk space left (the Go module and build caches and this build need about 8 GiB in all; `go env GOCACHE GOMODCACHE` shows where): %w\n%s", err, output)
	case containsAny(text, "dial tcp", "no such host", "i/o timeout", "TLS handshake", "connection refused", "connection reset", ": 403 ", ": 404 ", ": 502 ", ": 503 "):
		return fmt.Errorf("a module could not be downloaded (`go env GOPROXY` shows from where; what is already there is kept, so run it again): %w\n%s", err, output)
	}
	return fmt.Errorf("%w\n%s", err, output)
}

func containsAny(text []byte, parts ...string) bool {
	for _, part := range parts {
		if bytes.Contains(text, []byte(part)) {
			return true
		}
	}
	return false
}
