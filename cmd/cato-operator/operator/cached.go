package operator

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	kubevirtv1 "kubevirt.io/api/core/v1"
	instancetypeapi "kubevirt.io/api/instancetype"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	platformapi "cato.dev/cato/api/platform"
)

// cachedParts bounds what is kept of kinds of which a cluster holds many that
// are no part of a machine.
func cachedParts(namespace string) (map[client.Object]cache.ByObject, error) {
	pinned, err := labels.NewRequirement(instancetypeapi.ControllerRevisionObjectKindLabel, selection.Exists, nil)
	if err != nil {
		return nil, fmt.Errorf("selector of pinned instancetypes: %w", err)
	}
	return map[client.Object]cache.ByObject{
		&corev1.Pod{}:                {Label: labels.SelectorFromSet(labels.Set{kubevirtv1.AppLabel: "virt-launcher"}), Transform: launcherOnly},
		&appsv1.ControllerRevision{}: {Label: labels.NewSelector().Add(*pinned)},
		&corev1.ConfigMap{}:          {Namespaces: map[string]cache.Config{namespace: {FieldSelector: fields.OneTermEqualSelector("metadata.name", platformapi.ConfigMapName)}}},
		&appsv1.DaemonSet{}:          {Field: fields.OneTermEqualSelector("metadata.name", platformapi.BridgesName)},
		&corev1.Node{}:               {Transform: addressesOnly},
	}, nil
}

// addressesOnly keeps of a Node its name and addresses.
func addressesOnly(object any) (any, error) {
	node, ok := object.(*corev1.Node)
	if !ok {
		return object, nil
	}
	return &corev1.Node{
		TypeMeta: node.TypeMeta,
		ObjectMeta: metav1.ObjectMeta{
			Name: node.Name, UID: node.UID, ResourceVersion: node.ResourceVersion, CreationTimestamp: node.CreationTimestamp, DeletionTimestamp: node.DeletionTimestamp,
		},
		Status: corev1.NodeStatus{Addresses: node.Status.Addresses},
	}, nil
}

// launcherOnly keeps of a launcher pod what policies select by, whose it is and
// whether it has ended.
func launcherOnly(object any) (any, error) {
	pod, ok := object.(*corev1.Pod)
	if !ok {
		return object, nil
	}
	return &corev1.Pod{
		TypeMeta: pod.TypeMeta,
		ObjectMeta: metav1.ObjectMeta{
			Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID, ResourceVersion: pod.ResourceVersion, Labels: pod.Labels,
			OwnerReferences: pod.OwnerReferences, CreationTimestamp: pod.CreationTimestamp, DeletionTimestamp: pod.DeletionTimestamp,
		},
		Status: corev1.PodStatus{Phase: pod.Status.Phase},
	}, nil
}
