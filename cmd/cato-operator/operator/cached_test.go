package operator

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

func TestOfPodsAndRevisionsOnlyThoseOfMachinesAreCached(t *testing.T) {
	parts, err := cachedParts("virtfoundry-system")
	if err != nil {
		t.Fatal(err)
	}
	for object, part := range parts {
		var ofMachine, other labels.Set
		switch object.(type) {
		case *corev1.Pod:
			ofMachine, other = labels.Set{"kubevirt.io": "virt-launcher", "app": "a"}, labels.Set{"kubevirt.io": "virt-api"}
		case *appsv1.ControllerRevision:
			ofMachine, other = labels.Set{"instancetype.kubevirt.io/object-kind": "VirtualMachineInstancetype"}, labels.Set{"app": "a"}
		case *corev1.ConfigMap:
			if only := part.Namespaces["virtfoundry-system"].FieldSelector; len(part.Namespaces) != 1 || only.String() != "metadata.name=virtfoundry-platform" {
				t.Errorf("ConfigMaps: %+v", part.Namespaces)
			}
			continue
		case *appsv1.DaemonSet:
			if part.Field.String() != "metadata.name=virtfoundry-bridge-setup" {
				t.Errorf("DaemonSets: %s", part.Field)
			}
			continue
		case *corev1.Node:
			continue // all, of which addresses alone are kept
		default:
			t.Fatalf("%T is cached in part", object)
		}
		if !part.Label.Matches(ofMachine) || part.Label.Matches(other) {
			t.Errorf("%T is selected by %s", object, part.Label)
		}
	}
	if len(parts) != 5 {
		t.Errorf("%d kinds are cached in part, want 5", len(parts))
	}
}

func TestOfALauncherOnlyMetadataAndPhaseAreKept(t *testing.T) {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "ns", UID: "u", Labels: map[string]string{"a": "b"}, Annotations: map[string]string{"c": "d"}, OwnerReferences: []metav1.OwnerReference{{Name: "web"}}},
		Spec:       corev1.PodSpec{NodeName: "worker"}, Status: corev1.PodStatus{Phase: corev1.PodRunning, PodIP: "10.0.0.1"},
	}
	got, err := launcherOnly(pod)
	if err != nil {
		t.Fatal(err)
	}
	want := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "ns", UID: "u", Labels: map[string]string{"a": "b"}, OwnerReferences: []metav1.OwnerReference{{Name: "web"}}},
		Status:     corev1.PodStatus{Phase: corev1.PodRunning},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
