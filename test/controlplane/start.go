package controlplane

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"k8s.io/client-go/rest"

	"cato.dev/cato/test/controlplane/internal/bridge"
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
func (cp *ControlPlane) start(ctx context.Context, o Options, files Set, crds []definition) error {
	assets := files.Assets
	var addresses []net.IP
	if cp.nodes > 0 {
		network, err := bridge.New(ctx, string(cp.run), cp.nodes)
		if err != nil {
			return err
		}
		cp.network = network
		addresses = []net.IP{network.APIServer().AsSlice(), network.Gateway().Addr().AsSlice()}
	}
	keys, err := newCredentials(cp.run, addresses...)
	if err != nil {
		return err
	}
	cp.keys = keys
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
	if cp.nodes > 0 {
		if err := cp.startNodes(ctx, o, files); err != nil {
			return err
		}
	}
	if err := installCRDs(ctx, cp.admin, crds); err != nil {
		return err
	}
	if err := cp.waitForDefaultServiceAccount(ctx, manager); err != nil || cp.nodes == 0 {
		return err
	}
	return cp.installProducts(ctx, o, files)
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
	args := []string{
		"--etcd-servers=" + client,
		"--bind-address=127.0.0.1", "--advertise-address=127.0.0.1", "--secure-port=" + ports[2],
		// Allows a loopback address to be advertised.
		"--endpoint-reconciler-type=none",
		"--service-cluster-ip-range=" + cp.serviceRange(),
		"--cert-dir=" + cp.run.path("apiserver"),
		"--tls-cert-file=" + cp.run.path(serverCertificateFile), "--tls-private-key-file=" + cp.run.path(serverKeyFile),
		"--client-ca-file=" + cp.run.path(authorityFile),
		"--authorization-mode=RBAC,Node",
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + cp.run.path(serviceAccountPublicFile),
		"--service-account-signing-key-file=" + cp.run.path(serviceAccountKeyFile),
		"--requestheader-client-ca-file=" + cp.run.path(frontProxyAuthorityFile),
		"--requestheader-allowed-names=front-proxy",
		"--requestheader-username-headers=X-Remote-User",
		"--requestheader-group-headers=X-Remote-Group",
		"--requestheader-extra-headers-prefix=X-Remote-Extra-",
		"--proxy-client-cert-file=" + cp.run.path(frontProxyCertificateFile), "--proxy-client-key-file=" + cp.run.path(frontProxyKeyFile),
		"--enable-priority-and-fairness=false",
		"--allow-privileged",
		"--kubelet-preferred-address-types=InternalIP",
		// The defaults would leave the pods of a failed node for five minutes.
		"--default-not-ready-toleration-seconds=30", "--default-unreachable-toleration-seconds=30",
	}
	server, err := cp.group.Start("kube-apiserver", cp.run.log("kube-apiserver"), filepath.Join(assets, "kube-apiserver"), args...)
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
		"--node-monitor-period=1s", "--node-monitor-grace-period=20s",
		"--pvclaimbinder-sync-period=2s",
	)
}
