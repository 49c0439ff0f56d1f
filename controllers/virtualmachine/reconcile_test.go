package virtualmachine

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	cdiv1beta1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	"cato.dev/cato/controllers/internal/fixture"
)

func TestAGuestIsHaltedUntilItsDiskIsVerified(t *testing.T) {
	w := start(t, fixture.Judge(t, nil))
	w.make(t, "web")
	machine := w.settle(t, "web")
	expect(t, machine, udsv1alpha1.PhaseImporting, "Ready", metav1.ConditionFalse, "Importing", "web-dv")
	expect(t, machine, udsv1alpha1.PhaseImporting, "PolicyAllowed", metav1.ConditionTrue, "PolicyAllowed", "")
	expect(t, machine, udsv1alpha1.PhaseImporting, "ImageVerified", metav1.ConditionFalse, "Pending", "")
	if strategy(t, w.vm(t, "web")) != kubevirtv1.RunStrategyHalted {
		t.Error("the guest may start before its disk is verified")
	}

	w.imported(t, "web", cdiv1beta1.Succeeded, "Completed")
	machine = w.settle(t, "web")
	if strategy(t, w.vm(t, "web")) != kubevirtv1.RunStrategyAlways || !w.events.Has(EventStarted) {
		t.Errorf("the guest is not started: events %v", w.events.Reasons())
	}
	expect(t, machine, udsv1alpha1.PhaseProvisioning, "ImageVerified", metav1.ConditionTrue, "Verified", "")
	claim := get(t, &corev1.PersistentVolumeClaim{}, w.namespace, "web-dv")
	evidence := machine.Status.ImageVerification
	if evidence == nil || evidence.Method != "cdi-http" || evidence.Digest != digestOfFile || evidence.ClaimUID != claim.UID || evidence.Time.IsZero() {
		t.Errorf("evidence: %+v", evidence)
	}

	w.running(t, "web", kubevirtv1.Running)
	machine = w.settle(t, "web")
	status := machine.Status
	status.Conditions, status.ImageVerification, status.PolicyRevision = nil, nil, ""
	want := udsv1alpha1.UDSVirtualMachineStatus{
		Phase: "Ready", Source: "http", PVCSize: "10856Mi", ChecksumVerified: true, ZeroTrust: true, ReconciledBy: "controller-go",
		ObservedGeneration: machine.Generation, Import: &udsv1alpha1.ImportStatus{Progress: "100.0%"},
	}
	if diff := cmp.Diff(want, status); diff != "" {
		t.Errorf("status (-want +got):\n%s", diff)
	}
	for _, kind := range []string{"Ready", "ImageVerified", "Isolated", "GuestHardened", "PolicyAllowed", "Compliant"} {
		if c := condition(t, machine, kind); c.Status != metav1.ConditionTrue {
			t.Errorf("%s: %+v", kind, c)
		}
	}
	if len(w.found) > 0 || w.events.Has(EventRepaired) || w.events.Has(EventPowerRestored) {
		t.Errorf("making and starting is no drift: %d judgements, events %v", len(w.found), w.events.Notes)
	}

	again := newWorld(fixture.Judge(t, nil), w.namespace, &fixture.Writes{})
	again.settle(t, "web")
	if again.writes.Count() != 0 {
		t.Errorf("a settled machine is written again: %v", again.writes.Made())
	}
}

func TestAnEmptyDiskStartsAtOnce(t *testing.T) {
	w := start(t, fixture.Judge(t, nil))
	w.make(t, "blank", from(udsv1alpha1.SourceBlank))
	machine := w.settle(t, "blank")
	if strategy(t, w.vm(t, "blank")) != kubevirtv1.RunStrategyAlways {
		t.Error("not started")
	}
	expect(t, machine, udsv1alpha1.PhaseImporting, "ImageVerified", metav1.ConditionFalse, "NotApplicable", "")
	if machine.Status.ChecksumVerified {
		t.Error("a verification is reported that nothing performed")
	}
}

