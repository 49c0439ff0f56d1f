// Package network gives each pod a network namespace on one bridge, by iproute2.
package network

import (
	"context"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// podsPerNode is how many addresses a node has: four /24.
const podsPerNode = 1024

// Pods gives the pods of one node their networks.
type Pods struct {
	bridge  string
	gateway netip.Addr
	bits    int
	node    int

	mu   sync.Mutex
	next int
	used map[int]bool
}

// Pod is the network of one pod.
type Pod struct {
	// Namespace is the name of the network namespace, as ip netns knows it.
	Namespace string
	// Address is the pod's IP address.
	Address string

	number int
}

// NewPods makes the networks of the pods of the node with a number from 1 to
// 60, on a bridge that exists and whose address is the gateway, such as
// 10.200.0.1/16. What an earlier process of the same node left is removed.
func NewPods(ctx context.Context, bridge string, gateway netip.Prefix, node int) (*Pods, error) {
	if node < 1 || node > 60 {
		return nil, fmt.Errorf("the number of the node is %d, not from 1 to 60", node)
	}
	p := &Pods{bridge: bridge, gateway: gateway.Addr(), bits: gateway.Bits(), node: node, used: map[int]bool{}}
	left, err := filepath.Glob(filepath.Join("/run/netns", p.prefix()+"*"))
	if err != nil {
		return nil, err
	}
	for _, path := range left {
		if err := run(ctx, "netns", "del", filepath.Base(path)); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func (p *Pods) prefix() string { return fmt.Sprintf("%s-%d-", p.bridge, p.node) }

// Add makes the network of a pod.
func (p *Pods) Add(ctx context.Context) (Pod, error) {
	number, err := p.take()
	if err != nil {
		return Pod{}, err
	}
	offset := p.offset(number)
	bytes := p.gateway.As4()
	bytes[2], bytes[3] = byte(offset>>8), byte(offset)
	pod := Pod{
		Namespace: fmt.Sprintf("%s%d", p.prefix(), number),
		Address:   netip.AddrFrom4(bytes).String(),
		number:    number,
	}
	veth := p.veth(number)
	address := fmt.Sprintf("%s/%d", pod.Address, p.bits)
	for _, args := range [][]string{
		{"netns", "add", pod.Namespace},
		{"link", "add", "name", veth, "type", "veth", "peer", "name", "eth0", "netns", pod.Namespace},
		{"link", "set", "dev", veth, "master", p.bridge, "up"},
		{"-n", pod.Namespace, "addr", "add", address, "dev", "eth0"},
		{"-n", pod.Namespace, "link", "set", "dev", "lo", "up"},
		{"-n", pod.Namespace, "link", "set", "dev", "eth0", "up"},
		{"-n", pod.Namespace, "route", "add", "default", "via", p.gateway.String()},
	} {
		if err := run(ctx, args...); err != nil {
			_ = p.Remove(ctx, pod) // there may be nothing yet
			return Pod{}, err
		}
	}
	return pod, nil
}

func (p *Pods) offset(number int) int { return p.node*podsPerNode + number }

// veth is the name of the node's end of a pod's pair.
func (p *Pods) veth(number int) string { return fmt.Sprintf("%sv%d", p.bridge, p.offset(number)) }

// Remove takes a pod's network away. A process that is still in the namespace
// keeps it, and the pair would stay as long and stand in the way of the next
// pod with this number: it is removed by itself.
func (p *Pods) Remove(ctx context.Context, pod Pod) error {
	if veth := p.veth(pod.number); exists(filepath.Join("/sys/class/net", veth)) {
		if err := run(ctx, "link", "del", "dev", veth); err != nil {
			return err
		}
	}
	if exists(filepath.Join("/run/netns", pod.Namespace)) {
		if err := run(ctx, "netns", "del", pod.Namespace); err != nil {
			return err
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.used, pod.number)
	return nil
}

// take chooses a number that no pod has, the one that was free the longest: an
// address that is used again at once confuses those who still talk to it.
func (p *Pods) take() (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for range podsPerNode {
		p.next = (p.next + 1) % podsPerNode
		// The first and the last of a /24 look like those of its network.
		if last := p.next % 256; last != 0 && last != 255 && !p.used[p.next] {
			p.used[p.next] = true
			return p.next, nil
		}
	}
	return 0, fmt.Errorf("all %d addresses of node %d are in use", podsPerNode, p.node)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func run(ctx context.Context, args ...string) error {
	out, err := exec.CommandContext(ctx, "ip", args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("ip %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(string(out)))
	}
	return nil
}
