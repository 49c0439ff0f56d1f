package process

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// searchPath is where programs are looked up in a container.
const searchPath = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// container is one container of the book with its process.
type container struct {
	sandbox string
	config  *runtimeapi.ContainerConfig
	log     string
	root    string

	cmd      *exec.Cmd
	done     chan struct{}
	exitCode int32 // valid after done
}

// fork asks the forking goroutine to start a command.
type fork struct {
	cmd    *exec.Cmd
	result chan error
}

// startForker starts the goroutine that forks all containers. The kernel sends
// a parent-death signal when the thread that forked ends, and the Go runtime
// ends threads: so one thread, which lives as long as the node, forks them all.
func startForker() chan fork {
	forks := make(chan fork)
	go func() {
		runtime.LockOSThread()
		for f := range forks {
			f.result <- f.cmd.Start()
		}
	}()
	return forks
}

// start starts the container's process: this binary once more, which enters
// the namespaces, makes the root and becomes the program.
func (c *container) start(e entry, namespace, resolver string, forks chan<- fork) error {
	spec := Spec{Root: c.root, Entry: e, Namespace: namespace, Resolver: resolver, Directory: c.config.GetWorkingDir()}
	for _, m := range c.config.GetMounts() {
		spec.Mounts = append(spec.Mounts, Mount{From: m.GetHostPath(), To: m.GetContainerPath(), ReadOnly: m.GetReadonly()})
	}
	data, err := json.Marshal(spec)
	if err != nil {
		return fmt.Errorf("describe the container: %w", err)
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	if err := os.MkdirAll(c.root, 0o755); err != nil {
		return fmt.Errorf("make the container's root: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(c.log), 0o755); err != nil {
		return fmt.Errorf("make the container's folder of logs: %w", err)
	}
	file, err := os.OpenFile(c.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o640)
	if err != nil {
		return fmt.Errorf("open the container's log: %w", err)
	}
	cmd := exec.Command(self, InitArgument, string(data))
	cmd.Env = append(cmd.Env, searchPath)
	if e.Authority != "" {
		cmd.Env = append(cmd.Env, "SSL_CERT_FILE=/etc/"+authorityFile)
	}
	for _, variable := range c.config.GetEnvs() {
		cmd.Env = append(cmd.Env, variable.GetKey()+"="+string(variable.GetValue()))
	}
	cmd.Stdout, cmd.Stderr = &criLog{file: file, stream: "stdout"}, &criLog{file: file, stream: "stderr"}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		// As PID 1 of its own namespace, its end ends all that it started.
		Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWPID,
		Setpgid:    true,
		Pdeathsig:  syscall.SIGKILL,
	}
	f := fork{cmd: cmd, result: make(chan error)}
	forks <- f
	if err := <-f.result; err != nil {
		_ = file.Close()
		return fmt.Errorf("start the container's process: %w", err)
	}
	c.cmd = cmd
	go func() {
		c.exitCode = exitCode(cmd.Wait())
		_ = file.Close()
		close(c.done)
	}()
	return nil
}

// exitCode is the code that Kubernetes shows for a process's end: of a signal
// 128 and its number, as in a shell.
func exitCode(err error) int32 {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case !errors.As(err, &exit):
		return 127
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int32(status.Signal())
	}
	return int32(exit.ExitCode())
}

// stop ends the process and waits for its end.
func (c *container) stop(grace time.Duration) {
	signal := func(s syscall.Signal) {
		select {
		case <-c.done: // its id may belong to someone else by now
		default:
			_ = syscall.Kill(c.cmd.Process.Pid, s)
		}
	}
	if grace > 0 {
		signal(syscall.SIGTERM)
		timer := time.NewTimer(grace)
		defer timer.Stop()
		select {
		case <-c.done:
			return
		case <-timer.C:
		}
	}
	signal(syscall.SIGKILL)
	<-c.done
}
