package virtualmachine

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	kubevirtv1 "kubevirt.io/api/core/v1"
	cdiv1beta1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	"cato.dev/cato/controllers/internal/fixture"
)

func TestDriftIsJudgedBeforeItIsPutRight(t *testing.T) {
	w := start(t, fixture.Judge(t, nil))
	w.up(t, "web")
	for name, change := range map[string]func(t *testing.T){
		"policy deleted": func(t *testing.T) { remove(t, get(t, &networkingv1.NetworkPolicy{}, w.namespace, "web-netpol")) },
		"policy opened": func(t *testing.T) {
			policy := get(t, &networkingv1.NetworkPolicy{}, w.namespace, "web-netpol")
			policy.Spec.Ingress = []networkingv1.NetworkPolicyIngressRule{{}}
			update(t, policy)
		},
		"user data edited": func(t *testing.T) {
			secret := get(t, &corev1.Secret{}, w.namespace, "web-cloudinit")
			secret.Data["userdata"] = []byte("#cloud-config\nssh_pwauth: true\n")
			update(t, secret)
		},
		"user data edited for ever": func(t *testing.T) {
			secret := get(t, &corev1.Secret{}, w.namespace, "web-cloudinit")
			yes := true
			secret.Data["userdata"], secret.Immutable = []byte("#cloud-config\nssh_pwauth: true\n"), &yes
			update(t, secret)
		},
		"disk swapped": func(t *testing.T) {
			vm := w.vm(t, "web")
			vm.Spec.Template.Spec.Volumes[0].VolumeSource = kubevirtv1.VolumeSource{ContainerDisk: &kubevirtv1.ContainerDiskSource{Image: "evil.example.com/x:latest"}}
			update(t, vm)
		},
	} {
		t.Run(name, func(t *testing.T) {
			seen := len(w.found)
			change(t)
			machine := w.settle(t, "web")
			if len(w.found) != seen+1 || !w.events.Has(EventRepaired) {
				t.Fatalf("%d judgements of what was found, events %v", len(w.found)-seen, w.events.Reasons())
			}
			if c := condition(t, machine, "Compliant"); c.Status != metav1.ConditionTrue || machine.Status.Phase != udsv1alpha1.PhaseReady {
				t.Errorf("after the repair: %s %+v", machine.Status.Phase, c)
			}
			if strategy(t, w.vm(t, "web")) != kubevirtv1.RunStrategyAlways {
				t.Error("the running guest was switched off")
			}
		})
	}
}

func TestWhatOthersAddToTheMachineStays(t *testing.T) {
	w := start(t, fixture.Judge(t, nil))
	w.up(t, "web")
	vm := w.vm(t, "web")
	vm.Labels["team"] = "blue"
	vm.Spec.Template.Spec.Volumes = append(vm.Spec.Template.Spec.Volumes, kubevirtv1.Volume{Name: "hot", VolumeSource: kubevirtv1.VolumeSource{PersistentVolumeClaim: &kubevirtv1.PersistentVolumeClaimVolumeSource{Hotpluggable: true, PersistentVolumeClaimVolumeSource: corev1.PersistentVolumeClaimVolumeSource{ClaimName: "data"}}}})
	cores := vm.Spec.Template.Spec.Domain.CPU.Cores
	vm.Spec.Template.Spec.Domain.CPU.Cores = 64
	update(t, vm)
	w.settle(t, "web")
	vm = w.vm(t, "web")
	hot := slices.ContainsFunc(vm.Spec.Template.Spec.Volumes, func(v kubevirtv1.Volume) bool { return v.Name == "hot" })
	if vm.Labels["team"] != "blue" || !hot || vm.Spec.Template.Spec.Domain.CPU.Cores != cores {
		t.Errorf("labels %v, hot-plugged %t, cores %d", vm.Labels, hot, vm.Spec.Template.Spec.Domain.CPU.Cores)
	}
}

