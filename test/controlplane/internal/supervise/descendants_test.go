package supervise_test

import (
	"io"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"cato.dev/cato/test/controlplane/internal/proc"
	"cato.dev/cato/test/controlplane/internal/supervise"
)

func TestNotEvenAnEndedGrandchildIsListedAfterStop(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	g := supervise.NewGroup(io.Discard)
	// The grandchild leads a group of its own, as a container does: its end is init's to note.
	if _, err := g.Start("parent", log, "sh", "-c", `setsid sh -c 'echo $$; exec sleep 300' & wait`); err != nil {
		t.Fatal(err)
	}
	pid, err := waitForPID(log)
	if err != nil {
		t.Fatal(err)
	}
	if !proc.Running(pid) {
		t.Fatalf("process %d does not run, so this test shows nothing", pid)
	}
	g.Stop()
	if _, err := os.Stat(filepath.Join("/proc", strconv.Itoa(pid))); !os.IsNotExist(err) {
		t.Errorf("process %d is listed: %v", pid, err)
	}
}
