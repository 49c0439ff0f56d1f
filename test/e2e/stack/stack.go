// Package stack runs Cato as it is deployed, on a real cluster with KubeVirt and
// CDI: the built operator is a process of its own, under its own ServiceAccount
// and the RBAC of config/. StandInSentence says what is not real.
package stack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"

	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/gather"
	"cato.dev/cato/test/controlplane"
)

// Options say what is run.
type Options struct {
	Root     string    // of the checkout
	Operator string    // the operator's binary; empty is bin/cato-operator, which make build makes
	Progress io.Writer // of the control plane's build; nil is standard error
	Flags    []string  // more flags of the operator
	// Bare has the kinds of KubeVirt and CDI without KubeVirt, CDI and a node:
	// nothing answers to what the operator writes.
	Bare bool
	// Audited has the operator's requests recorded in ControlPlane.AuditLog.
	Audited bool
}

// Stack is a cluster with an operator.
type Stack struct {
	ControlPlane *controlplane.ControlPlane
	Client       client.Client // an administrator's, uncached
	Root         string
	Dir          string // state, certificates and logs of this run
	MetricsURL   string
	OSCALURL     string

	binary  string
	flags   []string
	health  string
	webhook int
	thread  thread
	mu      sync.Mutex
	process *exec.Cmd
	ended   chan struct{}
}

// Start brings the stack up; the operator is ready when it returns.
func Start(ctx context.Context, options Options) (*Stack, error) {
	s, err := Prepare(ctx, options)
	if err != nil {
		return nil, err
	}
	if err := s.StartOperator(ctx); err != nil {
		s.ControlPlane.KeepLogs()
		s.Stop()
		return nil, err
	}
	return s, nil
}

// StandInSentence says what of the cluster is not real, for every document and
// output that rests on it.
const StandInSentence = "Stand-ins: virt-handler, virt-launcher and the guest (instances are reported as running, nothing boots), the container runtime, kube-proxy, DNS and the volume provisioner; NetworkPolicies are stored and not enforced. Kubernetes, virt-api, virt-controller and CDI are the real ones."

// Prepare brings the cluster up, with all that config/ holds but the
// Deployment, and starts no operator.
func Prepare(ctx context.Context, options Options) (*Stack, error) {
	cluster := controlplane.Options{
		KubeVirt: true, CDI: true, Nodes: 1,
		CRDDirectories: []string{filepath.Join(options.Root, "config/crd/bases")}, Progress: options.Progress,
	}
	if options.Bare {
		cluster.KubeVirt, cluster.CDI, cluster.Nodes = false, false, 0
	}
	if options.Audited {
		cluster.AuditedUser = serviceaccount.MakeUsername(virtfoundryv1alpha1.SystemNamespace, virtfoundryv1alpha1.ServiceAccountName)
	}
	cp, err := controlplane.Start(ctx, cluster)
	if err != nil {
		return nil, err
	}
	s := &Stack{thread: newThread(), ControlPlane: cp, Root: options.Root, binary: options.Operator, flags: options.Flags}
	if s.binary == "" {
		s.binary = filepath.Join(options.Root, "bin", "cato-operator")
	}
	if err := s.prepare(ctx); err != nil {
		cp.KeepLogs()
		s.Stop()
		return nil, err
	}
	return s, nil
}

func (s *Stack) prepare(ctx context.Context) error {
	scheme, err := gather.Scheme()
	if err != nil {
		return err
	}
	if s.Client, err = client.New(s.ControlPlane.RESTConfig(), client.Options{Scheme: scheme}); err != nil {
		return err
	}
	if s.Dir, err = s.ControlPlane.Folder("cato"); err != nil {
		return err
	}
	ports, err := freePorts(4)
	if err != nil {
		return err
	}
	s.MetricsURL = fmt.Sprintf("http://127.0.0.1:%d/metrics", ports[0])
	s.OSCALURL = fmt.Sprintf("https://localhost:%d", ports[1])
	s.health = fmt.Sprintf("127.0.0.1:%d", ports[2])
	s.webhook = ports[3]
	s.flags = append([]string{
		"--metrics-bind-address", fmt.Sprintf("127.0.0.1:%d", ports[0]),
		"--oscal-bind-address", fmt.Sprintf("127.0.0.1:%d", ports[1]),
		"--health-probe-bind-address", s.health,
		"--webhook-port", strconv.Itoa(s.webhook),
		"--webhook-cert-dir", filepath.Join(s.Dir, "certificates"),
		"--state-dir", filepath.Join(s.Dir, "state"),
		"--namespace", virtfoundryv1alpha1.SystemNamespace,
	}, s.flags...)
	return s.install(ctx)
}

// freePorts finds ports that nobody listens on.
func freePorts(n int) ([]int, error) {
	var ports []int
	for range n {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer listener.Close()
		address, ok := listener.Addr().(*net.TCPAddr)
		if !ok {
			return nil, errors.New("a TCP listener without a TCP address")
		}
		ports = append(ports, address.Port)
	}
	return ports, nil
}

// OperatorConfig is the configuration of the operator's own ServiceAccount.
func (s *Stack) OperatorConfig(ctx context.Context) (*rest.Config, error) {
	return s.ControlPlane.ConfigFor(ctx, virtfoundryv1alpha1.SystemNamespace, virtfoundryv1alpha1.ServiceAccountName)
}

// StartOperator starts the operator's process and waits until it is ready.
func (s *Stack) StartOperator(ctx context.Context) error {
	if err := s.LaunchOperator(ctx); err != nil {
		return err
	}
	return s.WaitReady(ctx)
}

// LaunchOperator starts the operator's process and does not wait for anything,
// so that it can be killed while it starts.
func (s *Stack) LaunchOperator(ctx context.Context) error {
	config, err := s.OperatorConfig(ctx)
	if err != nil {
		return err
	}
	kubeconfig := filepath.Join(s.Dir, "operator.kubeconfig")
	if err := s.ControlPlane.WriteKubeconfig(kubeconfig, config); err != nil {
		return err
	}
	log, err := os.OpenFile(s.OperatorLog(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	process := exec.Command(s.binary, append(s.flags, "--kubeconfig", kubeconfig)...)
	process.Stdout, process.Stderr = log, log
	process.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := s.thread.run(process.Start); err != nil {
		return fmt.Errorf("start the operator (make build): %w", err)
	}
	ended := make(chan struct{})
	go func() {
		_ = process.Wait() // how it ended is in its log
		close(ended)
	}()
	s.mu.Lock()
	s.process, s.ended = process, ended
	s.mu.Unlock()
	return nil
}

// UseBinary has the next start run another binary, and returns the one before.
func (s *Stack) UseBinary(path string) (before string) {
	before, s.binary = s.binary, path
	return before
}

// KillOperator ends the process with SIGKILL, as a crash does, and waits for
// its end.
func (s *Stack) KillOperator() {
	s.mu.Lock()
	process, ended := s.process, s.ended
	s.process = nil
	s.mu.Unlock()
	if process == nil {
		return
	}
	_ = process.Process.Kill() // it may have ended already
	<-ended
}

// Stop ends everything and removes what this run wrote.
func (s *Stack) Stop() {
	s.KillOperator()
	close(s.thread)
	s.ControlPlane.Stop()
}
