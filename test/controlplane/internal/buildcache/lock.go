package buildcache

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// lockPoll is how often a lock that another process holds is tried again.
const lockPoll = 200 * time.Millisecond

// fileLock is an flock: the kernel gives it back when its process ends in
// whatever way, so a lock file that a dead process left behind locks nothing.
type fileLock struct{ file *os.File }

func (l fileLock) release() {
	// Closing gives the lock back; the content, a process id, is only a hint.
	_ = l.file.Close()
}

// lock takes the lock of the module called name; when another process has it,
// it says so and waits.
func (c Cache) lock(ctx context.Context, name string) (fileLock, error) {
	path := filepath.Join(c.Root, name+".lock")
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return fileLock{}, fmt.Errorf("open the lock of the build cache: %w", err)
	}
	start := time.Now()
	next := start
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			break
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			_ = file.Close()
			return fileLock{}, fmt.Errorf("lock %s: %w", path, err)
		}
		if now := time.Now(); !now.Before(next) {
			_, _ = fmt.Fprintf(c.Progress, "controlplane: waiting for another process%s that builds %s (%s so far)\n",
				holder(path), name, now.Sub(start).Round(time.Second))
			next = now.Add(c.Heartbeat)
		}
		select {
		case <-ctx.Done():
			_ = file.Close()
			return fileLock{}, fmt.Errorf("wait for another build of %s: %w", name, context.Cause(ctx))
		case <-time.After(lockPoll):
		}
	}
	// Who holds it is only a hint for the others' message.
	_ = file.Truncate(0)
	_, _ = fmt.Fprintln(file, os.Getpid())
	return fileLock{file: file}, nil
}

// holder names the process that wrote itself into the lock file, if any.
func holder(path string) string {
	data, err := os.ReadFile(path)
	if pid := strings.TrimSpace(string(data)); err == nil && pid != "" {
		return " (pid " + pid + ")"
	}
	return ""
}
