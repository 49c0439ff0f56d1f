// Package process is a container runtime for the kubelet that runs each
// container as a process of this machine: in mount, PID and network namespaces
// of its own, with the programs and libraries of the machine. There are no
// images, no cgroups and no users: a container runs as root.
package process

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	critesting "k8s.io/cri-api/pkg/apis/testing"

	"cato.dev/cato/test/controlplane/kube/network"
)

// Runtime implements the CRI. The book of sandboxes and containers is
// Kubernetes' own in-memory one; this type adds what really runs.
type Runtime struct {
	*critesting.FakeRuntimeService
	dir    string
	images Images
	pods   *network.Pods
	forks  chan fork

	mu         sync.Mutex
	containers map[string]*container
	networks   map[string]network.Pod
	resolvers  map[string]string
	stopped    bool
}

// New makes a runtime that keeps the roots of its containers in dir.
func New(dir string, images Images, pods *network.Pods) *Runtime {
	r := &Runtime{
		FakeRuntimeService: critesting.NewFakeRuntimeService(),
		dir:                dir,
		images:             images,
		pods:               pods,
		forks:              startForker(),
		containers:         map[string]*container{},
		networks:           map[string]network.Pod{},
		resolvers:          map[string]string{},
	}
	r.FakeStatus = &runtimeapi.RuntimeStatus{Conditions: []*runtimeapi.RuntimeCondition{
		{Type: runtimeapi.RuntimeReady, Status: true},
		{Type: runtimeapi.NetworkReady, Status: true},
	}}
	return r
}

// RunPodSandbox gives the pod a network.
func (r *Runtime) RunPodSandbox(ctx context.Context, config *runtimeapi.PodSandboxConfig, handler string) (string, error) {
	if config.GetLinux().GetSecurityContext().GetNamespaceOptions().GetNetwork() == runtimeapi.NamespaceMode_NODE {
		return "", fmt.Errorf("pod %s/%s: hostNetwork is not supported by this node", config.GetMetadata().GetNamespace(), config.GetMetadata().GetName())
	}
	pod, err := r.pods.Add(ctx)
	if err != nil {
		return "", err
	}
	id, err := r.FakeRuntimeService.RunPodSandbox(ctx, config, handler)
	if err != nil {
		return "", err
	}
	r.Lock()
	r.Sandboxes[id].Network.Ip = pod.Address
	r.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.networks[id] = pod
	r.resolvers[id] = resolvConf(config.GetDnsConfig())
	return id, nil
}

// resolvConf is the resolv.conf(5) of a pod.
func resolvConf(dns *runtimeapi.DNSConfig) string {
	var text strings.Builder
	for _, server := range dns.GetServers() {
		text.WriteString("nameserver " + server + "\n")
	}
	if len(dns.GetSearches()) > 0 {
		text.WriteString("search " + strings.Join(dns.GetSearches(), " ") + "\n")
	}
	if len(dns.GetOptions()) > 0 {
		text.WriteString("options " + strings.Join(dns.GetOptions(), " ") + "\n")
	}
	return text.String()
}

// StopPodSandbox takes the pod's network away.
func (r *Runtime) StopPodSandbox(ctx context.Context, id string) error {
	r.mu.Lock()
	pod, ok := r.networks[id]
	delete(r.networks, id)
	r.mu.Unlock()
	if ok {
		if err := r.pods.Remove(ctx, pod); err != nil {
			return err
		}
	}
	return r.FakeRuntimeService.StopPodSandbox(ctx, id)
}

// CreateContainer writes the container down.
func (r *Runtime) CreateContainer(ctx context.Context, sandbox string, config *runtimeapi.ContainerConfig, pod *runtimeapi.PodSandboxConfig) (string, error) {
	id, err := r.FakeRuntimeService.CreateContainer(ctx, sandbox, config, pod)
	if err != nil {
		return "", err
	}
	log := filepath.Join(pod.GetLogDirectory(), config.GetLogPath())
	r.Lock()
	// The kubelet finds the termination message by the mounts.
	r.Containers[id].Mounts = config.GetMounts()
	r.Containers[id].LogPath = log
	r.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.containers[id] = &container{sandbox: sandbox, config: config, log: log, root: filepath.Join(r.dir, id), done: make(chan struct{})}
	return id, nil
}

// StartContainer starts the container's process.
func (r *Runtime) StartContainer(ctx context.Context, id string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.containers[id]
	if c == nil {
		return fmt.Errorf("container %s is not known", id)
	}
	if r.stopped {
		return fmt.Errorf("container %s: the node stops", id)
	}
	image := c.config.GetImage().GetUserSpecifiedImage()
	if image == "" {
		image = c.config.GetImage().GetImage()
	}
	e, err := r.images.entryOf(image, c.config.GetMetadata().GetName(), c.config.GetCommand(), c.config.GetArgs())
	if err != nil {
		return err
	}
	e.Authority = r.images.Authority
	if err := c.start(e, r.networks[c.sandbox].Namespace, r.resolvers[c.sandbox], r.forks); err != nil {
		return err
	}
	if err := r.FakeRuntimeService.StartContainer(ctx, id); err != nil {
		return err
	}
	go func() {
		<-c.done
		r.recordEnd(id, c.exitCode)
	}()
	return nil
}

// recordEnd writes into the book how a container ended.
func (r *Runtime) recordEnd(id string, code int32) {
	r.Lock()
	defer r.Unlock()
	record := r.Containers[id]
	if record == nil {
		return
	}
	record.State = runtimeapi.ContainerState_CONTAINER_EXITED
	record.FinishedAt = time.Now().UnixNano()
	record.ExitCode = code
	record.Reason = "Completed"
	if code != 0 {
		record.Reason = "Error"
	}
}

// StopContainer ends the container's process: SIGTERM, then SIGKILL after a
// timeout in seconds.
func (r *Runtime) StopContainer(ctx context.Context, id string, timeout int64) error {
	r.mu.Lock()
	c := r.containers[id]
	r.mu.Unlock()
	if c == nil || c.cmd == nil {
		return r.FakeRuntimeService.StopContainer(ctx, id, timeout)
	}
	c.stop(time.Duration(timeout) * time.Second)
	r.recordEnd(id, c.exitCode)
	return nil
}

// RemoveContainer forgets the container and removes its root.
func (r *Runtime) RemoveContainer(ctx context.Context, id string) error {
	if err := r.StopContainer(ctx, id, 0); err != nil {
		return err
	}
	r.mu.Lock()
	c := r.containers[id]
	delete(r.containers, id)
	r.mu.Unlock()
	if c != nil {
		// Its mounts went with the mount namespace of its process.
		if err := os.RemoveAll(c.root); err != nil {
			return fmt.Errorf("remove the container's root: %w", err)
		}
	}
	return r.FakeRuntimeService.RemoveContainer(ctx, id)
}

// Stop kills all containers and starts none any more.
func (r *Runtime) Stop() {
	r.mu.Lock()
	r.stopped = true
	var running []*container
	for _, c := range r.containers {
		if c.cmd != nil {
			running = append(running, c)
		}
	}
	r.mu.Unlock()
	for _, c := range running {
		c.stop(0)
	}
}
