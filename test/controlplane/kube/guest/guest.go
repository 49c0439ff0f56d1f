// Package guest is the stand-in for virt-handler and virt-launcher, which need
// libvirt and KVM. It does virt-handler's part of the contract with
// virt-controller, as virt-handler's ServiceAccount: the node's labels and
// heartbeat, and the phases of the VirtualMachineInstances of the node. No
// guest runs, so all that it says about one is made up.
package guest

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	toolswatch "k8s.io/client-go/tools/watch"
	"k8s.io/klog/v2"
)

const (
	// beat is how often the heartbeat is renewed; virt-controller takes a node
	// without one for five minutes as unresponsive.
	beat = time.Minute
	// again is how long to wait after an error.
	again = 500 * time.Millisecond
	// reason marks the conditions that are made up.
	reason = "VirtHandlerStandIn"
)

// StandIn plays virt-handler for one node.
type StandIn struct {
	Node string
	// Handler is the configuration of virt-handler's ServiceAccount.
	Handler *rest.Config
	// Kubelet is a client with the rights of the node, which knows the
	// addresses of its pods.
	Kubelet kubernetes.Interface
}

// Run plays until the context ends.
func (s StandIn) Run(ctx context.Context) error {
	client, err := kubernetes.NewForConfig(s.Handler)
	if err != nil {
		return fmt.Errorf("make a client for virt-handler's stand-in: %w", err)
	}
	dyn, err := dynamic.NewForConfig(s.Handler)
	if err != nil {
		return fmt.Errorf("make a client for virt-handler's stand-in: %w", err)
	}
	go wait.UntilWithContext(ctx, func(ctx context.Context) { s.heartbeat(ctx, client) }, beat)
	wait.UntilWithContext(ctx, func(ctx context.Context) {
		if err := s.follow(ctx, dyn); err != nil && ctx.Err() == nil {
			klog.Background().Error(err, "virt-handler's stand-in begins anew")
		}
	}, again)
	return nil
}

// heartbeat labels the node as one that instances can be scheduled to.
func (s StandIn) heartbeat(ctx context.Context, client kubernetes.Interface) {
	patch := fmt.Sprintf(`{"metadata":{"annotations":{"kubevirt.io/heartbeat":%q},"labels":{%q:"true",%q:"true",%q:"false"}}}`,
		time.Now().UTC().Format(time.RFC3339), "kubevirt.io/schedulable", "machine-type.node.kubevirt.io/q35", "kubevirt.io/cpu-manager")
	err := wait.PollUntilContextCancel(ctx, again, true, func(ctx context.Context) (bool, error) {
		_, err := client.CoreV1().Nodes().Patch(ctx, s.Node, types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{})
		return err == nil, nil // the node may not be registered yet
	})
	if err != nil && ctx.Err() == nil {
		klog.Background().Error(err, "virt-handler's stand-in: heartbeat")
	}
}

// follow handles the node's instances until the watch breaks.
func (s StandIn) follow(ctx context.Context, dyn dynamic.Interface) error {
	resource := dyn.Resource(schema.GroupVersionResource{Group: "kubevirt.io", Version: "v1", Resource: "virtualmachineinstances"})
	selector := "kubevirt.io/nodeName=" + s.Node
	list, err := resource.List(ctx, metav1.ListOptions{LabelSelector: selector})
	if err != nil {
		return fmt.Errorf("list the node's instances: %w", err)
	}
	for i := range list.Items {
		if err := s.handle(ctx, resource, &list.Items[i]); err != nil {
			return err
		}
	}
	watch, err := toolswatch.NewRetryWatcherWithContext(ctx, list.GetResourceVersion(), &cache.ListWatch{
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watchInterface, error) {
			o.LabelSelector = selector
			return resource.Watch(ctx, o)
		},
	})
	if err != nil {
		return fmt.Errorf("watch the node's instances: %w", err)
	}
	defer watch.Stop()
	for event := range watch.ResultChan() {
		instance, ok := event.Object.(*unstructured.Unstructured)
		if !ok || event.Type == "DELETED" {
			continue
		}
		if err := s.handle(ctx, resource, instance); err != nil {
			return err
		}
	}
	return nil
}

// handle moves an instance to its next phase, if it has one here.
func (s StandIn) handle(ctx context.Context, resource dynamic.NamespaceableResourceInterface, instance *unstructured.Unstructured) error {
	phase, _, err := unstructured.NestedString(instance.Object, "status", "phase")
	if err != nil {
		return err
	}
	next := nextPhase(phase, instance.GetDeletionTimestamp() != nil)
	if next == "" {
		return nil
	}
	address := ""
	if next == running {
		if address, err = s.podAddress(ctx, instance); err != nil {
			return err
		}
	}
	if err := move(instance, next, address, time.Now()); err != nil {
		return err
	}
	// An update as virt-handler makes it: a merge patch would drop the nulls in
	// virt-controller's conditions, whose own JSON patches then never apply.
	_, err = resource.Namespace(instance.GetNamespace()).Update(ctx, instance, metav1.UpdateOptions{})
	if err != nil {
		return fmt.Errorf("move instance %s/%s to %s: %w", instance.GetNamespace(), instance.GetName(), next, err)
	}
	return nil
}

// podAddress is the address of the instance's pod, which a guest behind
// masquerade reports as its own.
func (s StandIn) podAddress(ctx context.Context, instance *unstructured.Unstructured) (string, error) {
	pods, err := s.Kubelet.CoreV1().Pods(instance.GetNamespace()).List(ctx, metav1.ListOptions{
		LabelSelector: "kubevirt.io/created-by=" + string(instance.GetUID()),
		FieldSelector: "spec.nodeName=" + s.Node,
	})
	if err != nil {
		return "", fmt.Errorf("find the pod of instance %s/%s: %w", instance.GetNamespace(), instance.GetName(), err)
	}
	for _, pod := range pods.Items {
		if pod.Status.Phase == corev1.PodRunning {
			return pod.Status.PodIP, nil
		}
	}
	return "", nil
}