func TestPowerFollowsTheCustomResource(t *testing.T) {
	w := start(t, fixture.Judge(t, nil))
	w.up(t, "web")

	vm := w.vm(t, "web") // virtctl stop
	halted := kubevirtv1.RunStrategyHalted
	vm.Spec.RunStrategy = &halted
	update(t, vm)
	w.settle(t, "web")
	at := slices.IndexFunc(w.events.Notes, func(n fixture.Note) bool { return n.Reason == EventPowerRestored })
	if strategy(t, w.vm(t, "web")) != kubevirtv1.RunStrategyAlways || at < 0 || !strings.Contains(w.events.Notes[at].Text, "uds-vmctl power stop web") {
		t.Errorf("not put right, or not told: %v", w.events.Notes)
	}

	machine := w.machine(t, "web")
	machine.Spec.RunStrategy = udsv1alpha1.RunHalted
	update(t, machine)
	told := len(w.events.Notes)
	w.settle(t, "web")
	remove(t, get(t, &kubevirtv1.VirtualMachineInstance{}, w.namespace, "web"))
	expect(t, w.settle(t, "web"), udsv1alpha1.PhaseStopped, "Ready", metav1.ConditionTrue, "Stopped", "as asked")
	if strategy(t, w.vm(t, "web")) != kubevirtv1.RunStrategyHalted || len(w.events.Notes) != told {
		t.Errorf("a stop that was asked for is no drift: %v", w.events.Notes[told:])
	}
}

func TestAGuestThatSomebodyStartsBeforeItsDiskIsVerifiedIsHalted(t *testing.T) {
	w := start(t, fixture.Judge(t, nil))
	w.make(t, "web")
	w.settle(t, "web")
	vm := w.vm(t, "web") // virtctl start
	always := kubevirtv1.RunStrategyAlways
	vm.Spec.RunStrategy = &always
	update(t, vm)
	w.running(t, "web", kubevirtv1.Running)
	w.settle(t, "web")
	if strategy(t, w.vm(t, "web")) != kubevirtv1.RunStrategyHalted {
		t.Error("the guest runs from a disk that nothing verified")
	}
}

func TestAnotherSourceIsRefusedAndTheGuestLeftAlone(t *testing.T) {
	w := start(t, fixture.Judge(t, nil))
	machine := w.up(t, "web")
	before := get(t, &cdiv1beta1.DataVolume{}, w.namespace, "web-dv")
	machine.Spec.URL = "https://images.example.com/other.qcow2"
	update(t, machine)
	machine = w.settle(t, "web")
	expect(t, machine, udsv1alpha1.PhaseFailed, "Ready", metav1.ConditionFalse, "SourceChanged", "nothing is imported again")
	after := get(t, &cdiv1beta1.DataVolume{}, w.namespace, "web-dv")
	if before.UID != after.UID || before.ResourceVersion != after.ResourceVersion || strategy(t, w.vm(t, "web")) != kubevirtv1.RunStrategyAlways {
		t.Error("disk or guest was touched")
	}
	if !w.events.Has(EventSourceChanged) {
		t.Errorf("events %v", w.events.Reasons())
	}
}

func TestAnEditedImportIsPutRightAndIsNoEvidenceAnyMore(t *testing.T) {
	w := start(t, fixture.Judge(t, nil))
	w.up(t, "web")
	volume := get(t, &cdiv1beta1.DataVolume{}, w.namespace, "web-dv")
	url := volume.Spec.Source.HTTP.URL
	volume.Spec.Source.HTTP.URL = "https://evil.example.com/x.qcow2"
	update(t, volume)
	machine := w.settle(t, "web")
	if now := get(t, &cdiv1beta1.DataVolume{}, w.namespace, "web-dv"); now.Spec.Source.HTTP.URL != url {
		t.Errorf("not put right: %s", now.Spec.Source.HTTP.URL)
	}
	expect(t, machine, udsv1alpha1.PhaseReady, "ImageVerified", metav1.ConditionFalse, "SourceChanged", "")
	if machine.Status.ChecksumVerified || machine.Status.ImageVerification != nil {
		t.Errorf("evidence of another source: %+v", machine.Status.ImageVerification)
	}
	if strategy(t, w.vm(t, "web")) != kubevirtv1.RunStrategyAlways {
		t.Error("the running guest was switched off")
	}
	remove(t, get(t, &kubevirtv1.VirtualMachineInstance{}, w.namespace, "web"))
	w.settle(t, "web")
	if strategy(t, w.vm(t, "web")) != kubevirtv1.RunStrategyHalted {
		t.Error("a guest that is off starts from a disk without evidence")
	}
}

