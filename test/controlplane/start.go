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

// plan is what a control plane is to become.
type plan struct {
	options Options
	files   Set
	crds    []definition
	objects []object
	// kept is where the finished cluster is kept, if it is to be.
	kept template
	// restored tells that the cluster starts from there.
	restored bool
}

// start brings everything up; on an error, what runs is left for Stop.
func (cp *ControlPlane) start(ctx context.Context, o Options, files Set, crds []definition) error {
	p := plan{options: o, files: files, crds: crds}
	if cp.nodes == 0 {
		return cp.bringUp(ctx, p)
	}
	if err := cp.run.checkLength(); err != nil {
		return err
	}
	network, err := bridge.New(ctx, string(cp.run), cp.nodes)
	if err != nil {
		return err
	}
	cp.network = network
	if cp.guard, err = network.Guard(string(cp.run)); err != nil {
		return errors.Join(err, bridge.Remove(ctx, string(cp.run)))
	}
	if p.objects, err = productObjects(o, files); err != nil {
		return err
	}
	if p.kept, err = cp.templateOf(files, crds, p.objects); err != nil {
		return err
	}
	cp.keys, p.restored, err = p.kept.load(cp.run)
	if err == nil && p.restored {
		err = cp.bringUp(ctx, p)
	}
	switch {
	case ctx.Err() != nil || err == nil && p.restored:
		return err
	case err != nil:
		_, _ = fmt.Fprintf(cp.progress, "controlplane: the kept cluster cannot be used, so another is made: %v\n", err)
		if err := cp.clear(p.kept); err != nil {
			return err
		}
	}
	p.restored = false
	if err := cp.bringUp(ctx, p); err != nil {
		return err
	}
	etcd, _ := cp.component("etcd")
	if err := p.kept.save(ctx, cp.run, cp.keys, etcd); err != nil {
		// The next start takes longer, which is no reason for this one to fail.
		_, _ = fmt.Fprintf(cp.progress, "controlplane: %v\n", err)
	}
	return nil
}

// clear makes way for another attempt after one from a kept cluster.
func (cp *ControlPlane) clear(kept template) error {
	if cp.group != nil {
		cp.group.Stop()
	}
	failures := []error{kept.remove(), os.RemoveAll(cp.run.path("volumes"))}
	for n := 1; n <= cp.nodes; n++ {
		failures = append(failures, os.RemoveAll(cp.run.path(NodeName(n))))
	}
	if err := errors.Join(failures...); err != nil {
		return fmt.Errorf("clear what the kept cluster left: %w", err)
	}
	return nil
}

// bringUp starts everything and waits until it is ready.
func (cp *ControlPlane) bringUp(ctx context.Context, p plan) error {
	if !p.restored {
		keys, err := newCredentials(cp.run, cp.addresses()...)
		if err != nil {
			return err
		}
		cp.keys = keys
	}
	for attempt := 1; ; attempt++ {
		err := cp.startServers(ctx, p)
		if err == nil {
			break
		}
		if !errors.Is(err, errPortTaken) || attempt == startAttempts {
			return err
		}
		_, _ = fmt.Fprintf(cp.progress, "controlplane: %v; trying others\n", err)
		cp.group.Stop()
	}
	if p.restored {
		if err := cp.forget(ctx); err != nil {
			return err
		}
	}
	manager, err := cp.startControllerManager(p.files.Assets)
	if err != nil {
		return err
	}
	if cp.nodes > 0 {
		if err := cp.startNodes(ctx, p.options, p.files); err != nil {
			return err
		}
	}
	if !p.restored {
		if err := installCRDs(ctx, cp.admin, p.crds); err != nil {
			return err
		}
	}
	if err := cp.waitForDefaultServiceAccount(ctx, manager); err != nil || cp.nodes == 0 {
		return err
	}
	if !p.restored {
		if err := cp.installProducts(ctx, p.objects); err != nil {
			return err
		}
	}
	return cp.waitForProducts(ctx, p.options)
}

// addresses are those of the API server besides 127.0.0.1.
func (cp *ControlPlane) addresses() []net.IP {
	if cp.nodes == 0 {
		return nil
	}
	return []net.IP{cp.network.APIServer().AsSlice(), cp.network.Gateway().Addr().AsSlice()}
}

// startServers starts etcd and the API server on ports that are free now, and
// waits until the API server is ready.
func (cp *ControlPlane) startServers(ctx context.Context, p plan) error {
	assets, keys := p.files.Assets, cp.keys
	ports, err := freePorts(3)
	if err != nil {
		return err
	}
	client, peer := "http://127.0.0.1:"+ports[0], "http://127.0.0.1:"+ports[1]
	data := cp.run.path(etcdFolder)
	for _, path := range []string{data, cp.run.log("etcd"), cp.run.log("kube-apiserver")} {
		if err := os.RemoveAll(path); err != nil {
			return fmt.Errorf("clear what the attempt before left: %w", err)
		}
	}
	if p.restored {
		if err := p.kept.restore(ctx, data); err != nil {
			return err
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
	if user := p.options.AuditedUser; user != "" {
		flags, err := cp.auditFlags(user)
		if err != nil {
			return err
		}
		args = append(args, flags...)
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
	cp.record(etcd)
	cp.record(server)
	return waitReady(ctx, cp.admin, etcd, server)
}

func (cp *ControlPlane) startControllerManager(assets string) (*supervise.Process, error) {
	config := rest.CopyConfig(cp.admin)
	config.CertData, config.KeyData = cp.keys.controllerManager.certificate, cp.keys.controllerManager.key
	kubeconfig := cp.run.path("controller-manager.kubeconfig")
	if err := cp.WriteKubeconfig(kubeconfig, config); err != nil {
		return nil, err
	}
	manager, err := cp.group.Start("kube-controller-manager", cp.run.log("kube-controller-manager"), filepath.Join(assets, "kube-controller-manager"),
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
	if err != nil {
		return nil, err
	}
	cp.record(manager)
	return manager, nil
}
