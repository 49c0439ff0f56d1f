package process

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// InitArgument is the first argument with which this binary is the first
// process of a container.
const InitArgument = "container-init"

// authorityFile, in /etc of a container, holds Images.Authority; Go's programs
// read it beside the folder of the public ones.
const authorityFile = "authority.pem"

// Spec tells the first process of a container what to become.
type Spec struct {
	Root      string
	Entry     entry
	Mounts    []Mount
	Namespace string
	Resolver  string
	Directory string
}

// Mount is a file or folder of the machine that the container sees.
type Mount struct {
	From, To string
	ReadOnly bool
}

// Init makes the container's root, as Spec in JSON says, and becomes the
// container's program: it returns only an error, or after an idle container
// was told to end.
func Init(data string) error {
	var spec Spec
	if err := json.Unmarshal([]byte(data), &spec); err != nil {
		return fmt.Errorf("read the container's description: %w", err)
	}
	if spec.Entry.Done {
		return nil
	}
	// Namespaces belong to threads: the one that enters must be the one that
	// becomes the program.
	runtime.LockOSThread()
	if err := enterNetwork(spec.Namespace); err != nil {
		return err
	}
	if spec.Entry.Idle {
		return idle()
	}
	if err := makeRoot(spec); err != nil {
		return err
	}
	if err := syscall.Chroot(spec.Root); err != nil {
		return fmt.Errorf("enter the root: %w", err)
	}
	directory := spec.Directory
	if directory == "" {
		directory = "/"
	}
	if err := os.Chdir(directory); err != nil {
		return fmt.Errorf("enter the working directory: %w", err)
	}
	path, err := exec.LookPath(spec.Entry.Argv[0])
	if err != nil {
		return err
	}
	return syscall.Exec(path, spec.Entry.Argv, os.Environ())
}

func enterNetwork(namespace string) error {
	file, err := os.Open(filepath.Join("/run/netns", namespace))
	if err != nil {
		return fmt.Errorf("open the network namespace: %w", err)
	}
	defer func() { _ = file.Close() }()
	if err := unix.Setns(int(file.Fd()), unix.CLONE_NEWNET); err != nil {
		return fmt.Errorf("enter the network namespace: %w", err)
	}
	return nil
}

// idle waits until the container is told to end.
func idle() error {
	end := make(chan os.Signal, 1)
	signal.Notify(end, syscall.SIGTERM, syscall.SIGINT)
	<-end
	return nil
}

// makeRoot makes what the program sees: the machine's programs, a small /etc
// of its own, its own processes, and the volumes.
func makeRoot(spec Spec) error {
	// Nothing of this may reach the machine's own mount namespace.
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("make the mounts private: %w", err)
	}
	for _, folder := range []string{"tmp", "var/tmp", "run", "proc", "etc", "program"} {
		if err := os.MkdirAll(filepath.Join(spec.Root, folder), 0o755); err != nil {
			return err
		}
	}
	// Relative, so that it leads nowhere outside of the root.
	if err := os.Symlink("../run", filepath.Join(spec.Root, "var/run")); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	for _, folder := range []string{"/tmp", "/var/tmp"} {
		if err := os.Chmod(filepath.Join(spec.Root, folder), 0o1777); err != nil {
			return err
		}
	}
	if err := syscall.Mount("proc", filepath.Join(spec.Root, "proc"), "proc", 0, ""); err != nil {
		return fmt.Errorf("mount /proc: %w", err)
	}
	for name, text := range map[string]string{
		"resolv.conf":   spec.Resolver,
		"passwd":        "root:x:0:0:root:/:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n",
		"group":         "root:x:0:\nnogroup:x:65534:\n",
		"nsswitch.conf": "hosts: files dns\n",
		authorityFile:   spec.Entry.Authority,
	} {
		if err := os.WriteFile(filepath.Join(spec.Root, "etc", name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	mounts := []Mount{}
	for _, path := range []string{
		"/usr", "/lib", "/lib64", "/bin", "/sbin", "/sys", "/etc/ssl", "/etc/alternatives", "/etc/ld.so.cache",
		"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom",
	} {
		if _, err := os.Stat(path); err == nil {
			mounts = append(mounts, Mount{From: path, To: path})
		}
	}
	if program := spec.Entry.Program; program != "" {
		mounts = append(mounts, Mount{From: program, To: spec.Entry.At, ReadOnly: true})
	}
	for _, m := range append(mounts, spec.Mounts...) {
		if err := bind(spec.Root, m); err != nil {
			return err
		}
	}
	return nil
}

// bind shows a file or folder of the machine inside of the root.
func bind(root string, m Mount) error {
	info, err := os.Stat(m.From)
	if err != nil {
		return fmt.Errorf("mount %s: %w", m.To, err)
	}
	to := filepath.Join(root, m.To)
	if info.IsDir() {
		err = os.MkdirAll(to, 0o755)
	} else if err = os.MkdirAll(filepath.Dir(to), 0o755); err == nil {
		var file *os.File
		if file, err = os.OpenFile(to, os.O_CREATE, 0o644); err == nil {
			err = file.Close()
		}
	}
	if err != nil {
		return fmt.Errorf("mount %s: %w", m.To, err)
	}
	if err := syscall.Mount(m.From, to, "", syscall.MS_BIND|syscall.MS_REC, ""); err != nil {
		return fmt.Errorf("mount %s: %w", m.To, err)
	}
	if !m.ReadOnly {
		return nil
	}
	if err := syscall.Mount("", to, "", syscall.MS_BIND|syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		return fmt.Errorf("mount %s read-only: %w", m.To, err)
	}
	return nil
}
