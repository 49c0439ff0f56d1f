// Package lifecycle_test proves that clusters come and go without a trace, and
// that they fail when they are told to. Its clusters have nodes only.
package lifecycle_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"cato.dev/cato/test/controlplane"
)

// driverVariable makes this test binary play the process that starts a cluster
// and does not stop it.
const driverVariable = "CATO_CLUSTER_DRIVER"

func options(nodes int) controlplane.Options {
	return controlplane.Options{CRDs: []controlplane.CRDSet{}, Nodes: nodes}
}

func TestMain(m *testing.M) {
	if os.Getenv(driverVariable) == "" {
		os.Exit(m.Run())
	}
	cluster, err := controlplane.Start(context.Background(), options(1))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	client, err := kubernetes.NewForConfig(cluster.RESTConfig())
	if err == nil {
		err = runPod(context.Background(), client, "sleeper", "exec sleep 3600", corev1.PodRunning)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(filepath.Dir(cluster.Logs))
	select {}
}

// runPod runs a shell script in a pod and waits until the pod has a phase.
func runPod(ctx context.Context, client kubernetes.Interface, name, script string, phase corev1.PodPhase) error {
	return runPodOn(ctx, client, "", name, script, phase)
}

// runPodOn does so on one node; "" is any.
func runPodOn(ctx context.Context, client kubernetes.Interface, node, name, script string, phase corev1.PodPhase) error {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever,
			Containers:    []corev1.Container{{Name: "main", Image: "shell", Command: []string{"/bin/sh", "-c", script}}},
		},
	}
	if node != "" {
		pod.Spec.NodeSelector = map[string]string{corev1.LabelHostname: node}
	}
	pods := client.CoreV1().Pods("default")
	if _, err := pods.Create(ctx, pod, metav1.CreateOptions{}); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	return until(ctx, "pod "+name, func() (bool, error) {
		now, err := pods.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		return now.Status.Phase == phase, fmt.Errorf("it is %s on node %q: %v", now.Status.Phase, now.Spec.NodeName, now.Status.Conditions)
	})
}

func until(ctx context.Context, what string, done func() (bool, error)) error {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		ok, err := done()
		if ok {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waited too long for %s: %w", what, err)
		case <-tick.C:
		}
	}
}

func TestADriverThatEndsInAnyWayLeavesNothing(t *testing.T) {
	for name, signal := range map[string]syscall.Signal{"Ctrl-C": syscall.SIGINT, "kill -9": syscall.SIGKILL} {
		t.Run(name, func(t *testing.T) {
			// The paths of sockets below it must not become too long.
			dir, err := os.MkdirTemp("/tmp", "c-")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.RemoveAll(dir) })
			t.Setenv("TMPDIR", dir)
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
			network := strings.Join(traces(t), "\n")
			if !strings.Contains(network, folder) || len(processesOf(t, folder)) == 0 {
				t.Fatalf("the driver has no trace, so this test shows nothing: %s", network)
			}
			if err := driver.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			_ = driver.Wait() // it was killed, so there is always an error
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
			defer cancel()
			if err := until(ctx, "the traces to go", func() (bool, error) {
				_, err := os.Stat(folder)
				gone := os.IsNotExist(err) && len(processesOf(t, folder)) == 0
				return gone, fmt.Errorf("left: %v %v", processesOf(t, folder), traces(t))
			}); err != nil {
				t.Error(err)
			}
			for _, trace := range traces(t) {
				if strings.Contains(trace, folder) {
					t.Errorf("left: %s", trace)
				}
			}
		})
	}
}

func TestTwoClustersAtATimeDoNotDisturbEachOther(t *testing.T) {
	clusters := make([]*controlplane.ControlPlane, 2)
	failures := make([]error, 2)
	var wait sync.WaitGroup
	for i := range clusters {
		wait.Go(func() { clusters[i], failures[i] = controlplane.Start(t.Context(), options(1)) })
	}
	wait.Wait()
	for i, err := range failures {
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(clusters[i].Stop)
	}
	for i, cluster := range clusters {
		client, err := kubernetes.NewForConfig(cluster.RESTConfig())
		if err != nil {
			t.Fatal(err)
		}
		// The second still works when the first is gone.
		if err := runPod(t.Context(), client, "answer", "exit 0", corev1.PodSucceeded); err != nil {
			t.Errorf("cluster %d: %v", i, err)
		}
		if err := cluster.Check(t.Context()); err != nil {
			t.Errorf("cluster %d: %v", i, err)
		}
		folder := filepath.Dir(cluster.Kubeconfig)
		network := networkOf(t, folder)
		if len(tracesOf(t, folder, network)) == 0 {
			t.Errorf("cluster %d has no trace, so this test shows nothing", i)
		}
		cluster.Stop()
		for _, trace := range tracesOf(t, folder, network) {
			t.Errorf("left: %s", trace)
		}
	}
}

func TestANodeFailsAndComesBack(t *testing.T) {
	ctx := t.Context()
	cluster, err := controlplane.Start(ctx, options(2))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Stop)
	client, err := kubernetes.NewForConfig(cluster.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	failed := controlplane.NodeName(2)
	if err := cluster.FailNode(failed); err != nil {
		t.Fatal(err)
	}
	ready := func() (corev1.ConditionStatus, error) {
		node, err := client.CoreV1().Nodes().Get(ctx, failed, metav1.GetOptions{})
		if err != nil {
			return "", err
		}
		for _, condition := range node.Status.Conditions {
			if condition.Type == corev1.NodeReady {
				return condition.Status, nil
			}
		}
		return "", nil
	}
	limit, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	if err := until(limit, "the node to be unknown", func() (bool, error) {
		status, err := ready()
		return status == corev1.ConditionUnknown, err
	}); err != nil {
		t.Fatal(err)
	}
	// Pinned: the taint that keeps the scheduler off the failed node follows its condition by a moment.
	if err := runPodOn(ctx, client, controlplane.NodeName(1), "elsewhere", "exit 0", corev1.PodSucceeded); err != nil {
		t.Errorf("the other node does not work: %v", err)
	}
	for _, component := range []string{failed, "kube-apiserver", "kube-scheduler", "cluster"} {
		if err := cluster.RestartComponent(ctx, component); err != nil {
			t.Errorf("restart %s: %v", component, err)
		}
	}
	if status, err := ready(); status != corev1.ConditionTrue || err != nil {
		t.Errorf("the node that came back is ready: %q, %v", status, err)
	}
	if err := runPod(ctx, client, "after", "exit 0", corev1.PodSucceeded); err != nil {
		t.Errorf("after the restarts: %v", err)
	}
	if err := cluster.FailNode("node-3"); err == nil {
		t.Error("a node that does not exist fails")
	}
	if err := cluster.RestartComponent(ctx, "nothing"); err == nil {
		t.Error("a component that does not exist restarts")
	}
	if err := cluster.Check(ctx); err != nil {
		t.Errorf("what was killed on purpose counts as a defect: %v", err)
	}
}
