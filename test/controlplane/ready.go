package controlplane

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
)

// restartLimit is how often a container of KubeVirt or CDI may be restarted
// before it counts as a crash loop. virt-api and virt-controller end by
// themselves when CDI's CustomResourceDefinitions come or go.
const restartLimit = 4

// slowPoll is the time between two looks at many objects: more of them would
// take the CPU from what is waited for.
const slowPoll = 200 * time.Millisecond

// waitForProducts waits until nodes, Deployments and APIServices are ready and
// CDI has made its configuration.
func (cp *ControlPlane) waitForProducts(ctx context.Context, o Options) error {
	client, err := kubernetes.NewForConfig(cp.admin)
	if err != nil {
		return fmt.Errorf("make a client of the API server: %w", err)
	}
	dyn, err := dynamic.NewForConfig(cp.admin)
	if err != nil {
		return fmt.Errorf("make a client of the API server: %w", err)
	}
	if err := cp.waitForNodes(ctx, client); err != nil {
		return err
	}
	for _, namespace := range cp.productNamespaces(o) {
		if err := cp.waitForDeployments(ctx, client, namespace); err != nil {
			return err
		}
	}
	if err := waitEvery(ctx, slowPoll, "the APIServices", cp.running(), func() (bool, error) { return apiServicesAvailable(ctx, client, dyn) }); err != nil {
		return err
	}
	if !o.CDI {
		return nil
	}
	return waitEvery(ctx, slowPoll, "CDIConfig config", cp.running(), func() (bool, error) { return cdiConfigured(ctx, dyn) })
}

func (cp *ControlPlane) productNamespaces(o Options) []string {
	var namespaces []string
	if o.KubeVirt {
		namespaces = append(namespaces, kubeVirtNamespace)
	}
	if o.CDI {
		namespaces = append(namespaces, cdiNamespace)
	}
	return namespaces
}

func (cp *ControlPlane) waitForNodes(ctx context.Context, client kubernetes.Interface) error {
	for n := 1; n <= cp.nodes; n++ {
		if err := waitEvery(ctx, slowPoll, "node "+NodeName(n), cp.running(), func() (bool, error) {
			node, err := client.CoreV1().Nodes().Get(ctx, NodeName(n), metav1.GetOptions{})
			if apierrors.IsNotFound(err) {
				return false, nil
			}
			return err == nil && nodeReadySince(node, time.Time{}), err
		}); err != nil {
			return err
		}
	}
	return nil
}

// nodeReadySince tells whether a node's kubelet has said, not before a time,
// that the node is ready.
func nodeReadySince(node *corev1.Node, begin time.Time) bool {
	for _, condition := range node.Status.Conditions {
		if condition.Type == corev1.NodeReady {
			return condition.Status == corev1.ConditionTrue && !condition.LastHeartbeatTime.Time.Before(begin)
		}
	}
	return false
}

func podReady(pod *corev1.Pod) bool {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodReady {
			return condition.Status == corev1.ConditionTrue && pod.DeletionTimestamp == nil
		}
	}
	return false
}

// waitForDeployments waits until all Deployments of a namespace are as wanted;
// a container in a crash loop ends the wait with its log.
func (cp *ControlPlane) waitForDeployments(ctx context.Context, client kubernetes.Interface, namespace string) error {
	return waitEvery(ctx, slowPoll, "the Deployments of namespace "+namespace, cp.running(), func() (bool, error) {
		if err := cp.crashLoop(ctx, client, namespace); err != nil {
			return false, err
		}
		deployments, err := client.AppsV1().Deployments(namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		pods, err := client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		ready := 0
		for i := range pods.Items {
			if podReady(&pods.Items[i]) {
				ready++
			}
		}
		// In a kept cluster the Deployments still tell of the pods of then.
		if ready < len(deployments.Items) {
			return false, nil
		}
		for i := range deployments.Items {
			if !deploymentReady(&deployments.Items[i]) {
				return false, nil
			}
		}
		return true, nil
	})
}

func deploymentReady(d *appsv1.Deployment) bool {
	wanted := int32(1)
	if d.Spec.Replicas != nil {
		wanted = *d.Spec.Replicas
	}
	return d.Status.ObservedGeneration >= d.Generation && d.Status.UpdatedReplicas == wanted &&
		d.Status.Replicas == wanted && d.Status.AvailableReplicas == wanted
}

// crashLoop is an error that names a container of the namespace that was
// restarted too often, with the place of its log.
func (cp *ControlPlane) crashLoop(ctx context.Context, client kubernetes.Interface, namespace string) error {
	pods, err := client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	var found []error
	for i := range pods.Items {
		pod := &pods.Items[i]
		for _, status := range pod.Status.ContainerStatuses {
			if status.RestartCount < restartLimit {
				continue
			}
			reason := "unknown"
			if last := status.LastTerminationState.Terminated; last != nil {
				reason = fmt.Sprintf("exit code %d", last.ExitCode)
			}
			found = append(found, fmt.Errorf("container %s of pod %s/%s was restarted %d times, the last time after %s (logs: %s)",
				status.Name, namespace, pod.Name, status.RestartCount, reason, cp.podLogs(pod)))
		}
	}
	return errors.Join(found...)
}

// apiServicesAvailable tells whether all aggregated APIs answer. Their
// conditions alone do not tell: in a kept cluster they are those of then.
func apiServicesAvailable(ctx context.Context, client kubernetes.Interface, dyn dynamic.Interface) (bool, error) {
	resource := schema.GroupVersionResource{Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices"}
	list, err := dyn.Resource(resource).List(ctx, metav1.ListOptions{})
	if err != nil {
		return false, err
	}
	for _, item := range list.Items {
		service, aggregated, err := unstructured.NestedString(item.Object, "spec", "service", "name")
		if err != nil {
			return false, err
		}
		conditions, _, err := unstructured.NestedSlice(item.Object, "status", "conditions")
		if err != nil {
			return false, err
		}
		available := slices.ContainsFunc(conditions, func(condition any) bool {
			fields, ok := condition.(map[string]any)
			return ok && fields["type"] == "Available" && fields["status"] == "True"
		})
		if !available {
			return false, nil
		}
		if !aggregated || service == "" {
			continue
		}
		version, _, err := unstructured.NestedString(item.Object, "spec", "version")
		if err != nil {
			return false, err
		}
		group, _, err := unstructured.NestedString(item.Object, "spec", "group")
		if err != nil {
			return false, err
		}
		if _, err := client.Discovery().ServerResourcesForGroupVersion(group + "/" + version); err != nil {
			return false, nil // not yet
		}
	}
	return true, nil
}

// cdiConfigured tells whether CDI's controller has written what it derives
// from the cluster: before that it judges by nothing.
func cdiConfigured(ctx context.Context, client dynamic.Interface) (bool, error) {
	resource := schema.GroupVersionResource{Group: "cdi.kubevirt.io", Version: "v1beta1", Resource: "cdiconfigs"}
	config, err := client.Resource(resource).Get(ctx, "config", metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	global, _, err := unstructured.NestedString(config.Object, "status", "filesystemOverhead", "global")
	return global != "", err
}
