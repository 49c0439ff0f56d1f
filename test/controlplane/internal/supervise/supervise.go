// Package supervise runs processes that never outlive the process that started
// them: not after a failure, not after Ctrl-C, not after kill -9.
package supervise

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"sync"
	"syscall"
)

// Group is a set of child processes with one life. Each child is the leader of
// a process group of its own, so that Ctrl-C in a terminal reaches only the
// parent, which then ends as it likes.
type Group struct {
	progress io.Writer
	starts   chan start

	mu        sync.Mutex
	processes []*Process
	ended     []*Process
	stopped   bool
}

// Process is one child.
type Process struct {
	// Name is how messages call it.
	Name string
	// Log is the file that has its standard output and error.
	Log string

	program  string
	args     []string
	cmd      *exec.Cmd
	done     chan struct{}
	err      error
	expected bool
}

type start struct {
	cmd    *exec.Cmd
	result chan error
}

// NewGroup makes an empty group, which must be ended with Stop. A child that
// ends before that is reported to progress in one line.
//
// The kernel sends a child its parent-death signal when the *thread* that
// forked it ends, and the Go runtime ends threads. So one goroutine, locked to
// a thread that does nothing else and lives as long as the group, forks all.
func NewGroup(progress io.Writer) *Group {
	g := &Group{progress: progress, starts: make(chan start)}
	go func() {
		runtime.LockOSThread()
		// Never unlocked: the thread ends with this goroutine, after Stop.
		for s := range g.starts {
			s.result <- s.cmd.Start()
		}
	}()
	return g
}

// Start runs a program with its arguments, standard output and error appended
// to the file log.
func (g *Group) Start(name, log, program string, args ...string) (*Process, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.stopped {
		return nil, fmt.Errorf("start %s: the group is stopped", name)
	}
	file, err := os.OpenFile(log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	defer func() { _ = file.Close() }()

	cmd := exec.Command(program, args...)
	cmd.Stdout, cmd.Stderr = file, file
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	s := start{cmd: cmd, result: make(chan error)}
	g.starts <- s
	if err := <-s.result; err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	p := &Process{Name: name, Log: log, program: program, args: args, cmd: cmd, done: make(chan struct{})}
	g.processes = append(g.processes, p)
	go g.wait(p)
	return p, nil
}

// wait collects the process's end.
func (g *Group) wait(p *Process) {
	err := p.cmd.Wait()
	if err == nil {
		err = errors.New("exit status 0")
	}
	p.err = err
	close(p.done)
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.stopped && !p.expected {
		g.ended = append(g.ended, p)
		_, _ = fmt.Fprintf(g.progress, "controlplane: %s ended by itself: %v (log: %s)\n", p.Name, err, p.Log)
	}
}

// Stop kills all processes of the group at once, with all below them, and
// returns when none is left, or listed as one that has ended.
// Nothing is shut down gracefully: the state is thrown away with the run.
func (g *Group) Stop() {
	g.mu.Lock()
	if g.stopped {
		g.mu.Unlock()
		return
	}
	g.stopped = true
	processes := g.processes
	g.mu.Unlock()
	// The end of the forking thread kills the children, so it comes after what is
	// below them is known.
	defer close(g.starts)
	roots := map[int]bool{}
	for _, p := range processes {
		if !p.gone() {
			roots[p.cmd.Process.Pid] = true
		}
	}
	orphans := descendants(roots)
	for _, p := range processes {
		p.kill()
	}
	for _, p := range processes {
		<-p.done
	}
	end(orphans)
}

// Kill ends a process at once, as if its machine had failed, and returns when
// it has ended. It is not reported.
func (g *Group) Kill(p *Process) {
	g.mu.Lock()
	p.expected = true
	g.mu.Unlock()
	p.kill()
	<-p.done
}

// Restart kills a process and starts the same program anew.
func (g *Group) Restart(p *Process) (*Process, error) {
	g.Kill(p)
	return g.Start(p.Name, p.Log, p.program, p.args...)
}

// Signal sends a signal to a process that runs.
func (p *Process) Signal(signal syscall.Signal) error {
	if p.gone() {
		return fmt.Errorf("signal %s: it has ended: %w", p.Name, p.err)
	}
	return syscall.Kill(p.cmd.Process.Pid, signal)
}

// gone tells that the process has ended, so that its id may belong to someone
// else by now.
func (p *Process) gone() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// kill ends the process and its group, if it runs.
func (p *Process) kill() {
	if !p.gone() {
		// An error means that it has just ended.
		_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	}
}

// Killed tells whether Kill has ended the process.
func (g *Group) Killed(p *Process) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return p.expected
}

// Ended are the processes that ended by themselves, which none should do.
func (g *Group) Ended() []*Process {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.ended)
}

// Done is closed when the process has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Err says how the process ended; it is meant for after Done.
func (p *Process) Err() error {
	if p.gone() {
		return p.err
	}
	return nil
}
