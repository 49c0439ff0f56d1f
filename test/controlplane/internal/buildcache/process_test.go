package buildcache

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Variables that make this test binary play the process that is killed while
// it builds the module in one folder into the cache in the other.
const (
	builderModule = "CATO_BUILDCACHE_MODULE"
	builderRoot   = "CATO_BUILDCACHE_ROOT"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(builderModule); dir != "" {
		c := Cache{Root: os.Getenv(builderRoot), Progress: os.Stderr, Heartbeat: time.Minute}
		_, err := c.Get(context.Background(), Module{Name: "fake", Dir: dir, Package: ".", LDFlags: "-s -w", Output: "fake", Links: []string{"alias"}})
		fmt.Fprintln(os.Stderr, "the builder was not killed:", err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// hangingGo puts a go command into PATH whose build never ends and writes its
// process id to the returned file.
func hangingGo(t *testing.T) (path, pidFile string) {
	t.Helper()
	dir := t.TempDir()
	pidFile = filepath.Join(dir, "pid")
	real, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "go"), fmt.Sprintf("#!/bin/sh\nif [ \"$1\" != build ]; then exec %s \"$@\"; fi\n"+
		"sleep 300 &\necho $! > %s.new; mv %s.new %s\nwait\n", real, pidFile, pidFile, pidFile))
	return dir + ":" + os.Getenv("PATH"), pidFile
}

func TestABuildDiesWithAProcessThatIsKilledAndTheNextOneBuilds(t *testing.T) {
	m := fakeModule(t)
	var progress strings.Builder
	c := testCache(t, &progress)
	path, pidFile := hangingGo(t)
	builder := exec.Command(os.Args[0])
	builder.Env = append(os.Environ(), builderModule+"="+m.Dir, builderRoot+"="+c.Root, "PATH="+path)
	if err := builder.Start(); err != nil {
		t.Fatal(err)
	}
	var compiler int
	waitFor(t, "the compiler", func() bool {
		data, err := os.ReadFile(pidFile)
		if err != nil {
			return false
		}
		compiler, err = strconv.Atoi(strings.TrimSpace(string(data)))
		return err == nil
	})
	if err := builder.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = builder.Wait() // it was killed, so there is always an error
	waitFor(t, "the end of the compiler", func() bool {
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", compiler))
		return err != nil || strings.Contains(string(data), ") Z ")
	})

	dir := get(t, c, m)
	if got := output(t, filepath.Join(dir, "fake")); got != "one" {
		t.Errorf("the build after the kill prints %q", got)
	}
	if strings.Contains(progress.String(), "waiting") {
		t.Errorf("the lock of a dead process was waited for: %q", progress.String())
	}
	entries, err := os.ReadDir(filepath.Join(c.Root, "fake"))
	if err != nil || len(entries) != 1 {
		t.Errorf("want the one build only, got %v, %v", entries, err)
	}
}

func waitFor(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited too long for %s", what)
		}
	}
}

func TestAnotherProcessesBuildIsWaitedForAloud(t *testing.T) {
	m := fakeModule(t)
	report, progress := io.Pipe()
	c := Cache{Root: t.TempDir(), Progress: progress, Heartbeat: time.Minute}
	// flock belongs to the open file, so this one is as good as another process.
	other, err := os.Create(filepath.Join(c.Root, "fake.lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close() }()
	if _, err := fmt.Fprintln(other, 4711); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Flock(int(other.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	built := make(chan error, 1)
	go func() {
		_, err := c.Get(context.Background(), m)
		built <- err
	}()
	line := make([]byte, 200)
	n, err := report.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(line[:n]), "waiting for another process (pid 4711) that builds fake"; !strings.Contains(got, want) {
		t.Errorf("got %q, want it to contain %q", got, want)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, report) }()
	if err := <-built; err != nil {
		t.Fatal(err)
	}
}

func TestAFailureSaysWhatToDo(t *testing.T) {
	failure := errors.New("exit status 1")
	tests := map[string]struct{ output, want string }{
		"full disk":     {"compile: writing output: write $WORK/b1/_pkg_.a: no space left on device", "no disk space left"},
		"no network":    {"go: example.com/x@v1.0.0: Get \"https://proxy.invalid/x\": dial tcp: lookup proxy.invalid: no such host", "a module could not be downloaded"},
		"refused":       {"go: example.com/x@v1.0.0: reading https://proxy.invalid/x: 403 Forbidden", "a module could not be downloaded"},
		"compile error": {"./main.go:3:1: syntax error: unexpected EOF", "exit status 1"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := explain(failure, test.output).Error()
			if !strings.HasPrefix(got, test.want) {
				t.Errorf("got %q, want %q at its start", got, test.want)
			}
			if !strings.HasSuffix(got, test.output) {
				t.Errorf("got %q, want the go command's words at its end", got)
			}
			if !errors.Is(explain(failure, test.output), failure) {
				t.Error("the cause is lost")
			}
		})
	}
}

func TestTheEstimateIsInWordsAPersonWaitsBy(t *testing.T) {
	for _, test := range []struct {
		seconds, cpus int
		want          string
	}{{1500, 2, "13 min"}, {30, 2, "15 s"}, {240, 4, "1 min"}} {
		if got := estimate(test.seconds, test.cpus); got != test.want {
			t.Errorf("estimate(%d, %d) = %q, want %q", test.seconds, test.cpus, got, test.want)
		}
	}
}
