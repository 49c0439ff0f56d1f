package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	utilexec "k8s.io/utils/exec"
)

// ExecSync runs a command in the root of a running container, for the probes
// of the kubelet. The command sees the container's files; network and
// processes are the machine's.
func (r *Runtime) ExecSync(ctx context.Context, id string, command []string, timeout time.Duration) (stdout, stderr []byte, err error) {
	r.mu.Lock()
	c := r.containers[id]
	r.mu.Unlock()
	if c == nil || c.cmd == nil {
		return nil, nil, fmt.Errorf("container %s does not run", id)
	}
	select {
	case <-c.done:
		return nil, nil, fmt.Errorf("container %s has ended", id)
	default:
	}
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	root := filepath.Join("/proc", strconv.Itoa(c.cmd.Process.Pid), "root")
	program := command[0]
	if !strings.Contains(program, "/") {
		// The machine's own programs are what the container sees.
		if program, err = exec.LookPath(program); err != nil {
			return nil, nil, err
		}
	}
	cmd := exec.CommandContext(ctx, program, command[1:]...)
	cmd.Dir = "/"
	cmd.Env = []string{searchPath}
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Setpgid: true}
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = utilexec.CodeExitError{Err: err, Code: exit.ExitCode()}
	}
	return out.Bytes(), errOut.Bytes(), err
}
