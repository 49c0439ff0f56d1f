package controlplane

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"cato.dev/cato/test/controlplane/internal/bridge"
	"cato.dev/cato/test/controlplane/internal/proc"
)

const (
	runPrefix  = "run-"
	newPrefix  = "new-"
	keptPrefix = "logs-"
	ownerFile  = "owner"
	// keptFor is how long the logs of a failed run stay.
	keptFor = 7 * 24 * time.Hour
	// newFor is how long a folder may be without an owner: its maker needs
	// milliseconds for it.
	newFor = time.Hour
)

// runFolder is the folder of one control plane: keys, data and logs.
type runFolder string

// longestFolder is how long the path of a run's folder with nodes may be, in
// bytes: unix(7) allows 107 for a socket, and the kubelet has some below it.
const longestFolder = 70

// checkLength refuses a folder whose nodes could not make their sockets.
func (r runFolder) checkLength() error {
	if len(r) > longestFolder {
		return fmt.Errorf("the path of the run's folder, %s, has %d bytes, at most %d are possible with nodes: set TMPDIR to a shorter one", r, len(r), longestFolder)
	}
	return nil
}

func (r runFolder) logs() string            { return filepath.Join(string(r), "logs") }
func (r runFolder) path(name string) string { return filepath.Join(string(r), name) }
func (r runFolder) log(name string) string  { return filepath.Join(r.logs(), name+".log") }
func (r runFolder) remove() error           { return os.RemoveAll(string(r)) }
func (r runFolder) keepLogs() (string, error) {
	name := keptPrefix + time.Now().UTC().Format("20060102-150405") + "-" + strings.TrimPrefix(filepath.Base(string(r)), runPrefix)
	place := filepath.Join(filepath.Dir(string(r)), name)
	return place, os.Rename(r.logs(), place)
}

// newRunFolder makes a folder for this process's next run, after it has removed
// what runs of dead processes left behind.
func newRunFolder(progress io.Writer) (runFolder, error) {
	base, err := runsFolder()
	if err != nil {
		return "", err
	}
	if err := removeDead(base, time.Now()); err != nil {
		// Only space is lost, which is no reason not to start.
		_, _ = fmt.Fprintf(progress, "controlplane: clean up after earlier runs: %v\n", err)
	}
	dir, err := os.MkdirTemp(base, newPrefix)
	if err != nil {
		return "", fmt.Errorf("make the run's folder: %w", err)
	}
	self, err := proc.Read(os.Getpid())
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, ownerFile), []byte(self.String()), 0o600); err != nil {
		return "", fmt.Errorf("make the run's folder: %w", err)
	}
	// The folder becomes a run only now that it has an owner: nobody can take
	// it for that of a dead process.
	run := runFolder(filepath.Join(base, runPrefix+strings.TrimPrefix(filepath.Base(dir), newPrefix)))
	if err := os.Rename(dir, string(run)); err != nil {
		return "", fmt.Errorf("make the run's folder: %w", err)
	}
	if err := os.Mkdir(run.logs(), 0o700); err != nil {
		return "", fmt.Errorf("make the folder of logs: %w", err)
	}
	return run, nil
}

// runsFolder is the folder in the system's temporary folder that holds all
// runs of this user. It holds keys, so it must be the user's own.
func runsFolder() (string, error) {
	base := filepath.Join(os.TempDir(), "cato-controlplane-"+strconv.Itoa(os.Getuid()))
	if err := os.Mkdir(base, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return "", fmt.Errorf("make the folder of runs: %w", err)
	}
	info, err := os.Lstat(base)
	if err != nil {
		return "", fmt.Errorf("look at the folder of runs: %w", err)
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !info.IsDir() || int(stat.Uid) != os.Getuid() || info.Mode().Perm() != 0o700 {
		return "", fmt.Errorf("%s must be a folder that only this user may enter: remove it", base)
	}
	return base, nil
}

// removeDead removes the folders of runs whose process is gone, and logs that
// were kept long enough.
func removeDead(base string, now time.Time) error {
	entries, err := os.ReadDir(base)
	if err != nil {
		return err
	}
	var failures []error
	for _, e := range entries {
		path := filepath.Join(base, e.Name())
		info, err := e.Info()
		if err != nil {
			continue // another process has just removed it
		}
		age := now.Sub(info.ModTime())
		var dead bool
		switch name := e.Name(); {
		case strings.HasPrefix(name, runPrefix):
			dead = !ownerLives(path)
		case strings.HasPrefix(name, newPrefix):
			dead = age > newFor
		case strings.HasPrefix(name, keptPrefix):
			dead = age > keptFor
		}
		if !dead {
			continue
		}
		if strings.HasPrefix(e.Name(), runPrefix) {
			// Its name is the only trace of the network, so it goes last.
			if err := removeNetwork(path); err != nil {
				failures = append(failures, err)
				continue
			}
		}
		failures = append(failures, os.RemoveAll(path))
	}
	return errors.Join(failures...)
}

// removeNetwork removes the network of a dead run. Only root can have made one.
func removeNetwork(run string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	return bridge.Remove(context.Background(), run)
}

// ownerLives tells whether the process that made the run's folder still runs.
func ownerLives(run string) bool {
	owner, err := os.ReadFile(filepath.Join(run, ownerFile))
	if err != nil {
		return false
	}
	id, _, _ := strings.Cut(string(owner), " ")
	pid, err := strconv.Atoi(id)
	if err != nil {
		return false
	}
	now, err := proc.Read(pid)
	return err == nil && now.String() == string(owner)
}
