package virtualmachine

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"

	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	"cato.dev/cato/controllers/internal/fixture"
)

// An update writes the Secret and the VirtualMachine, and puts the policy right
// that somebody changed meanwhile. Killed before and after each of its writes,
// a new process ends where an undisturbed one does.
func TestKilledAtAnyWriteOfAnUpdateItConverges(t *testing.T) {
	judge := fixture.Judge(t, nil)
	w := start(t, judge)
	begin := func(name string) {
		w.make(t, name, from(udsv1alpha1.SourceBlank))
		if err := newWorld(judge, w.namespace, &fixture.Writes{}).live(t, name); err != nil {
			t.Fatal(err)
		}
		machine := w.machine(t, name)
		cores := int32(3)
		machine.Spec.CPU.Cores = &cores
		machine.Spec.Guest = &udsv1alpha1.Guest{User: "changed"}
		update(t, machine)
		policy := get(t, &networkingv1.NetworkPolicy{}, w.namespace, name+"-netpol")
		policy.Spec.Ingress = []networkingv1.NetworkPolicyIngressRule{{}}
		update(t, policy)
	}
	begin("u-0")
	counted := newWorld(judge, w.namespace, &fixture.Writes{})
	if err := counted.live(t, "u-0"); err != nil {
		t.Fatal(err)
	}
	total := counted.writes.Count()
	if total < 4 {
		t.Fatalf("only %d writes update a machine: %v", total, counted.writes.Made())
	}
	for at := 1; at <= total; at++ {
		for _, before := range []bool{true, false} {
			name := fmt.Sprintf("u-%d-%t", at, before)
			begin(name)
			dying := newWorld(judge, w.namespace, &fixture.Writes{At: at, Before: before})
			dying.writes.MustHaveKilled(t, dying.live(t, name))
			if err := newWorld(judge, w.namespace, &fixture.Writes{}).live(t, name); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if policy := get(t, &networkingv1.NetworkPolicy{}, w.namespace, name+"-netpol"); len(policy.Spec.Ingress) != 0 {
				t.Errorf("%s: the policy stays open: %+v", name, policy.Spec)
			}
			if cores := w.vm(t, name).Spec.Template.Spec.Domain.CPU.Cores; cores != 3 {
				t.Errorf("%s: %d cores", name, cores)
			}
			undisturbed := get(t, &corev1.Secret{}, w.namespace, "u-0-cloudinit")
			if secret := get(t, &corev1.Secret{}, w.namespace, name+"-cloudinit"); string(secret.Data["userdata"]) != string(undisturbed.Data["userdata"]) {
				t.Errorf("%s: the user data is another", name)
			}
		}
	}
}
