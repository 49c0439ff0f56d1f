package controlplane

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"cato.dev/cato/test/controlplane/internal/proc"
)

func TestOnlyWhatDeadRunsLeftIsRemoved(t *testing.T) {
	mine, err := proc.Read(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	ended := exec.Command("true")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	tests := map[string]struct {
		folder, owner string
		age           time.Duration
		kept          bool
	}{
		"a run of this process":               {folder: "run-1", owner: mine.String(), age: 30 * 24 * time.Hour, kept: true},
		"a run of a process that ended":       {folder: "run-2", owner: strconv.Itoa(ended.Process.Pid) + " 1"},
		"a run whose id is someone else's":    {folder: "run-3", owner: strconv.Itoa(os.Getpid()) + " 1"},
		"a run without an owner":              {folder: "run-4"},
		"a run with a broken owner":           {folder: "run-5", owner: "cat"},
		"a folder that is being made":         {folder: "new-1", age: time.Minute, kept: true},
		"a folder whose maker died":           {folder: "new-2", age: 2 * time.Hour},
		"logs that were kept yesterday":       {folder: "logs-1", age: 24 * time.Hour, kept: true},
		"logs that were kept a month ago":     {folder: "logs-2", age: 30 * 24 * time.Hour},
		"something that is not of this place": {folder: "other", age: 365 * 24 * time.Hour, kept: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			base := t.TempDir()
			dir := filepath.Join(base, test.folder)
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			if test.owner != "" {
				if err := os.WriteFile(filepath.Join(dir, ownerFile), []byte(test.owner), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			then := now.Add(-test.age)
			if err := os.Chtimes(dir, then, then); err != nil {
				t.Fatal(err)
			}
			if err := removeDead(base, now); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(dir); (err == nil) != test.kept {
				t.Errorf("kept: %v, want %v", err == nil, test.kept)
			}
		})
	}
}
