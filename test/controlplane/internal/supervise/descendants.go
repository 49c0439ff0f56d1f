package supervise

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// reapedWithin bounds the wait for init to take note of the end of orphans.
const reapedWithin = 10 * time.Second

// identity tells a process from one that is given its id later: since when it
// runs, in clock ticks after the boot.
type identity struct {
	pid   int
	since string
}

// descendants are all processes below these, which become orphans with them.
func descendants(roots map[int]bool) map[identity]bool {
	below := map[identity]bool{}
	ancestors := maps.Clone(roots)
	stats := processes()
	for grown := true; grown; {
		grown = false
		for process, parent := range stats {
			if ancestors[parent] && !ancestors[process.pid] {
				ancestors[process.pid], below[process], grown = true, true, true
			}
		}
	}
	return below
}

// end kills these processes and waits until none is listed any more, not even
// as one that has ended and of which init took no note yet.
func end(orphans map[identity]bool) {
	for deadline := time.Now().Add(reapedWithin); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		left := false
		for process := range processes() {
			if orphans[process] {
				left = true
				_ = syscall.Kill(process.pid, syscall.SIGKILL) // an error means that it has just ended
			}
		}
		if !left {
			return
		}
	}
}

// processes are the parents of all processes of the machine, as proc(5) lists
// them. One that ends meanwhile is left out.
func processes() map[identity]int {
	parents := map[identity]int{}
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return parents
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		if process, parent, err := parseStat(string(text)); err == nil {
			parents[process] = parent
		}
	}
	return parents
}

// parseStat reads id, parent and start of a process: the fields 1, 4 and 22.
func parseStat(text string) (process identity, parent int, err error) {
	// The name, field 2, is in parentheses and may hold anything.
	id, _, found := strings.Cut(text, " (")
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	if !found || len(fields) < 20 {
		return identity{}, 0, fmt.Errorf("parse the status of a process: %q is none", text)
	}
	pid, err := strconv.Atoi(id)
	if err != nil {
		return identity{}, 0, fmt.Errorf("parse the status of a process: the id %q is no number", id)
	}
	parent, err = strconv.Atoi(fields[1])
	if err != nil {
		return identity{}, 0, fmt.Errorf("parse the status of a process: the parent %q is no number", fields[1])
	}
	return identity{pid: pid, since: fields[19]}, parent, nil
}
