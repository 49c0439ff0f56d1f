// Package proc reads what proc_pid_stat(5) says of processes.
package proc

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Identity is a process id with the time of the process's start, in clock ticks
// since boot: ids are used again, the pair is not.
type Identity struct {
	PID   int
	Since string
}

// String is the pair, by which a file can name a process.
func (i Identity) String() string { return fmt.Sprintf("%d %s", i.PID, i.Since) }

// Process is one line of the table of processes.
type Process struct {
	Identity
	Parent int
	state  string
}

// Running tells whether the process does more than wait to be collected.
func (p Process) Running() bool { return p.state != "Z" && p.state != "X" }

// Read reads one process. One that is gone is an error.
func Read(pid int) (Process, error) {
	return readFile(fmt.Sprintf("/proc/%d/stat", pid))
}

// Running tells whether there is such a process, and it does more than wait to
// be collected.
func Running(pid int) bool {
	p, err := Read(pid)
	return err == nil && p.Running()
}

// All are the processes of the machine. One that ends meanwhile is left out.
func All() []Process {
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil { // the pattern is a constant
		return nil
	}
	var all []Process
	for _, file := range files {
		if p, err := readFile(file); err == nil {
			all = append(all, p)
		}
	}
	return all
}

func readFile(path string) (Process, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return Process{}, fmt.Errorf("read the status of a process: %w", err)
	}
	p, err := parse(string(text))
	if err != nil {
		return Process{}, fmt.Errorf("parse %s: %w", path, err)
	}
	return p, nil
}

// parse reads id, state, parent and start: the fields 1, 3, 4 and 22.
func parse(text string) (Process, error) {
	// The name, field 2, is in parentheses and may hold anything.
	id, _, found := strings.Cut(text, " (")
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	if !found || len(fields) < 20 {
		return Process{}, fmt.Errorf("%q is no status of a process", text)
	}
	pid, err := strconv.Atoi(id)
	if err != nil {
		return Process{}, fmt.Errorf("the id %q is no number", id)
	}
	parent, err := strconv.Atoi(fields[1])
	if err != nil {
		return Process{}, fmt.Errorf("the parent %q is no number", fields[1])
	}
	return Process{Identity{PID: pid, Since: fields[19]}, parent, fields[0]}, nil
}
