package supervise_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"cato.dev/cato/test/controlplane/internal/supervise"
)

// roleVariable makes this test binary play the parent that is killed.
const roleVariable = "CATO_SUPERVISE_PARENT_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(roleVariable); dir != "" {
		if err := parent(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		select {}
	}
	os.Exit(m.Run())
}

// parent starts two children and prints their ids.
func parent(dir string) error {
	g := supervise.NewGroup(os.Stderr)
	for i := range 2 {
		log := filepath.Join(dir, fmt.Sprintf("child-%d.log", i))
		if _, err := g.Start("child", log, "sh", "-c", `echo $$; exec sleep 300`); err != nil {
			return err
		}
		pid, err := waitForPID(log)
		if err != nil {
			return err
		}
		fmt.Println(pid)
	}
	return nil
}

// waitForPID reads the process id that the child prints first.
func waitForPID(log string) (int, error) {
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if data, err := os.ReadFile(log); err == nil && strings.HasSuffix(string(data), "\n") {
			return strconv.Atoi(strings.TrimSpace(string(data)))
		}
	}
	return 0, fmt.Errorf("no process id in %s", log)
}

// running tells whether the process exists and is not only waiting to be
// collected by whoever adopted it.
func running(pid int) bool {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(data), ") ")
	return !strings.HasPrefix(rest, "Z") && !strings.HasPrefix(rest, "X")
}

func waitGone(t *testing.T, pid int) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); running(pid); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("process %d still runs", pid)
		}
	}
}

func TestChildrenDieWithAParentThatIsKilled(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleVariable+"="+t.TempDir())
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var pids []int
	lines := bufio.NewScanner(out)
	for len(pids) < 2 && lines.Scan() {
		pid, err := strconv.Atoi(lines.Text())
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	if len(pids) != 2 || !running(pids[0]) || !running(pids[1]) {
		t.Fatalf("the parent should have two running children, got %v", pids)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for _, pid := range pids {
		waitGone(t, pid)
	}
	_ = cmd.Wait() // it was killed, so there is always an error
}

func TestAChildOutlivesTheThreadOfItsCaller(t *testing.T) {
	g := supervise.NewGroup(io.Discard)
	t.Cleanup(g.Stop)
	log := filepath.Join(t.TempDir(), "log")
	tid := make(chan int, 1)
	started := make(chan error, 1)
	onThreadThatEnds(func(thread int) {
		_, err := g.Start("child", log, "sh", "-c", `echo $$; exec sleep 300`)
		tid <- thread
		started <- err
	})
	if err := <-started; err != nil {
		t.Fatal(err)
	}
	pid, err := waitForPID(log)
	if err != nil {
		t.Fatal(err)
	}
	thread := fmt.Sprintf("/proc/self/task/%d", <-tid)
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(thread); os.IsNotExist(err) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the caller's thread did not end, so this test shows nothing")
		}
	}
	if !running(pid) {
		t.Fatal("the child died with the thread of its caller")
	}
}

// onThreadThatEnds runs do on a thread of its own that ends with do: a goroutine that ends while
// it is locked takes its thread with it. The process's first thread is the exception, the runtime
// keeps it: it is held here until another one was found.
func onThreadThatEnds(do func(thread int)) {
	begun := make(chan struct{})
	go func() {
		runtime.LockOSThread()
		defer close(begun)
		if thread := syscall.Gettid(); thread != os.Getpid() {
			do(thread)
			return
		}
		onThreadThatEnds(do)
	}()
	<-begun
}

func TestStopLeavesNothing(t *testing.T) {
	var progress strings.Builder
	g := supervise.NewGroup(&progress)
	log := filepath.Join(t.TempDir(), "log")
	// The grandchild is in the child's process group.
	p, err := g.Start("child", log, "sh", "-c", `sleep 300 & echo $!; wait`)
	if err != nil {
		t.Fatal(err)
	}
	grandchild, err := waitForPID(log)
	if err != nil {
		t.Fatal(err)
	}
	g.Stop()
	g.Stop() // a second time does no harm
	select {
	case <-p.Done():
	default:
		t.Error("Stop returned before the child ended")
	}
	waitGone(t, grandchild)
	if progress.Len() > 0 {
		t.Errorf("a stop that was asked for was reported: %s", progress.String())
	}
	if _, err := g.Start("late", log, "true"); err == nil {
		t.Error("a stopped group started a process")
	}
}

func TestAnUnexpectedEndIsReported(t *testing.T) {
	report, reportWriter := io.Pipe()
	g := supervise.NewGroup(reportWriter)
	t.Cleanup(g.Stop)
	p, err := g.Start("etcd", filepath.Join(t.TempDir(), "log"), "sh", "-c", "exit 3")
	if err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(report).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if want := "etcd ended by itself: exit status 3"; !strings.Contains(line, want) {
		t.Errorf("got %q, want it to contain %q", line, want)
	}
	<-p.Done()
	if p.Err() == nil {
		t.Error("Err is nil after the end")
	}
}
