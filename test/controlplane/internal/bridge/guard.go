package bridge

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
)

// guardScript waits for the end of its file descriptor 3, a pipe whose other
// end only the cluster's driver holds: when the driver ends in whatever way,
// kill -9 included, the pipe ends. It then removes the network, if that is
// still the owner's, and the owner, which is a folder. The components of the
// cluster are killed by the kernel at the same moment and may still write.
const guardScript = `read -r _ <&3
exec flock ` + lockFile + ` sh -c '
if [ "$(cat /sys/class/net/"$1"/ifalias 2>/dev/null)" = "$2" ]; then
	for p in /sys/class/net/"$1"/brif/*; do [ ! -e "$p" ] || ip link del dev "${p##*/}"; done
	for n in /run/netns/"$1"-*; do [ ! -e "$n" ] || ip netns del "${n##*/}"; done
	ip link del dev "$1"
fi
i=0
until rm -rf "$2" || [ $i -ge 100 ]; do i=$((i+1)); sleep 0.1; done' sh "$1" "$2" 3<&-`

// Guard is a process that cleans up after a driver that could not.
type Guard struct {
	cmd  *exec.Cmd
	pipe io.Closer
}

// Guard starts a process that removes the bridge, its namespaces and the
// owner's folder as soon as this process has ended.
func (b Bridge) Guard(owner string) (*Guard, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("guard the network: %w", err)
	}
	defer func() { _ = read.Close() }()
	cmd := exec.Command("sh", "-c", guardScript, "sh", b.Name, owner)
	cmd.Dir = "/"
	cmd.ExtraFiles = []*os.File{read}
	// A session of its own: Ctrl-C in a terminal does not reach it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		_ = write.Close()
		return nil, fmt.Errorf("guard the network: %w", err)
	}
	return &Guard{cmd: cmd, pipe: write}, nil
}

// Release makes the guard do its work now and waits for its end.
func (g *Guard) Release() error {
	if err := g.pipe.Close(); err != nil {
		return fmt.Errorf("release the network's guard: %w", err)
	}
	if err := g.cmd.Wait(); err != nil {
		return fmt.Errorf("remove the network: %w", err)
	}
	return nil
}
