package controlplane_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"cato.dev/cato/test/controlplane"
	"cato.dev/cato/test/controlplane/internal/proc"
)

// driverVariable makes this test binary play the process that starts a control
// plane and is killed.
const driverVariable = "CATO_CONTROLPLANE_DRIVER"

func TestMain(m *testing.M) {
	if os.Getenv(driverVariable) != "" {
		cp, err := controlplane.Start(context.Background(), controlplane.Options{CRDs: []controlplane.CRDSet{}})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(filepath.Dir(cp.Logs))
		select {}
	}
	os.Exit(m.Run())
}

// children are the ids of the running children of a process.
func children(parent int) []int {
	var pids []int
	for _, p := range proc.All() {
		if p.Parent == parent && p.Running() {
			pids = append(pids, p.PID)
		}
	}
	return pids
}

func TestAControlPlaneIsRealAndLeavesNothing(t *testing.T) {
	ctx := t.Context()
	extra := t.TempDir()
	write(t, filepath.Join(extra, "kustomization.yaml"), "kind: Kustomization\n")
	write(t, filepath.Join(extra, "widgets.yaml"), widgets)
	begin := time.Now()
	cp, err := controlplane.Start(ctx, controlplane.Options{CRDDirectories: []string{extra}})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("started in %s", time.Since(begin))
	stopped := false
	t.Cleanup(func() {
		if !stopped {
			cp.KeepLogs()
			cp.Stop()
		}
	})
	client, err := kubernetes.NewForConfig(cp.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}

	t.Run("a namespace gets its default ServiceAccount", func(t *testing.T) {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "tenant"}}
		if _, err := client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		waitFor(t, "the ServiceAccount", func() bool {
			_, err := client.CoreV1().ServiceAccounts("tenant").Get(ctx, "default", metav1.GetOptions{})
			return err == nil
		})
	})
	t.Run("all CustomResourceDefinitions are served", func(t *testing.T) {
		for group, resource := range map[string]string{
			"kubevirt.io/v1": "virtualmachines", "cdi.kubevirt.io/v1beta1": "datavolumes",
			"k8s.cni.cncf.io/v1": "network-attachment-definitions", "example.com/v1": "widgets",
		} {
			list, err := client.Discovery().ServerResourcesForGroupVersion(group)
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, r := range list.APIResources {
				names = append(names, r.Name)
			}
			if !strings.Contains(strings.Join(names, " "), resource) {
				t.Errorf("%s serves %v, not %s", group, names, resource)
			}
		}
	})
	t.Run("kubectl sees the version that was asked for", func(t *testing.T) {
		out, err := cp.Kubectl(ctx, "version", "-o", "json")
		if err != nil {
			t.Fatal(err)
		}
		var version struct {
			ClientVersion, ServerVersion struct{ GitVersion string }
		}
		if err := json.Unmarshal([]byte(out), &version); err != nil {
			t.Fatal(err)
		}
		if c, s := version.ClientVersion.GitVersion, version.ServerVersion.GitVersion; c != s || !strings.HasPrefix(s, "v1.") {
			t.Errorf("client %q, server %q", c, s)
		}
		if _, err := cp.Kubectl(ctx, "get", "nothing"); err == nil || !strings.Contains(err.Error(), "doesn't have a resource type") {
			t.Errorf("the error does not hold kubectl's own words: %v", err)
		}
	})
	t.Run("RBAC refuses a ServiceAccount", func(t *testing.T) {
		config, err := cp.ConfigFor(ctx, "tenant", "default")
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "kubeconfig")
		if err := cp.WriteKubeconfig(path, config); err != nil {
			t.Fatal(err)
		}
		// What was written is what is used: the file must say the same.
		config, err = clientcmd.BuildConfigFromFlags("", path)
		if err != nil {
			t.Fatal(err)
		}
		account, err := kubernetes.NewForConfig(config)
		if err != nil {
			t.Fatal(err)
		}
		_, err = account.CoreV1().Secrets("tenant").List(ctx, metav1.ListOptions{})
		if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "system:serviceaccount:tenant:default") {
			t.Errorf("got %v, want the ServiceAccount to be forbidden", err)
		}
		if _, err := cp.ConfigFor(ctx, "tenant", "absent"); err == nil || !strings.Contains(err.Error(), "tenant/absent") {
			t.Errorf("got %v, want an error that names the ServiceAccount", err)
		}
	})

	pids := children(os.Getpid())
	if len(pids) != 3 {
		t.Errorf("want 3 children, got %v", pids)
	}
	folder := filepath.Dir(cp.Logs)
	own, err := cp.Folder("own")
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(own); err != nil || info.Mode().Perm() != 0o700 || filepath.Dir(own) != folder {
		t.Errorf("%s is no folder of the owner alone in the run's, %s: %v, %v", own, folder, info, err)
	}
	cp.Stop()
	stopped = true
	for _, pid := range pids {
		if proc.Running(pid) {
			t.Errorf("process %d still runs", pid)
		}
	}
	if _, err := os.Stat(folder); !os.IsNotExist(err) {
		t.Errorf("%s is still there: %v", folder, err)
	}
}

func TestAKilledDriverLeavesNothing(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	driver := exec.Command(os.Args[0])
	driver.Env = append(os.Environ(), driverVariable+"=1")
	driver.Stderr = os.Stderr
	out, err := driver.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := driver.Start(); err != nil {
		t.Fatal(err)
	}
	folder, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	folder = strings.TrimSpace(folder)
	pids := children(driver.Process.Pid)
	if len(pids) != 3 {
		t.Errorf("want 3 children, got %v", pids)
	}
	if err := driver.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = driver.Wait() // it was killed, so there is always an error
	for _, pid := range pids {
		waitFor(t, fmt.Sprintf("the end of process %d", pid), func() bool { return !proc.Running(pid) })
	}
	if _, err := os.Stat(folder); err != nil {
		t.Fatalf("nothing is left for the next start to remove: %v", err)
	}
	// A start cleans up first, also one that then fails.
	fakeAssets(t, "exit 1")
	if _, err := controlplane.Start(t.Context(), controlplane.Options{CRDs: []controlplane.CRDSet{}, Progress: io.Discard}); err == nil {
		t.Fatal("a control plane of fakes started")
	}
	if _, err := os.Stat(folder); !os.IsNotExist(err) {
		t.Errorf("the next start left the dead run's %s: %v", folder, err)
	}
}

func waitFor(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited too long for %s", what)
		}
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
		t.Fatal(err)
	}
}

const widgets = `apiVersion: v1
kind: Namespace
metadata: {name: not-a-definition}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Widget, listKind: WidgetList, plural: widgets, singular: widget}
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object}}
`
