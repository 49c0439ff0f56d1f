// Package controlplane runs a real Kubernetes control plane for tests: etcd,
// kube-apiserver and kube-controller-manager, built from their Go modules, with
// the CustomResourceDefinitions of KubeVirt, CDI and network attachments. There
// is no node: nothing schedules or runs pods. It needs Linux and the Go command.
//
// The first use on a machine compiles for minutes (make controlplane does it
// ahead); after that a start takes a few seconds. Whatever way the process that
// called Start ends, nothing is left running.
package controlplane

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"k8s.io/client-go/rest"

	"cato.dev/cato/test/controlplane/internal/supervise"
)

// startTimeout bounds a start once everything is built. On a quiet machine it
// takes five seconds; the bound is for machines that do other work as well.
const startTimeout = 3 * time.Minute

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
	group    *supervise.Group
	progress io.Writer

	mu       sync.Mutex
	keepLogs bool
	stopped  bool
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
	files, err := build(ctx, progress, sets)
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
		progress: progress,
	}
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout, fmt.Errorf("the control plane was not ready after %s", startTimeout))
	defer cancel()
	if err := cp.start(ctx, files.Assets, crds); err != nil {
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
	if cp.keepLogs {
		place, err := cp.run.keepLogs()
		if err != nil {
			_, _ = fmt.Fprintf(cp.progress, "controlplane: the logs could not be kept: %v\n", err)
		} else {
			_, _ = fmt.Fprintf(cp.progress, "controlplane: the logs are kept in %s\n", place)
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
