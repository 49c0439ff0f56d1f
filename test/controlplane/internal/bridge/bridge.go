// Package bridge makes the network of one test cluster: a bridge of this
// machine with a range of addresses that nothing else here uses. It needs root
// and iproute2.
package bridge

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	namePrefix = "cato"
	// ranges is how many clusters a machine can have at a time.
	ranges = 40
	// firstRange is the second number of the first range, 10.200.0.0/16.
	firstRange = 200
	lockFile   = "/run/cato-controlplane.lock"
	lockPoll   = 20 * time.Millisecond
)

// Bridge is a bridge with a /16 of addresses.
type Bridge struct {
	// Name is the interface's name.
	Name string
	// number is that of the range.
	number int
}

func (b Bridge) address(third, fourth byte) netip.Addr {
	return netip.AddrFrom4([4]byte{10, byte(firstRange + b.number), third, fourth})
}

// Gateway is the bridge's own address with its length.
func (b Bridge) Gateway() netip.Prefix { return netip.PrefixFrom(b.address(0, 1), 16) }

// Node is the address of the node with a number from 1 to 60.
func (b Bridge) Node(number int) netip.Addr { return b.address(0, byte(10+number)) }

// Services are the addresses of Services: all of them are this machine's.
func (b Bridge) Services() netip.Prefix { return netip.PrefixFrom(b.address(255, 0), 24) }

// APIServer is the first address of a Service, which default/kubernetes has.
func (b Bridge) APIServer() netip.Addr { return b.address(255, 1) }

// Number tells ranges apart: clusters with the same number have the same
// addresses.
func (b Bridge) Number() int { return b.number }

// New makes a bridge for an owner, which is the path of a folder of its own,
// with addresses for a number of nodes. It takes the first range that is free.
func New(ctx context.Context, owner string, nodes int) (Bridge, error) {
	release, err := lock(ctx)
	if err != nil {
		return Bridge{}, err
	}
	defer release()
	interfaces, err := net.Interfaces()
	if err != nil {
		return Bridge{}, fmt.Errorf("list the network interfaces: %w", err)
	}
	for number := range ranges {
		b := Bridge{Name: namePrefix + strconv.Itoa(number), number: number}
		free, err := b.free(interfaces)
		if err != nil {
			return Bridge{}, err
		}
		if !free {
			continue
		}
		if err := b.make(ctx, owner, nodes); err != nil {
			return Bridge{}, errors.Join(err, b.remove(ctx))
		}
		return b, nil
	}
	return Bridge{}, fmt.Errorf("all %d ranges of addresses from 10.%d.0.0/16 on are in use on this machine", ranges, firstRange)
}

// free tells whether no interface has the name, or an address of the range.
func (b Bridge) free(interfaces []net.Interface) (bool, error) {
	for _, i := range interfaces {
		if i.Name == b.Name {
			return false, nil
		}
		addresses, err := i.Addrs()
		if err != nil {
			return false, fmt.Errorf("list the addresses of %s: %w", i.Name, err)
		}
		for _, address := range addresses {
			prefix, err := netip.ParsePrefix(address.String())
			if err == nil && prefix.Masked().Overlaps(b.Gateway().Masked()) {
				return false, nil
			}
		}
	}
	return true, nil
}

// hardware is a locally administered address, as different from other clusters' as the gateway is.
func (b Bridge) hardware() net.HardwareAddr {
	gateway := b.Gateway().Addr().As4()
	return append(net.HardwareAddr{0x02, 0x00}, gateway[:]...)
}

func (b Bridge) make(ctx context.Context, owner string, nodes int) error {
	commands := [][]string{
		// Without an address of its own it takes the lowest of its ports': with each pod that comes or goes the gateway
		// could have another one, and whoever still sends to the old one is cut off for up to a minute.
		{"link", "add", "name", b.Name, "address", b.hardware().String(), "type", "bridge"},
		// By this a later run finds what a dead one left.
		{"link", "set", "dev", b.Name, "alias", owner},
		{"addr", "add", b.Gateway().String(), "dev", b.Name},
	}
	for n := 1; n <= nodes; n++ {
		commands = append(commands, []string{"addr", "add", b.Node(n).String() + "/32", "dev", b.Name})
	}
	commands = append(commands,
		[]string{"link", "set", "dev", b.Name, "up"},
		// All addresses of Services are this machine's, which forwards them.
		[]string{"route", "add", "local", b.Services().String(), "dev", b.Name},
	)
	for _, args := range commands {
		if err := ip(ctx, args...); err != nil {
			return err
		}
	}
	return nil
}

// Remove removes the bridge that an owner has, with all network namespaces of
// its pods. None is no error. A bridge without an owner is removed too: its
// maker died while it made it.
func Remove(ctx context.Context, owner string) error {
	release, err := lock(ctx)
	if err != nil {
		return err
	}
	defer release()
	// Only a bridge has this folder; the pods' interfaces have like names.
	bridges, err := filepath.Glob(filepath.Join("/sys/class/net", namePrefix+"*", "bridge"))
	if err != nil {
		return err
	}
	var failures []error
	for _, path := range bridges {
		link := filepath.Dir(path)
		alias, err := os.ReadFile(filepath.Join(link, "ifalias"))
		if err != nil {
			continue // it has just been removed
		}
		if of := strings.TrimSpace(string(alias)); of == owner || of == "" {
			failures = append(failures, Bridge{Name: filepath.Base(link)}.remove(ctx))
		}
	}
	return errors.Join(failures...)
}

func (b Bridge) remove(ctx context.Context) error {
	namespaces, err := filepath.Glob(filepath.Join("/run/netns", b.Name+"-*"))
	if err != nil {
		return err
	}
	ports, err := filepath.Glob(filepath.Join("/sys/class/net", b.Name, "brif", "*"))
	if err != nil {
		return err
	}
	var failures []error
	for _, path := range ports { // a process that is still in a namespace keeps it, and with it the pair
		failures = append(failures, ip(ctx, "link", "del", "dev", filepath.Base(path)))
	}
	for _, path := range namespaces {
		failures = append(failures, ip(ctx, "netns", "del", filepath.Base(path)))
	}
	if _, err := os.Stat(filepath.Join("/sys/class/net", b.Name)); err == nil {
		failures = append(failures, ip(ctx, "link", "del", "dev", b.Name))
	}
	return errors.Join(failures...)
}

// lock makes the processes of this machine choose and remove one at a time. It
// is an flock: the kernel gives it back when its process ends.
func lock(ctx context.Context) (release func(), err error) {
	file, err := os.OpenFile(lockFile, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the lock of the networks: %w", err)
	}
	tick := time.NewTicker(lockPoll)
	defer tick.Stop()
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { _ = file.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			_ = file.Close()
			return nil, fmt.Errorf("lock %s: %w", lockFile, err)
		}
		select {
		case <-ctx.Done():
			_ = file.Close()
			return nil, fmt.Errorf("wait for the lock of the networks: %w", context.Cause(ctx))
		case <-tick.C:
		}
	}
}

func ip(ctx context.Context, args ...string) error {
	out, err := exec.CommandContext(ctx, "ip", args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("ip %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(string(out)))
	}
	return nil
}