func TestAnUploadThatNothingComparesIsNotStarted(t *testing.T) {
	w := start(t, fixture.Judge(t, nil))
	w.make(t, "up", from(udsv1alpha1.SourceUpload), func(m *udsv1alpha1.UDSVirtualMachine) { m.Spec.Checksum = digestOfFile })
	w.settle(t, "up")
	w.imported(t, "up", cdiv1beta1.UploadReady, "")
	expect(t, w.settle(t, "up"), udsv1alpha1.PhaseWaitingForUpload, "Ready", metav1.ConditionFalse, "WaitingForUpload", "")
	w.imported(t, "up", cdiv1beta1.Succeeded, "Completed")
	machine := w.settle(t, "up")
	expect(t, machine, udsv1alpha1.PhaseStopped, "ImageVerified", metav1.ConditionFalse, "UploadChecksumUnsupported", "IMG-002")
	if strategy(t, w.vm(t, "up")) != kubevirtv1.RunStrategyHalted || machine.Status.ChecksumVerified {
		t.Errorf("started or verified: %+v", machine.Status)
	}

	allow := true
	profile := &catov1alpha1.ComplianceProfile{ObjectMeta: metav1.ObjectMeta{Name: "uploads"}}
	profile.Spec.Base = catov1alpha1.BaseUDS
	profile.Spec.Scope.NamespaceSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": w.namespace}}
	profile.Spec.Parameters.AllowUnverifiedDisk = &allow
	create(t, profile)
	t.Cleanup(func() { _ = cluster.Client.Delete(t.Context(), profile) })
	machine = w.settle(t, "up")
	if strategy(t, w.vm(t, "up")) != kubevirtv1.RunStrategyAlways {
		t.Error("the profile allows it, and it is not started")
	}
	expect(t, machine, udsv1alpha1.PhaseProvisioning, "ImageVerified", metav1.ConditionFalse, "UploadChecksumUnsupported", "IMG-002")
	if machine.Status.ChecksumVerified {
		t.Error("a verification is reported that nothing performed")
	}
}

func TestADiskThatIsNotWhatItsChecksumSaysNeverStarts(t *testing.T) {
	w := start(t, fixture.Judge(t, nil))
	w.make(t, "bad")
	w.settle(t, "bad")
	w.imported(t, "bad", cdiv1beta1.Failed, "ChecksumError")
	machine := w.settle(t, "bad")
	expect(t, machine, udsv1alpha1.PhaseFailed, "Ready", metav1.ConditionFalse, "ChecksumMismatch", "never starts")
	expect(t, machine, udsv1alpha1.PhaseFailed, "ImageVerified", metav1.ConditionFalse, "ChecksumMismatch", "IMG-002")
	if strategy(t, w.vm(t, "bad")) != kubevirtv1.RunStrategyHalted || !w.events.Has(EventChecksumMismatch) {
		t.Errorf("events %v", w.events.Reasons())
	}
}

func TestWhatIsNotGrantedIsNotWritten(t *testing.T) {
	judge := fixture.Judge(t, fixture.NothingGranted(t))
	for grant, wish := range map[string]func(*udsv1alpha1.UDSVirtualMachine){
		"dedicated_cpu": func(m *udsv1alpha1.UDSVirtualMachine) { m.Spec.CPU.Dedicated = true },
		"extra_egress": func(m *udsv1alpha1.UDSVirtualMachine) {
			m.Spec.Network = &udsv1alpha1.Network{Egress: []udsv1alpha1.EgressRule{{CIDR: "10.0.0.0/8"}}}
		},
		"secondary_network": func(m *udsv1alpha1.UDSVirtualMachine) {
			m.Spec.Network = &udsv1alpha1.Network{Networks: []string{"lan"}}
		},
	} {
		t.Run(grant, func(t *testing.T) {
			w := start(t, judge)
			w.make(t, "greedy", wish)
			machine := w.settle(t, "greedy")
			expect(t, machine, udsv1alpha1.PhaseFailed, "PolicyAllowed", metav1.ConditionFalse, "PolicyDenied", "grant "+grant+" is not given")
			if made := w.writes.Made(); len(made) != 1 || !strings.HasPrefix(made[0], "patch status") {
				t.Errorf("writes beside the status: %v", made)
			}
			if !w.events.Has(EventPolicyDenied) || len(machine.Finalizers) > 0 {
				t.Errorf("events %v, finalizers %v", w.events.Reasons(), machine.Finalizers)
			}
		})
	}
}

func TestWithAllGrantsAndNoRulesEverythingIsWritten(t *testing.T) {
	w := start(t, fixture.Judge(t, fixture.EverythingGranted(t)))
	w.make(t, "free", func(m *udsv1alpha1.UDSVirtualMachine) {
		m.Spec.CPU.Dedicated = true
		m.Spec.Network = &udsv1alpha1.Network{Egress: []udsv1alpha1.EgressRule{{CIDR: "10.0.0.0/8"}}, Networks: []string{"lan"}}
	})
	w.settle(t, "free")
	vm := w.vm(t, "free")
	if !vm.Spec.Template.Spec.Domain.CPU.DedicatedCPUPlacement || len(vm.Spec.Template.Spec.Networks) != 2 {
		t.Errorf("the machine: %+v", vm.Spec.Template.Spec)
	}
	if policy := get(t, &networkingv1.NetworkPolicy{}, w.namespace, "free-netpol"); len(policy.Spec.Egress) != 2 {
		t.Errorf("egress: %+v", policy.Spec.Egress)
	}
}

