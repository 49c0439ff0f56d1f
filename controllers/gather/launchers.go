package gather

import (
	"context"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
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
	known := map[types.UID]bool{}
	for i := range pods.Items {
		pod := &pods.Items[i]
		known[pod.UID] = true
		if metav1.IsControlledBy(pod, vmi) && !Ended(pod) {
			c.out.Launchers = append(c.out.Launchers, *pod)
		}
	}
	if c.FromFiles { // a dump need not hold pods
		return
	}
	// The cache holds the pods that carry KubeVirt's label. One that lost it runs on, and policies may no longer select it.
	for _, uid := range slices.Sorted(maps.Keys(vmi.Status.ActivePods)) {
		if !known[uid] {
			c.unseen(fmt.Sprintf("the pod with uid %s, which the instance's status.activePods names, is not among those labelled %s=virt-launcher: what selects it is not known; delete the pod or give it the label back",
				uid, kubevirtv1.AppLabel), path)
			return
		}
	}
}

// Ended tells whether a pod has stopped for good and so has no traffic.
func Ended(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}
