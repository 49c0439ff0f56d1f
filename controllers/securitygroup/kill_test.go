package securitygroup

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/internal/fixture"
)

// A group is made; then its rules are others, somebody opens its policy, and the
// policy's name is another, so that the old one has to go. Killed before and
// after each write, a new process ends where an undisturbed one does.
func TestKilledAtAnyWriteTheRulesHoldAndNoOtherPolicyIsLeft(t *testing.T) {
	namespace := granted(t, "killed", "192.0.2.0/24")
	judge := fixture.Judge(t, nil)
	made := 0
	var undisturbed *networkingv1.NetworkPolicySpec
	life := func(writes *fixture.Writes) {
		made++
		group := groupIn(namespace, fmt.Sprintf("k-%d", made), rule("ingress", "tcp", 22, 0, "192.0.2.0/24"))
		group.Annotations = map[string]string{virtfoundryv1alpha1.AnnotationLegacyID: fmt.Sprintf("%08x-0000-4000-8000-000000000001", made)}
		create(t, group)
		process := fixture.Start(writes, func(writes *fixture.Writes) *world { return newWorldAt(judge, writes) })
		settle := func() {
			t.Helper()
			process.Settle(t, func(w *world) error { return w.live(t, group) })
			read(t, group)
		}
		settle()
		opened := &networkingv1.NetworkPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: group.Status.NetworkPolicyName}}
		read(t, opened)
		opened.Spec.Ingress = []networkingv1.NetworkPolicyIngressRule{{}}
		update(t, opened)
		settle()
		group.Annotations = nil
		group.Spec.Rules[0] = rule("egress", "udp", 53, 0, "192.0.2.0/24")
		update(t, group)
		settle()
		process.MustHaveDied(t)
		got := onlyPolicy(t, group)
		if undisturbed == nil {
			undisturbed = &got
		}
		if diff := cmp.Diff(*undisturbed, got); diff != "" {
			t.Errorf("killed at write %d, before it: %t (-want +got):\n%s", writes.At, writes.Before, diff)
		}
	}
	fixture.KillAtEach(t, 6, life)
}

// onlyPolicy is what the one policy of a group says but for the group's name.
func onlyPolicy(t *testing.T, group *virtfoundryv1alpha1.SecurityGroup) networkingv1.NetworkPolicySpec {
	t.Helper()
	var all networkingv1.NetworkPolicyList
	if err := cluster.Client.List(t.Context(), &all, client.InNamespace(group.Namespace)); err != nil {
		t.Fatal(err)
	}
	own := []networkingv1.NetworkPolicy{}
	for i := range all.Items {
		if metav1.IsControlledBy(&all.Items[i], group) {
			own = append(own, all.Items[i])
		}
	}
	if len(own) != 1 || own[0].Name != group.Status.NetworkPolicyName || group.Status.Phase != virtfoundryv1alpha1.PhaseReady {
		t.Fatalf("%s: %d policies, status %+v", group.Name, len(own), group.Status)
	}
	spec := own[0].Spec
	spec.PodSelector = metav1.LabelSelector{}
	return spec
}