func TestAMissingSecretIsWaitedForAndNeverEmpty(t *testing.T) {
	w := start(t, fixture.Judge(t, nil))
	w.make(t, "user", func(m *udsv1alpha1.UDSVirtualMachine) {
		m.Spec.Guest = &udsv1alpha1.Guest{UserDataSecretRef: &udsv1alpha1.SecretKeyRef{Name: "mine"}}
	})
	if w.reconcile(t, "user").RequeueAfter == 0 {
		t.Error("nobody comes back")
	}
	machine := w.machine(t, "user")
	expect(t, machine, udsv1alpha1.PhasePending, "PolicyAllowed", metav1.ConditionUnknown, "PolicyUnknown", w.namespace+"/mine")
	if made := w.writes.Made(); len(made) != 1 {
		t.Errorf("writes beside the status: %v", made)
	}
	const motd = "hostname: from-the-secret"
	create(t, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "mine", Namespace: w.namespace}, Data: map[string][]byte{"userdata": []byte("#cloud-config\n" + motd + "\n")}})
	w.settle(t, "user")
	data := string(get(t, &corev1.Secret{}, w.namespace, "user-cloudinit").Data["userdata"])
	if !strings.Contains(data, "from-the-secret") || !strings.Contains(data, "ssh_pwauth: false") {
		t.Errorf("user data:\n%s", data)
	}
}

func TestASecretOfAnotherNamespaceIsReadOnlyWithTheGrant(t *testing.T) {
	w := start(t, fixture.Judge(t, nil))
	create(t, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: w.namespace, Namespace: "kube-system"}, Data: map[string][]byte{"userdata": []byte("#cloud-config\nhostname: from-elsewhere\n")}})
	w.make(t, "spy", func(m *udsv1alpha1.UDSVirtualMachine) {
		m.Spec.Guest = &udsv1alpha1.Guest{UserDataSecretRef: &udsv1alpha1.SecretKeyRef{Name: w.namespace, Namespace: "kube-system"}}
	})
	machine := w.settle(t, "spy")
	expect(t, machine, udsv1alpha1.PhaseFailed, "PolicyAllowed", metav1.ConditionFalse, "PolicyDenied", "grant cross_namespace_source is not given")
	if exists(t, &corev1.Secret{}, w.namespace, "spy-cloudinit") {
		t.Error("something was made of what is not granted")
	}

	profile := &catov1alpha1.ComplianceProfile{ObjectMeta: metav1.ObjectMeta{Name: "seeds"}}
	own := &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": w.namespace}}
	profile.Spec.Base, profile.Spec.Scope.NamespaceSelector = catov1alpha1.BaseUDS, own
	profile.Spec.Parameters.Grants = &catov1alpha1.Grants{CrossNamespaceSources: []catov1alpha1.SourceGrant{{NamespaceSelector: *own, SourceNamespaces: []string{"kube-system"}, Reason: "seeds"}}}
	create(t, profile)
	t.Cleanup(func() { _ = cluster.Client.Delete(t.Context(), profile) })
	w.settle(t, "spy")
	if data := string(get(t, &corev1.Secret{}, w.namespace, "spy-cloudinit").Data["userdata"]); !strings.Contains(data, "from-elsewhere") {
		t.Errorf("user data:\n%s", data)
	}
}

func TestAnObjectOfAnotherIsLeftAloneAndNothingIsWritten(t *testing.T) {
	w := start(t, fixture.Judge(t, nil))
	create(t, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "taken-cloudinit", Namespace: w.namespace}, Data: map[string][]byte{"theirs": []byte("x")}})
	w.make(t, "taken")
	machine := w.settle(t, "taken")
	expect(t, machine, udsv1alpha1.PhaseFailed, "Ready", metav1.ConditionFalse, "OwnedByOther", "taken-cloudinit")
	if exists(t, &networkingv1.NetworkPolicy{}, w.namespace, "taken-netpol") || exists(t, &kubevirtv1.VirtualMachine{}, w.namespace, "taken") {
		t.Error("something was written beside what is another's")
	}
}
