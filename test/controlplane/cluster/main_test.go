// Package cluster_test proves that a test cluster with a node runs the real
// KubeVirt and CDI. All tests share one cluster and have a namespace each.
package cluster_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	kubevirtv1 "kubevirt.io/api/core/v1"
	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
	uploadv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/upload/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"cato.dev/cato/test/controlplane"
)

// shared is what all tests use.
type shared struct {
	cluster *controlplane.ControlPlane
	client  client.Client
	// source is the URL of the folder with the image, and dir the folder.
	source, dir string
}

// the is set by TestMain before any test runs.
var the shared

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (code int, err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	begin := time.Now()
	cluster, err := controlplane.Start(ctx, controlplane.Options{KubeVirt: true, CDI: true, Nodes: 1})
	if err != nil {
		return 1, err
	}
	fmt.Printf("the cluster started in %s\n", time.Since(begin).Round(100*time.Millisecond))
	defer cluster.Stop()
	context.AfterFunc(ctx, cluster.Stop)
	dir, err := os.MkdirTemp("", "cato-cluster-test-")
	if err != nil {
		return 1, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if the, err = prepare(ctx, cluster, dir); err != nil {
		return 1, err
	}
	code = m.Run()
	if err := cluster.Check(ctx); err != nil {
		return 1, err
	}
	if code != 0 {
		cluster.KeepLogs()
	}
	return code, nil
}

func prepare(ctx context.Context, cluster *controlplane.ControlPlane, dir string) (shared, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, kubevirtv1.AddToScheme, cdiv1.AddToScheme, uploadv1.AddToScheme} {
		if err := add(scheme); err != nil {
			return shared{}, err
		}
	}
	c, err := client.New(cluster.RESTConfig(), client.Options{Scheme: scheme})
	if err != nil {
		return shared{}, err
	}
	if err := makeImage(ctx, dir); err != nil {
		return shared{}, err
	}
	source, err := cluster.HTTPSource(dir)
	return shared{cluster: cluster, client: c, source: source, dir: dir}, err
}

const (
	rawImage = "disk.raw"
	image    = "disk.qcow2"
)

// makeImage makes a disk of 4 MiB, half of it random, raw and as qcow2.
func makeImage(ctx context.Context, dir string) error {
	data := make([]byte, 4<<20)
	if _, err := io.ReadFull(rand.NewChaCha8([32]byte{1}), data[:2<<20]); err != nil {
		return err
	}
	raw := filepath.Join(dir, rawImage)
	if err := os.WriteFile(raw, data, 0o644); err != nil {
		return err
	}
	out, err := exec.CommandContext(ctx, "qemu-img", "convert", "-f", "raw", "-O", "qcow2", raw, filepath.Join(dir, image)).CombinedOutput()
	if err != nil {
		return fmt.Errorf("qemu-img: %w: %s", err, out)
	}
	return nil
}

// sum is the SHA-256 of a file in hexadecimal.
func sum(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:])
}

// imageSum is the checksum of the served image as CDI wants it.
func imageSum(t *testing.T) string {
	t.Helper()
	return "sha256:" + sum(t, filepath.Join(the.dir, image))
}

// namespace makes a namespace for the test.
func namespace(t *testing.T) string {
	t.Helper()
	name := strings.ToLower(strings.NewReplacer("/", "-", "_", "-").Replace(t.Name()))
	if len(name) > 40 {
		name = name[:40]
	}
	create(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: strings.Trim(name, "-")}})
	return strings.Trim(name, "-")
}

func create(t *testing.T, object client.Object) {
	t.Helper()
	if err := the.client.Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
}

// patience is how long a condition is waited for.
const patience = 5 * time.Minute

// eventually waits until the object is as wanted; failed ends the wait early.
func eventually[T client.Object](t *testing.T, what string, object T, done func(T) bool, failed ...func(T) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	key := client.ObjectKeyFromObject(object)
	for {
		err := the.client.Get(ctx, key, object)
		if err == nil && done(object) {
			return
		}
		for _, f := range failed {
			if err == nil && f(object) {
				t.Fatalf("%s: it will not become so any more: %s", what, describe(object))
			}
		}
		select {
		case <-ctx.Done():
			t.Fatalf("waited too long for %s: %v: %s", what, err, describe(object))
		case <-tick.C:
		}
	}
}

// gone waits until an object is no more.
func gone(t *testing.T, object client.Object) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		err := the.client.Get(ctx, client.ObjectKeyFromObject(object), object)
		if apierrors.IsNotFound(err) {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("waited too long for the end of %s: %v", describe(object), err)
		case <-tick.C:
		}
	}
}
