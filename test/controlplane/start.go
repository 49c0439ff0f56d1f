package controlplane

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"cato.dev/cato/test/controlplane/internal/supervise"
)

const (
	// startAttempts is how often ports are chosen anew when another process
	// took one in the moment between the choice and its use.
	startAttempts = 5
	poll          = 25 * time.Millisecond
	// logTail is how much of a dead component's log its error repeats, in bytes.
	logTail = 2048
)

// errPortTaken says that a component could not listen.
var errPortTaken = errors.New("a chosen port was taken by another process")

// start brings everything up; on an error, what runs is left for Stop.
func (cp *ControlPlane) start(ctx context.Context, assets string, crds []definition) error {
	keys, err := newCredentials(cp.run)
	if err != nil {
		return err
	}
	for attempt := 1; ; attempt++ {
		err := cp.startServers(ctx, assets, keys)
		if err == nil {
			break
		}
		if !errors.Is(err, errPortTaken) || attempt == startAttempts {
			return err
		}
		_, _ = fmt.Fprintf(cp.progress, "controlplane: %v; trying others\n", err)
		cp.group.Stop()
	}
	manager, err := cp.startControllerManager(assets, keys)
	if err != nil {
		return err
	}
	if err := installCRDs(ctx, cp.admin, crds); err != nil {
		return err
	}
	return cp.waitForDefaultServiceAccount(ctx, manager)
}

// startServers starts etcd and the API server on ports that are free now, and
// waits until the API server is ready.
func (cp *ControlPlane) startServers(ctx context.Context, assets string, keys credentials) error {
	ports, err := freePorts(3)
	if err != nil {
		return err
	}
	client, peer := "http://127.0.0.1:"+ports[0], "http://127.0.0.1:"+ports[1]
	data := cp.run.path("etcd")
	for _, path := range []string{data, cp.run.log("etcd"), cp.run.log("kube-apiserver")} {
		if err := os.RemoveAll(path); err != nil {
			return fmt.Errorf("clear what the attempt before left: %w", err)
		}
	}
	cp.group = supervise.NewGroup(cp.progress)
	etcd, err := cp.group.Start("etcd", cp.run.log("etcd"), filepath.Join(assets, "etcd"),
		"--data-dir="+data,
		"--listen-client-urls="+client, "--advertise-client-urls="+client,
		"--listen-peer-urls="+peer, "--initial-advertise-peer-urls="+peer, "--initial-cluster=default="+peer,
		"--unsafe-no-fsync", "--log-level=warn",
	)
	if err != nil {
		return err
	}
	server, err := cp.group.Start("kube-apiserver", cp.run.log("kube-apiserver"), filepath.Join(assets, "kube-apiserver"),
		"--etcd-servers="+client,
		"--bind-address=127.0.0.1", "--advertise-address=127.0.0.1", "--secure-port="+ports[2],
		// Allows a loopback address to be advertised.
		"--endpoint-reconciler-type=none",
		"--service-cluster-ip-range=10.0.0.0/24",
		"--cert-dir="+cp.run.path("apiserver"),
		"--tls-cert-file="+cp.run.path(serverCertificateFile), "--tls-private-key-file="+cp.run.path(serverKeyFile),
		"--client-ca-file="+cp.run.path(authorityFile),
		"--authorization-mode=RBAC,Node",
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file="+cp.run.path(serviceAccountPublicFile),
		"--service-account-signing-key-file="+cp.run.path(serviceAccountKeyFile),
		"--requestheader-client-ca-file="+cp.run.path(frontProxyAuthorityFile),
		"--requestheader-allowed-names=front-proxy",
		"--requestheader-username-headers=X-Remote-User",
		"--requestheader-group-headers=X-Remote-Group",
		"--requestheader-extra-headers-prefix=X-Remote-Extra-",
		"--proxy-client-cert-file="+cp.run.path(frontProxyCertificateFile), "--proxy-client-key-file="+cp.run.path(frontProxyKeyFile),
		"--enable-priority-and-fairness=false",
		"--allow-privileged",
	)
	if err != nil {
		return err
	}
	cp.admin = &rest.Config{
		Host: "https://127.0.0.1:" + ports[2],
		TLSClientConfig: rest.TLSClientConfig{
			CAData:   keys.authority.PEM,
			CertData: keys.admin.certificate,
			KeyData:  keys.admin.key,
		},
		// The API server is the test's own: nobody else needs to be spared.
		QPS: -1,
	}
	cp.Kubeconfig = cp.run.path("admin.kubeconfig")
	if err := cp.WriteKubeconfig(cp.Kubeconfig, cp.admin); err != nil {
		return err
	}
	return waitReady(ctx, cp.admin, etcd, server)
}

