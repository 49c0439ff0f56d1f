package buildcache

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	recordName      = "build.json"
	temporaryPrefix = "tmp-"
)

// record says what a finished build consists of. It is written last, into a
// folder that only then gets its final name, so a folder without a true record
// is no build.
type record struct {
	// Inputs is the hash under which the build is kept: a folder that was
	// copied here from elsewhere does not match.
	Inputs string `json:"inputs"`
	// SHA256 is the hash of the output file.
	SHA256 string `json:"sha256"`
	// Tools are the programs of the module's tools.
	Tools map[string]stamp `json:"tools,omitempty"`
}

// stamp tells whether a file was written to. Programs of hundreds of megabytes
// are not read at each start only to learn that nobody did.
type stamp struct {
	Size     int64 `json:"size"`
	Modified int64 `json:"modified"` // nanoseconds since 1970
}

func stampOf(path string) (stamp, error) {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}, err
	}
	return stamp{Size: info.Size(), Modified: info.ModTime().UnixNano()}, nil
}

// verify returns nil if dir holds m's output as it was built from inputs. The
// error wraps os.ErrNotExist if there is no build.
func verify(dir string, m Module, inputs string) error {
	data, err := os.ReadFile(filepath.Join(dir, recordName))
	if err != nil {
		return err
	}
	var r record
	if err := json.Unmarshal(data, &r); err != nil {
		return fmt.Errorf("%s: %w", recordName, err)
	}
	if r.Inputs != inputs {
		return fmt.Errorf("%s is of another build", recordName)
	}
	sum, err := hashFile(filepath.Join(dir, m.Output))
	if err != nil {
		return err
	}
	if sum != r.SHA256 {
		return fmt.Errorf("%s does not have the checksum it was built with", m.Output)
	}
	for _, tool := range m.Tools {
		now, err := stampOf(filepath.Join(dir, path.Base(tool)))
		if err != nil {
			return err
		}
		if now != r.Tools[path.Base(tool)] {
			return fmt.Errorf("%s is not as it was built", path.Base(tool))
		}
	}
	for _, link := range m.Links {
		target, err := os.Readlink(filepath.Join(dir, link))
		if err != nil {
			return err
		}
		if target != m.Output {
			return fmt.Errorf("%s does not lead to %s", link, m.Output)
		}
	}
	return nil
}

// seal adds links and record to a folder that holds m's output.
func seal(dir string, m Module, inputs string) error {
	for _, link := range m.Links {
		if err := os.Symlink(m.Output, filepath.Join(dir, link)); err != nil {
			return err
		}
	}
	sum, err := hashFile(filepath.Join(dir, m.Output))
	if err != nil {
		return err
	}
	tools := map[string]stamp{}
	for _, tool := range m.Tools {
		if tools[path.Base(tool)], err = stampOf(filepath.Join(dir, path.Base(tool))); err != nil {
			return err
		}
	}
	data, err := json.Marshal(record{Inputs: inputs, SHA256: sum, Tools: tools})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, recordName), data, 0o644)
}

// touch marks a build as the one used last, which prune keeps.
func touch(dir string) error {
	now := time.Now()
	if err := os.Chtimes(dir, now, now); err != nil {
		return fmt.Errorf("mark the cached build as used: %w", err)
	}
	return nil
}

// builds lists the folders of finished builds under home, the one used last
// first.
func builds(home string) ([]string, error) {
	entries, err := os.ReadDir(home)
	if err != nil {
		return nil, err
	}
	used := map[string]time.Time{}
	var dirs []string
	for _, e := range entries {
		if !e.IsDir() || strings.HasPrefix(e.Name(), temporaryPrefix) {
			continue
		}
		info, err := e.Info()
		if err != nil {
			return nil, err
		}
		dir := filepath.Join(home, e.Name())
		used[dir] = info.ModTime()
		dirs = append(dirs, dir)
	}
	slices.SortFunc(dirs, func(a, b string) int { return used[b].Compare(used[a]) })
	return dirs, nil
}

// prune removes all but the builds used last.
func prune(home string) error {
	dirs, err := builds(home)
	if err != nil {
		return fmt.Errorf("list the cached builds: %w", err)
	}
	for _, dir := range dirs[min(keptBuilds, len(dirs)):] {
		if err := os.RemoveAll(dir); err != nil {
			return fmt.Errorf("remove an old cached build: %w", err)
		}
	}
	return nil
}

// removeRemains clears the way for a build into dir: the unusable build that
// is there, and the temporary folders of builds that were killed. The caller
// holds the lock, so no temporary folder is in use.
func removeRemains(home, dir string) error {
	remains, err := filepath.Glob(filepath.Join(home, temporaryPrefix+"*"))
	if err != nil {
		return err
	}
	for _, path := range append(remains, dir) {
		if err := os.RemoveAll(path); err != nil {
			return fmt.Errorf("remove the remains of an earlier build: %w", err)
		}
	}
	return nil
}
