package controlplane

import (
	"context"
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"cato.dev/cato/test/controlplane/internal/supervise"
)

// FailNode makes a node fail as if its power were cut: the kubelet and all
// containers of the node are gone at once and nobody is told. RestartComponent
// with the node's name brings it back.
func (cp *ControlPlane) FailNode(name string) error {
	process, ok := cp.component(name)
	if !ok || !strings.HasPrefix(name, nodePrefix) {
		return fmt.Errorf("fail node %q: there is no such node", name)
	}
	cp.group.Kill(process)
	return nil
}

// RestartComponent kills a component, starts it anew and waits until it is
// ready. It is etcd, kube-apiserver, kube-controller-manager, kube-scheduler,
// cluster (names and addresses of Services, volumes), a node, or a Deployment of
// KubeVirt or CDI: virt-api, virt-controller, cdi-apiserver, cdi-deployment,
// cdi-uploadproxy.
func (cp *ControlPlane) RestartComponent(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout, fmt.Errorf("%s was not ready after %s", name, startTimeout))
	defer cancel()
	process, ok := cp.component(name)
	if !ok {
		return cp.restartDeployment(ctx, name)
	}
	begin := time.Now()
	process, err := cp.group.Restart(process)
	if err != nil {
		return err
	}
	cp.record(process)
	// Without etcd the API server is not ready either.
	if err := waitReady(ctx, cp.admin, cp.running()...); err != nil {
		return err
	}
	if !strings.HasPrefix(name, nodePrefix) {
		return nil
	}
	client, err := kubernetes.NewForConfig(cp.admin)
	if err != nil {
		return fmt.Errorf("make a client of the API server: %w", err)
	}
	return waitEvery(ctx, slowPoll, "node "+name, []*supervise.Process{process}, func() (bool, error) {
		node, err := client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
		// Times of the API are whole seconds.
		return err == nil && nodeReadySince(node, begin.Truncate(time.Second)), err
	})
}

// restartDeployment deletes the pods of a Deployment of KubeVirt or CDI at once
// and waits for new ones.
func (cp *ControlPlane) restartDeployment(ctx context.Context, name string) error {
	namespace := cdiNamespace
	if strings.HasPrefix(name, "virt-") {
		namespace = kubeVirtNamespace
	}
	client, err := kubernetes.NewForConfig(cp.admin)
	if err != nil {
		return fmt.Errorf("make a client of the API server: %w", err)
	}
	deployment, err := client.AppsV1().Deployments(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return fmt.Errorf("restart %s: there is no process and no Deployment of this name: %w", name, err)
	}
	selector := metav1.FormatLabelSelector(deployment.Spec.Selector)
	old := map[string]bool{}
	pods, err := client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{LabelSelector: selector})
	if err != nil {
		return fmt.Errorf("restart %s: %w", name, err)
	}
	for _, pod := range pods.Items {
		old[string(pod.UID)] = true
		now := int64(0)
		if err := client.CoreV1().Pods(namespace).Delete(ctx, pod.Name, metav1.DeleteOptions{GracePeriodSeconds: &now}); err != nil {
			return fmt.Errorf("restart %s: %w", name, err)
		}
	}
	return waitEvery(ctx, slowPoll, "Deployment "+namespace+"/"+name, cp.running(), func() (bool, error) {
		pods, err := client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{LabelSelector: selector})
		if err != nil {
			return false, err
		}
		ready := 0
		for i := range pods.Items {
			if old[string(pods.Items[i].UID)] {
				return false, nil
			}
			if podReady(&pods.Items[i]) {
				ready++
			}
		}
		return ready > 0, nil
	})
}

// component is the process of a component.
func (cp *ControlPlane) component(name string) (*supervise.Process, bool) {
	cp.mu.Lock()
	defer cp.mu.Unlock()
	process, ok := cp.components[name]
	return process, ok
}