func TestARefusalKeepsThePolicyAndCanBeSwitchedOff(t *testing.T) {
	w := start(t, fixture.Judge(t, nil))
	machine := w.up(t, "web")
	machine.Spec.Network = &udsv1alpha1.Network{Egress: []udsv1alpha1.EgressRule{{CIDR: "10.0.0.0/8"}}}
	update(t, machine)
	expect(t, w.settle(t, "web"), udsv1alpha1.PhaseFailed, "PolicyAllowed", metav1.ConditionFalse, "PolicyDenied", "extra_egress")
	for round, again := range map[string]*world{"same process": w, "new process": newWorld(fixture.Judge(t, nil), w.namespace, &fixture.Writes{})} {
		remove(t, get(t, &networkingv1.NetworkPolicy{}, w.namespace, "web-netpol"))
		again.reconcile(t, "web")
		if policy := get(t, &networkingv1.NetworkPolicy{}, w.namespace, "web-netpol"); len(policy.Spec.Egress) != 1 {
			t.Errorf("%s: egress %+v", round, policy.Spec.Egress)
		}
	}
	if strategy(t, w.vm(t, "web")) != kubevirtv1.RunStrategyAlways {
		t.Error("a running guest was switched off by a refusal")
	}
	machine = w.machine(t, "web")
	machine.Spec.RunStrategy = udsv1alpha1.RunHalted
	update(t, machine)
	w.reconcile(t, "web")
	if strategy(t, w.vm(t, "web")) != kubevirtv1.RunStrategyHalted {
		t.Error("a refused machine cannot be switched off")
	}
}

func TestTheGuestIsGoneBeforeItsPolicy(t *testing.T) {
	w := start(t, fixture.Judge(t, nil))
	w.up(t, "web")
	guest := get(t, &kubevirtv1.VirtualMachineInstance{}, w.namespace, "web")
	guest.Finalizers = []string{"cato.dev/test"} // as KubeVirt holds it while it stops
	update(t, guest)
	remove(t, w.machine(t, "web"))
	w.reconcile(t, "web")
	w.reconcile(t, "web")
	machine := w.machine(t, "web")
	if machine.Status.Phase != udsv1alpha1.PhaseTerminating || exists(t, &kubevirtv1.VirtualMachine{}, w.namespace, "web") {
		t.Errorf("phase %s, or the VirtualMachine is still there", machine.Status.Phase)
	}
	get(t, &networkingv1.NetworkPolicy{}, w.namespace, "web-netpol")
	guest = get(t, &kubevirtv1.VirtualMachineInstance{}, w.namespace, "web")
	guest.Finalizers = nil
	update(t, guest)
	w.gone(t, "web")
}

// gone reconciles until the machine and all its children have left.
func (w *world) gone(t *testing.T, name string) {
	t.Helper()
	var left []string
	err := wait.PollUntilContextTimeout(t.Context(), 100*time.Millisecond, 3*time.Minute, true, func(ctx context.Context) (bool, error) {
		if _, err := w.Reconcile(ctx, w.request(name)); err != nil {
			return false, err
		}
		left = nil
		for child, object := range map[string]client.Object{
			name: &udsv1alpha1.UDSVirtualMachine{}, name + "-netpol": &networkingv1.NetworkPolicy{},
			name + "-cloudinit": &corev1.Secret{}, name + "-dv": &cdiv1beta1.DataVolume{},
		} {
			if exists(t, object, w.namespace, child) {
				left = append(left, child)
			}
		}
		if exists(t, &kubevirtv1.VirtualMachine{}, w.namespace, name) {
			left = append(left, "the VirtualMachine")
		}
		return len(left) == 0, nil
	})
	if err != nil {
		t.Fatalf("left: %v: %v", left, err)
	}
}
