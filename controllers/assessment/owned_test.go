package assessment

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
)

func controlledBy(kind, name string) metav1.ObjectMeta {
	yes := true
	meta := at("mission", "x")
	meta.OwnerReferences = []metav1.OwnerReference{{Kind: kind, Name: name, Controller: &yes}}
	return meta
}

func launcher(machine string, labels map[string]string) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: controlledBy("VirtualMachineInstance", machine)}
	pod.Labels = labels
	return pod
}

func TestWhatAMachineOwnsWakesIt(t *testing.T) {
	c := over(t, append(world(), launcher("b", map[string]string{"debug": "true"}))...)
	for name, tc := range map[string]struct {
		object client.Object
		want   map[string]string
	}{
		"a launcher pod":                            {launcher("a", nil), machinesWoken("network", []string{"mission/a"})},
		"a pod of something else":                   {&corev1.Pod{ObjectMeta: controlledBy("ReplicaSet", "a")}, map[string]string{}},
		"a pod of nobody":                           {&corev1.Pod{ObjectMeta: at("mission", "a")}, map[string]string{}},
		"a pinned instancetype":                     {&appsv1.ControllerRevision{ObjectMeta: controlledBy("VirtualMachine", "b")}, machinesWoken("compute", []string{"mission/b"})},
		"a policy by a label that only the pod has": {policyFor("mission", map[string]string{"debug": "true"}), machinesWoken("network.policies", []string{"mission/b"}, "mission/planned")},
	} {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(tc.want, woken(t, c, tc.object)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestOfAPodsUpdatesThoseCountThatChangeWhatSelectsIt(t *testing.T) {
	before := launcher("a", map[string]string{"app": "a"})
	for name, tc := range map[string]struct {
		change func(*corev1.Pod)
		want   bool
	}{
		"an annotation": {func(p *corev1.Pod) { p.Annotations = map[string]string{"a": "b"} }, false},
		"it runs":       {func(p *corev1.Pod) { p.Status.Phase = corev1.PodRunning }, false},
		"a label more":  {func(p *corev1.Pod) { p.Labels["debug"] = "true" }, true},
		"a label less":  {func(p *corev1.Pod) { p.Labels = nil }, true},
		"it has ended":  {func(p *corev1.Pod) { p.Status.Phase = corev1.PodFailed }, true},
	} {
		after := before.DeepCopy()
		tc.change(after)
		if got := podRelabelled().Update(event.UpdateEvent{ObjectOld: before, ObjectNew: after}); got != tc.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
