// Package controlplane runs a real Kubernetes cluster for tests, built from Go
// modules. A bare one is etcd, kube-apiserver and kube-controller-manager with
// the CustomResourceDefinitions of KubeVirt, CDI and network attachments:
// nothing schedules or runs pods. With nodes there are kube-scheduler and real
// kubelets, whose containers are processes of this machine with a network of
// their own, and on them KubeVirt and CDI as their operators would install
// them. It needs Linux and the Go command; nodes need root.
//
// Stand-ins, of which a test must claim nothing: virt-handler, virt-launcher
// and the guest (no VM runs), the container runtime (no images, users or
// limits), kube-proxy, DNS, and the volume provisioner. Network policies are
// not enforced, and virt-operator and cdi-operator do not run.
//
// The first use on a machine compiles for minutes (make controlplane does it
// ahead); after that a start takes a few seconds. Whatever way the process that
// called Start ends, nothing is left running.
package controlplane

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"k8s.io/client-go/rest"

	"cato.dev/cato/test/controlplane/internal/bridge"
	"cato.dev/cato/test/controlplane/internal/supervise"
)

// startTimeout bounds a start once everything is built. On a quiet machine it
// takes five seconds; the bound is for machines that do other work as well.
const startTimeout = 6 * time.Minute

// CRDSet names a set of CustomResourceDefinitions.
type CRDSet string

// The sets that a control plane can have.
const (
	KubeVirtCRDs          CRDSet = "kubevirt"
	CDICRDs               CRDSet = "cdi"
	NetworkAttachmentCRDs CRDSet = "network-attachment"
)

// Options says what control plane is wanted. The zero value is one with all
// sets of CustomResourceDefinitions.
type Options struct {
	// CRDs are the sets to install: nil is all, an empty slice is none.
	CRDs []CRDSet
	// CRDDirectories are folders whose *.yaml, *.yml and *.json files hold more
	// CustomResourceDefinitions, such as config/crd. Other kinds are ignored.
	CRDDirectories []string
	// KubeVirt runs virt-api and virt-controller, with a stand-in for
	// virt-handler on each node.
	KubeVirt bool
	// CDI runs CDI's API server, controller and upload proxy, and with them its
	// importers, upload servers and cloners.
	CDI bool
	// Nodes is the number of nodes, at most 9. KubeVirt and CDI need one at
	// least, and have one if this is 0. Nodes need root, iproute2, and for CDI
	// qemu-img and nbdkit.
	Nodes int
	// WithoutPopulators leaves the CSIDriver object of the StorageClasses out:
	// CDI then fills volumes on its older path, without volume populators.
	WithoutPopulators bool
	// FilesystemOverhead is the share of a volume that CDI leaves for the
	// filesystem, such as "0.1", by the name of a StorageClass.
	FilesystemOverhead map[string]string
	// AuditedUser is the user whose requests the API server writes to AuditLog,
	// without their bodies; nobody's if this is empty.
	AuditedUser string
	// Progress gets the lines that tell about builds, waits and failures; nil
	// is standard error.
	Progress io.Writer
}

// ControlPlane is a running control plane. It is safe for concurrent use.
type ControlPlane struct {
	// Kubeconfig is the path of a kubeconfig for an administrator
	// (system:masters), readable by the owner only.
	Kubeconfig string
	// Logs is the folder with one log a component.
	Logs string

	admin    *rest.Config
	kubectl  string
	run      runFolder
	nodes    int
	network  bridge.Bridge
	guard    *bridge.Guard
	keys     credentials
	group    *supervise.Group
	progress io.Writer

	mu         sync.Mutex
	components map[string]*supervise.Process
	sources    []*http.Server
	keepLogs   bool
	stopped    bool
}

// Start builds what is missing, starts a control plane on free ports of
// 127.0.0.1, and returns when the API server is ready, the default
// ServiceAccount exists and all CustomResourceDefinitions are established. The
// context ends the start, not the control plane: that is Stop.
//
// When the start fails, nothing is left running, the logs are kept and the
// error says where.
func Start(ctx context.Context, o Options) (*ControlPlane, error) {
	progress := o.Progress
	if progress == nil {
		progress = os.Stderr
	}
	progress = &lockedWriter{w: progress}
	sets := o.CRDs
	if sets == nil {
		sets = []CRDSet{KubeVirtCRDs, CDICRDs, NetworkAttachmentCRDs}
	}
	if o.Nodes == 0 && (o.KubeVirt || o.CDI) {
		o.Nodes = 1
	}
	if err := checkOptions(o, sets); err != nil {
		return nil, err
	}
	files, err := build(ctx, progress, sets, o)
	if err != nil {
		return nil, err
	}
	crds, err := loadCRDs(files, sets, o.CRDDirectories)
	if err != nil {
		return nil, err
	}
	run, err := newRunFolder(progress)
	if err != nil {
		return nil, err
	}
	cp := &ControlPlane{
		Logs:     run.logs(),
		kubectl:  filepath.Join(files.Assets, "kubectl"),
		run:      run,
		nodes:    o.Nodes,
		progress: progress,

		components: map[string]*supervise.Process{},
	}
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout, fmt.Errorf("the control plane was not ready after %s", startTimeout))
	defer cancel()
	if err := cp.start(ctx, o, files, crds); err != nil {
		cp.KeepLogs()
		cp.Stop()
		return nil, fmt.Errorf("start the control plane: %w", err)
	}
	return cp, nil
}

// KeepLogs makes Stop keep the logs and print where they are: for the end of a
// run that failed.
func (cp *ControlPlane) KeepLogs() {
	cp.mu.Lock()
	defer cp.mu.Unlock()
	cp.keepLogs = true
}

// Folder makes a folder that ends with the control plane: Stop removes it, and
// after a killed process the next start does.
func (cp *ControlPlane) Folder(name string) (string, error) {
	path := cp.run.path(name)
	if err := os.Mkdir(path, 0o700); err != nil {
		return "", fmt.Errorf("make a folder in the run's: %w", err)
	}
	return path, nil
}

// Stop ends all processes at once, with all state, and removes the folder of
// the run. A second call does nothing.
func (cp *ControlPlane) Stop() {
	cp.mu.Lock()
	defer cp.mu.Unlock()
	if cp.stopped {
		return
	}
	cp.stopped = true
	if cp.group != nil {
		cp.group.Stop()
	}
	for _, source := range cp.sources {
		_ = source.Close()
	}
	if cp.keepLogs {
		place, err := cp.run.keepLogs()
		if err != nil {
			_, _ = fmt.Fprintf(cp.progress, "controlplane: the logs could not be kept: %v\n", err)
		} else {
			_, _ = fmt.Fprintf(cp.progress, "controlplane: the logs are kept in %s\n", place)
		}
	}
	if cp.guard != nil {
		if err := cp.guard.Release(); err != nil {
			_, _ = fmt.Fprintf(cp.progress, "controlplane: %v\n", err)
		}
	}
	if err := cp.run.remove(); err != nil {
		_, _ = fmt.Fprintf(cp.progress, "controlplane: remove the run's folder: %v\n", err)
	}
}

// lockedWriter lets the goroutines that report an unexpected end share a
// writer with the caller.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}
