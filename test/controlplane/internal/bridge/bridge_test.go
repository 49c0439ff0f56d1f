package bridge

import (
	"bytes"
	"context"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The tests make network interfaces, so they need root, as all that uses this
// package does.

func exists(b Bridge) bool {
	_, err := os.Stat(filepath.Join("/sys/class/net", b.Name))
	return err == nil
}

func newBridge(t *testing.T, owner string) Bridge {
	t.Helper()
	b, err := New(t.Context(), owner, 2)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := Remove(context.Background(), owner); err != nil {
			t.Error(err)
		}
	})
	return b
}

func TestTwoBridgesShareNothing(t *testing.T) {
	owner, other := t.TempDir(), t.TempDir()
	a, b := newBridge(t, owner), newBridge(t, other)
	if a.Name == b.Name || a.Gateway().Masked().Overlaps(b.Gateway().Masked()) {
		t.Errorf("%s has %s, %s has %s", a.Name, a.Gateway(), b.Name, b.Gateway())
	}
	for _, address := range []netip.Addr{a.Node(1), a.Node(60), a.APIServer(), a.Services().Addr()} {
		if !a.Gateway().Masked().Contains(address) {
			t.Errorf("%s is not of %s", address, a.Gateway())
		}
	}
	if err := ip(t.Context(), "netns", "add", a.Name+"-1-1"); err != nil {
		t.Fatal(err)
	}
	if err := Remove(t.Context(), owner); err != nil {
		t.Fatal(err)
	}
	if exists(a) || !exists(b) {
		t.Errorf("the removed one exists: %v, the other: %v", exists(a), exists(b))
	}
	if _, err := os.Stat(filepath.Join("/run/netns", a.Name+"-1-1")); err == nil {
		t.Error("a network namespace is left")
	}
	if err := Remove(t.Context(), owner); err != nil {
		t.Errorf("removing nothing: %v", err)
	}
}

func TestAGuardRemovesTheBridgeAndTheFolder(t *testing.T) {
	owner := filepath.Join(t.TempDir(), "run")
	if err := os.MkdirAll(filepath.Join(owner, "logs"), 0o755); err != nil {
		t.Fatal(err)
	}
	b := newBridge(t, owner)
	guard, err := b.Guard(owner)
	if err != nil {
		t.Fatal(err)
	}
	if !exists(b) {
		t.Fatal("the guard did not wait")
	}
	if err := guard.Release(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(owner); exists(b) || !os.IsNotExist(err) {
		t.Errorf("the bridge exists: %v, the folder: %v", exists(b), err)
	}
}

func TestAGuardLeavesTheBridgeOfAnotherOwnerAlone(t *testing.T) {
	owner := t.TempDir()
	b := newBridge(t, owner)
	guard, err := b.Guard(filepath.Join(t.TempDir(), "earlier"))
	if err != nil {
		t.Fatal(err)
	}
	if err := guard.Release(); err != nil {
		t.Fatal(err)
	}
	if !exists(b) {
		t.Error("the bridge is gone")
	}
}

// A process that ends late keeps its network namespace, and the kernel the pair
// of interfaces as long as that: the network must be gone all the same.
func TestNothingIsLeftWhileAProcessIsStillInANamespace(t *testing.T) {
	for name, remove := range map[string]func(t *testing.T, b Bridge, owner string){
		"removed": func(t *testing.T, _ Bridge, owner string) {
			if err := Remove(t.Context(), owner); err != nil {
				t.Fatal(err)
			}
		},
		"guarded": func(t *testing.T, b Bridge, owner string) {
			guard, err := b.Guard(owner)
			if err != nil {
				t.Fatal(err)
			}
			if err := guard.Release(); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			owner := t.TempDir()
			b := newBridge(t, owner)
			namespace, veth := b.Name+"-1-1", b.Name+"v257"
			for _, args := range [][]string{
				{"netns", "add", namespace},
				{"link", "add", "name", veth, "type", "veth", "peer", "name", "eth0", "netns", namespace},
				{"link", "set", "dev", veth, "master", b.Name, "up"},
			} {
				if err := ip(t.Context(), args...); err != nil {
					t.Fatal(err)
				}
			}
			// The line comes from inside the namespace, so the process is in it.
			late := exec.CommandContext(t.Context(), "ip", "netns", "exec", namespace, "sh", "-c", "echo in; exec sleep 60")
			out, err := late.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := late.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() { _ = late.Process.Kill(); _ = late.Wait() }()
			if _, err := out.Read(make([]byte, 2)); err != nil {
				t.Fatal(err)
			}
			remove(t, b, owner)
			left, err := filepath.Glob(filepath.Join("/sys/class/net", b.Name+"*"))
			if err != nil || len(left) > 0 {
				t.Errorf("left: %v, %v", left, err)
			}
		})
	}
}

// The pods' neighbour tables hold the gateway's hardware address.
func TestTheHardwareAddressStaysWhenAPodComes(t *testing.T) {
	b := newBridge(t, t.TempDir())
	before, err := net.InterfaceByName(b.Name)
	if err != nil {
		t.Fatal(err)
	}
	veth := b.Name + "v1"
	for _, args := range [][]string{
		{"link", "add", "name", veth, "address", "02:00:00:00:00:01", "type", "veth", "peer", "name", veth + "p"},
		{"link", "set", "dev", veth, "master", b.Name, "up"},
	} {
		if err := ip(t.Context(), args...); err != nil {
			t.Fatal(err)
		}
	}
	after, err := net.InterfaceByName(b.Name)
	if err != nil || !bytes.Equal(before.HardwareAddr, after.HardwareAddr) {
		t.Errorf("it was %s and is %v: %v", before.HardwareAddr, after, err)
	}
}
