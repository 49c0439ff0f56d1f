package virtualmachine

import (
	"testing"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	kubevirtv1 "kubevirt.io/api/core/v1"
	cdiv1beta1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"

	"cato.dev/cato/api/quantity"
	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	"cato.dev/cato/controllers/internal/fixture"
)

func TestSizesAreWholeMebibytesRoundedUp(t *testing.T) {
	for text, want := range map[string]string{"11Mi": "11Mi", "1": "1Mi", "1048577": "2Mi", "0": "0Mi", "10Gi": "10240Mi"} {
		if got := mebibytes(resource.MustParse(text)); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func TestTheOverheadIsNotGuessed(t *testing.T) {
	machine := &udsv1alpha1.UDSVirtualMachine{}
	for _, row := range []struct {
		disk, claim string
		want        float64
	}{{"10Mi", "11Mi", 1.1}, {"", "11Mi", 0}, {"10Mi", "", 0}, {"1e30", "11Mi", 0}} {
		machine.Spec.DiskSize, machine.Status.PVCSize = quantity.Text(row.disk), row.claim
		if got := StorageOverhead(machine); got != row.want {
			t.Errorf("%+v: %v", row, got)
		}
	}
}

func TestAnImportThatCDIGaveUpIsToldInItsWords(t *testing.T) {
	w := start(t, fixture.Judge(t, nil))
	w.make(t, "web")
	w.settle(t, "web")
	w.imported(t, "web", cdiv1beta1.Failed, "Error")
	machine := w.settle(t, "web")
	expect(t, machine, udsv1alpha1.PhaseFailed, "Ready", metav1.ConditionFalse, "ImportFailed", "CDI gave up")
	if !w.events.Has(EventImportFailed) || strategy(t, w.vm(t, "web")) != kubevirtv1.RunStrategyHalted {
		t.Errorf("events %v", w.events.Reasons())
	}
}

// An admission policy plays CDI's, which refuses every edit of a spec.
func TestAnEditThatCannotBeTakenBackIsReportedAndNotRepeated(t *testing.T) {
	w := start(t, fixture.Judge(t, nil))
	w.up(t, "web")
	volume := get(t, &cdiv1beta1.DataVolume{}, w.namespace, "web-dv")
	volume.Spec.Source.HTTP.URL = "https://evil.example.com/x.qcow2"
	update(t, volume)
	w.refuseEdits(t)
	seen := w.writes.Count()
	machine := w.settle(t, "web")
	expect(t, machine, udsv1alpha1.PhaseFailed, "Ready", metav1.ConditionFalse, "SourceChanged", "cannot be taken back")
	if machine.Status.ChecksumVerified || strategy(t, w.vm(t, "web")) != kubevirtv1.RunStrategyAlways {
		t.Error("still evidence, or the running guest was switched off")
	}
	if w.events.Has(EventRepaired) || !w.events.Has(EventSourceChanged) {
		t.Errorf("events %v", w.events.Reasons())
	}
	if made := w.writes.Made()[seen:]; len(made) > 4 {
		t.Errorf("repeated: %v", made)
	}
	// What protects is put right all the same.
	remove(t, get(t, &networkingv1.NetworkPolicy{}, w.namespace, "web-netpol"))
	w.reconcile(t, "web")
	get(t, &networkingv1.NetworkPolicy{}, w.namespace, "web-netpol")
}

func (w *world) refuseEdits(t *testing.T) {
	t.Helper()
	clients, err := kubernetes.NewForConfig(cluster.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	fail := admissionregistrationv1.Fail
	policies := clients.AdmissionregistrationV1()
	name := "cdi-" + w.namespace
	_, err = policies.ValidatingAdmissionPolicies().Create(t.Context(), &admissionregistrationv1.ValidatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicySpec{
			FailurePolicy: &fail,
			MatchConstraints: &admissionregistrationv1.MatchResources{
				NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: w.namespace}},
				ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{{RuleWithOperations: admissionregistrationv1.RuleWithOperations{
					Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Update},
					Rule:       admissionregistrationv1.Rule{APIGroups: []string{"cdi.kubevirt.io"}, APIVersions: []string{"*"}, Resources: []string{"datavolumes"}},
				}}},
			},
			Validations: []admissionregistrationv1.Validation{{Expression: "object.spec == oldObject.spec", Message: "Cannot update DataVolume Spec"}},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = policies.ValidatingAdmissionPolicyBindings().Create(t.Context(), &admissionregistrationv1.ValidatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec{PolicyName: name, ValidationActions: []admissionregistrationv1.ValidationAction{admissionregistrationv1.Deny}},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	fixture.Eventually(t, "the policy is in force", func() bool {
		probe := get(t, &cdiv1beta1.DataVolume{}, w.namespace, "web-dv")
		probe.Spec.Source.HTTP.URL = "https://probe.example.com/" + time.Now().Format("150405.000")
		return cluster.Client.Update(t.Context(), probe) != nil
	})
}

// What the original's prototype made is adopted by its owner reference and not
// made anew.
func TestWhatThePrototypeMadeIsTakenOver(t *testing.T) {
	w := start(t, fixture.Judge(t, nil))
	machine := w.make(t, "web")
	policy := &networkingv1.NetworkPolicy{ObjectMeta: metav1.ObjectMeta{
		Name: "web-netpol", Namespace: w.namespace, Labels: map[string]string{"made-by": "kopf-python"},
		OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(machine, udsv1alpha1.GroupVersion.WithKind("UDSVirtualMachine"))},
	}}
	create(t, policy)
	w.settle(t, "web")
	now := get(t, &networkingv1.NetworkPolicy{}, w.namespace, "web-netpol")
	if now.UID != policy.UID || now.Labels["made-by"] != "kopf-python" || now.Labels["uds.dev/vm"] != "web" || len(now.Spec.Egress) != 1 {
		t.Errorf("%+v", now)
	}
}
