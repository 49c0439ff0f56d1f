package gather

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// launchers reads the instance's pods: policies select pods, and somebody may
// have changed the labels of one.
func (c *collector) launchers(ctx context.Context, vmi *kubevirtv1.VirtualMachineInstance) {
	if vmi.UID == "" {
		return
	}
	const path = "network.launchers"
	if reason := c.Blind("pods", vmi.Namespace); reason != "" {
		c.unseen(reason, path)
		return
	}
	var pods corev1.PodList
	if err := c.Reader.List(ctx, &pods, client.InNamespace(vmi.Namespace), client.UnsafeDisableDeepCopy); err != nil {
		c.unreadable(err, "list", "pods", vmi.Namespace, path)
		return
	}
	for i := range pods.Items {
		pod := &pods.Items[i]
		if metav1.IsControlledBy(pod, vmi) && !Ended(pod) {
			c.out.Launchers = append(c.out.Launchers, *pod)
		}
	}
}

// Ended tells whether a pod has stopped for good and so has no traffic.
func Ended(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}
