package controlplane

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"cato.dev/cato/test/controlplane/internal/supervise"
)

// template is a folder that keeps a cluster in which all is installed: the data
// of etcd, and the keys and certificates that fit it. A start from it has
// nothing to install. It holds keys, so only its owner may enter it.
type template string

const (
	// keptTemplates is how many are kept, the ones used last.
	keptTemplates = 4
	keysFile      = "keys.json"
	etcdFolder    = "etcd"
)

// templateOf is where the template is kept for a cluster with these contents.
// What decides is the programs, the objects and the addresses; nodes join anew
// with each start, so their number does not count.
func (cp *ControlPlane) templateOf(files Set, crds []definition, objects []object) (template, error) {
	h := sha256.New() // writing to a hash never fails
	_, _ = fmt.Fprintln(h, files.Assets, files.KubeVirt, files.CDI, cp.serviceRange())
	for _, crd := range crds {
		_, _ = fmt.Fprintln(h, crd.name, string(crd.json))
	}
	data, err := json.Marshal(objects) // the keys of maps come sorted
	if err != nil {
		return "", fmt.Errorf("describe the cluster's objects: %w", err)
	}
	_, _ = h.Write(data)
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the user's cache folder: %w", err)
	}
	return template(filepath.Join(cache, "cato", "controlplane", "templates", hex.EncodeToString(h.Sum(nil)))), nil
}

// load reads the keys of a template into a run's folder; false means that
// there is none.
func (t template) load(run runFolder) (credentials, bool, error) {
	data, err := os.ReadFile(filepath.Join(string(t), keysFile))
	if errors.Is(err, os.ErrNotExist) {
		return credentials{}, false, nil
	}
	if err != nil {
		return credentials{}, false, fmt.Errorf("read the kept cluster: %w", err)
	}
	var stored storedCredentials
	if err := json.Unmarshal(data, &stored); err != nil {
		return credentials{}, false, fmt.Errorf("read the kept cluster: %w", err)
	}
	keys, err := stored.credentials()
	if err != nil {
		return credentials{}, false, fmt.Errorf("read the kept cluster: %w", err)
	}
	for name, content := range stored.Files {
		if err := os.WriteFile(run.path(name), content, 0o600); err != nil {
			return credentials{}, false, fmt.Errorf("write the run's credentials: %w", err)
		}
	}
	now := time.Now()
	return keys, true, os.Chtimes(string(t), now, now)
}

// restore copies the data of etcd.
func (t template) restore(ctx context.Context, data string) error {
	return copyFolder(ctx, filepath.Join(string(t), etcdFolder), data)
}

// save keeps the cluster. For the moment of the copy etcd stands still, so the
// copy is what a crash at that moment would have left, which etcd can read.
func (t template) save(ctx context.Context, run runFolder, keys credentials, etcd *supervise.Process) error {
	home := filepath.Dir(string(t))
	if err := os.MkdirAll(home, 0o700); err != nil {
		return fmt.Errorf("keep the cluster: %w", err)
	}
	tmp, err := os.MkdirTemp(home, "tmp-")
	if err != nil {
		return fmt.Errorf("keep the cluster: %w", err)
	}
	defer func() { _ = os.RemoveAll(tmp) }()
	if err := etcd.Signal(syscall.SIGSTOP); err != nil {
		return fmt.Errorf("keep the cluster: %w", err)
	}
	err = copyFolder(ctx, run.path(etcdFolder), filepath.Join(tmp, etcdFolder))
	if err := errors.Join(err, etcd.Signal(syscall.SIGCONT)); err != nil {
		return fmt.Errorf("keep the cluster: %w", err)
	}
	stored, err := store(run, keys)
	if err != nil {
		return fmt.Errorf("keep the cluster: %w", err)
	}
	data, err := stored.encode()
	if err != nil {
		return fmt.Errorf("keep the cluster: %w", err)
	}
	// Without this file there is no template, so it comes last.
	if err := os.WriteFile(filepath.Join(tmp, keysFile), data, 0o600); err != nil {
		return fmt.Errorf("keep the cluster: %w", err)
	}
	if err := os.Rename(tmp, string(t)); err != nil && !errors.Is(err, os.ErrExist) && !errors.Is(err, syscall.ENOTEMPTY) {
		return fmt.Errorf("keep the cluster: %w", err)
	}
	return pruneTemplates(home)
}

func (t template) remove() error { return os.RemoveAll(string(t)) }

// pruneTemplates removes all but the templates used last, and what killed
// processes left.
func pruneTemplates(home string) error {
	entries, err := os.ReadDir(home)
	if err != nil {
		return err
	}
	used := map[string]time.Time{}
	var names []string
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			continue // another process has just removed it
		}
		if strings.HasPrefix(e.Name(), "tmp-") && time.Since(info.ModTime()) < newFor {
			continue // being made
		}
		names = append(names, e.Name())
		used[e.Name()] = info.ModTime()
	}
	slices.SortFunc(names, func(a, b string) int { return used[b].Compare(used[a]) })
	var failures []error
	for _, name := range names[min(keptTemplates, len(names)):] {
		failures = append(failures, os.RemoveAll(filepath.Join(home, name)))
	}
	return errors.Join(failures...)
}

func copyFolder(ctx context.Context, from, to string) error {
	out, err := exec.CommandContext(ctx, "cp", "--archive", "--sparse=always", "--reflink=auto", from, to).CombinedOutput()
	if err != nil {
		return fmt.Errorf("copy %s: %w: %s", from, err, strings.TrimSpace(string(out)))
	}
	return nil
}

// forget deletes what a kept cluster knows of the processes of the run that it
// was made in: nodes, their pods, and the leases of those who led.
func (cp *ControlPlane) forget(ctx context.Context) error {
	client, err := kubernetes.NewForConfig(cp.admin)
	if err != nil {
		return fmt.Errorf("make a client of the API server: %w", err)
	}
	now := int64(0)
	at := metav1.DeleteOptions{GracePeriodSeconds: &now}
	if err := client.CoreV1().Nodes().DeleteCollection(ctx, at, metav1.ListOptions{}); err != nil {
		return fmt.Errorf("forget the nodes of the kept cluster: %w", err)
	}
	namespaces, err := client.CoreV1().Namespaces().List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("list the namespaces of the kept cluster: %w", err)
	}
	for _, namespace := range namespaces.Items {
		if err := client.CoreV1().Pods(namespace.Name).DeleteCollection(ctx, at, metav1.ListOptions{}); err != nil {
			return fmt.Errorf("forget the pods of the kept cluster: %w", err)
		}
		if err := client.CoordinationV1().Leases(namespace.Name).DeleteCollection(ctx, at, metav1.ListOptions{}); err != nil {
			return fmt.Errorf("forget the leases of the kept cluster: %w", err)
		}
	}
	return nil
}