func (cp *ControlPlane) startControllerManager(assets string, keys credentials) (*supervise.Process, error) {
	config := rest.CopyConfig(cp.admin)
	config.CertData, config.KeyData = keys.controllerManager.certificate, keys.controllerManager.key
	kubeconfig := cp.run.path("controller-manager.kubeconfig")
	if err := cp.WriteKubeconfig(kubeconfig, config); err != nil {
		return nil, err
	}
	return cp.group.Start("kube-controller-manager", cp.run.log("kube-controller-manager"), filepath.Join(assets, "kube-controller-manager"),
		"--kubeconfig="+kubeconfig,
		"--use-service-account-credentials",
		"--service-account-private-key-file="+cp.run.path(serviceAccountKeyFile),
		"--root-ca-file="+cp.run.path(authorityFile),
		"--leader-elect=false",
		"--secure-port=0",
		"--kube-api-qps=200", "--kube-api-burst=400",
	)
}

// waitReady waits for the API server's /readyz, or for a component to die.
func waitReady(ctx context.Context, config *rest.Config, components ...*supervise.Process) error {
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return fmt.Errorf("make a client of the API server: %w", err)
	}
	defer client.CloseIdleConnections()
	return waitFor(ctx, "the API server's /readyz", components, func() (bool, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, config.Host+"/readyz", nil)
		if err != nil {
			return false, err
		}
		response, err := client.Do(request)
		if err != nil {
			return false, nil // it does not listen yet
		}
		defer func() { _ = response.Body.Close() }()
		return response.StatusCode == http.StatusOK, nil
	})
}

// waitForDefaultServiceAccount waits until the controller manager does its
// work: namespaces get their ServiceAccount and the authority's ConfigMap.
func (cp *ControlPlane) waitForDefaultServiceAccount(ctx context.Context, manager *supervise.Process) error {
	client, err := kubernetes.NewForConfig(cp.admin)
	if err != nil {
		return fmt.Errorf("make a client of the API server: %w", err)
	}
	return waitFor(ctx, "ServiceAccount default/default", []*supervise.Process{manager}, func() (bool, error) {
		_, err := client.CoreV1().ServiceAccounts("default").Get(ctx, "default", metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return false, nil
		}
		return err == nil, err
	})
}

// waitFor polls until done says so; the death of a component ends it early.
func waitFor(ctx context.Context, what string, components []*supervise.Process, done func() (bool, error)) error {
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for {
		ok, err := done()
		if err != nil && ctx.Err() == nil {
			return fmt.Errorf("wait for %s: %w", what, err)
		}
		if ok {
			return nil
		}
		for _, c := range components {
			select {
			case <-c.Done():
				return deathOf(c)
			default:
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for %s: %w", what, context.Cause(ctx))
		case <-tick.C:
		}
	}
}

// deathOf is the error for a component that ended, with the end of its log.
func deathOf(p *supervise.Process) error {
	log, err := os.ReadFile(p.Log)
	if err != nil {
		return fmt.Errorf("%s ended (%w) and its log cannot be read: %w", p.Name, p.Err(), err)
	}
	if bytes.Contains(log, []byte("address already in use")) {
		return fmt.Errorf("%s: %w", p.Name, errPortTaken)
	}
	return fmt.Errorf("%s ended: %w; the end of its log:\n%s", p.Name, p.Err(), log[max(0, len(log)-logTail):])
}

// freePorts finds TCP ports of 127.0.0.1 that nobody listens on now.
func freePorts(n int) ([]string, error) {
	var ports []string
	for range n {
		// All stay open until the end, so that no port comes twice.
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, fmt.Errorf("find a free port: %w", err)
		}
		defer func() { _ = listener.Close() }()
		_, port, err := net.SplitHostPort(listener.Addr().String())
		if err != nil {
			return nil, fmt.Errorf("find a free port: %w", err)
		}
		ports = append(ports, port)
	}
	return ports, nil
}
