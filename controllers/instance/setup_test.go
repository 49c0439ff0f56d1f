package instance

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/source"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/decide"
	"cato.dev/cato/controllers/gather"
	"cato.dev/cato/controllers/internal/fixture"
)

func TestEveryEventThatMattersWakesTheReconciler(t *testing.T) {
	w := start(t, fixture.Judge(t, nil)) // plays KubeVirt and the other controllers
	secrets := make(chan event.GenericEvent, 10)
	cluster.Manager(t, func(mgr ctrl.Manager) error {
		r := New(Deps{
			Client: mgr.GetClient(), Uncached: mgr.GetAPIReader(), Judge: fixture.Judge(t, nil), Events: &fixture.Events{}, Now: time.Now,
			Gatherer: &gather.Gatherer{
				Reader: mgr.GetClient(), Secrets: gather.ReadSecret(mgr.GetAPIReader()), Now: time.Now,
				Blind: func(string, string) string { return "" },
			},
			Record: func(context.Context, decide.Judgement, time.Time) {},
		})
		return r.SetupWithManager(mgr, 2, source.Channel(secrets, handler.EnqueueRequestsFromMapFunc(r.ForSecret)))
	})
	says := func(part string) {
		t.Helper()
		fixture.Eventually(t, "the status says "+part, func() bool {
			instance := w.instance(t, "web")
			return strings.Contains(instance.Status.ErrorMessage, part) || slices.ContainsFunc(instance.Status.Conditions, func(c metav1.Condition) bool {
				return c.Type == virtfoundryv1alpha1.ConditionPolicyAllowed && strings.Contains(c.Message, part)
			})
		})
	}
	w.make(t, "web", func(i *virtfoundryv1alpha1.Instance) {
		i.Spec.TemplateRef.Name, i.Spec.NICs[0].NetworkRef.Name = "late", "later"
		i.Spec.OfferingRef = &virtfoundryv1alpha1.LocalObjectRef{Name: "late-size"}
		i.Spec.SSHKeyRefs = []virtfoundryv1alpha1.LocalObjectRef{{Name: "alice"}}
	})
	says("Template late exists neither")
	w.template(t, "late", imageOfTests)
	says("Offering late-size does not exist")
	size := offering(t, "late-size", true)
	says("Network later")
	network := w.network(t, "later", false)
	says("SSHKey alice does not exist")
	create(t, &virtfoundryv1alpha1.SSHKey{ObjectMeta: metav1.ObjectMeta{Name: "alice", Namespace: w.namespace}, Spec: virtfoundryv1alpha1.SSHKeySpec{PublicKey: keyOfAlice}})
	says("NetworkAttachmentDefinition")
	w.attach(t, network)
	fixture.Eventually(t, "its address is claimed", func() bool { return exists(t, &virtfoundryv1alpha1.IPAddress{}, w.namespace, "web-lan") })
	w.allocate(t)
	fixture.Eventually(t, "the machine is there", func() bool { return exists(t, &kubevirtv1.VirtualMachine{}, w.namespace, "web") })

	size.Spec.CPU = 3
	update(t, size)
	fixture.Eventually(t, "the size reaches the machine", func() bool { return w.vm(t, "web").Spec.Template.Spec.Domain.CPU.Cores == 3 })
	old := w.vm(t, "web")
	remove(t, old)
	fixture.Eventually(t, "the machine is made again", func() bool {
		vm := &kubevirtv1.VirtualMachine{}
		return exists(t, vm, w.namespace, "web") && vm.UID != old.UID
	})
	secret := get(t, &corev1.Secret{}, w.namespace, "web-cloudinit")
	remove(t, secret)
	secrets <- event.GenericEvent{Object: secret}
	fixture.Eventually(t, "the Secret is made again", func() bool { return exists(t, &corev1.Secret{}, w.namespace, "web-cloudinit") })

	// A namespace that is labelled after a refusal is tried again by itself.
	namespace := get(t, &corev1.Namespace{}, "", w.namespace)
	slug := namespace.Labels[virtfoundryv1alpha1.LabelTenant]
	delete(namespace.Labels, virtfoundryv1alpha1.LabelTenant)
	update(t, namespace)
	says("NS-004")
	namespace = get(t, &corev1.Namespace{}, "", w.namespace)
	namespace.Labels[virtfoundryv1alpha1.LabelTenant] = slug
	update(t, namespace)
	says("every rule that had to be asked passed")
}

func TestAChildIsMappedByWhateverMarkIsLeft(t *testing.T) {
	owner := metav1.OwnerReference{APIVersion: "virtfoundry.io/v1alpha1", Kind: "Instance", Name: "web"}
	meta := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: "n", Name: name} }
	owned, labelled, guest := meta("x"), meta("x"), meta("x")
	owned.OwnerReferences = []metav1.OwnerReference{owner}
	labelled.Labels = map[string]string{"virtfoundry.io/instance": "web"}
	guest.Labels = map[string]string{"virtfoundry.io/vm": "web"}
	for name, row := range map[string]struct {
		child client.Object
		want  []string
	}{
		"by owner":               {&corev1.Secret{ObjectMeta: owned}, []string{"n/web"}},
		"by label":               {&corev1.Secret{ObjectMeta: labelled}, []string{"n/web"}},
		"by label of a guest":    {&corev1.Secret{ObjectMeta: guest}, []string{"n/web"}},
		"by name of a Secret":    {&corev1.Secret{ObjectMeta: meta("web-cloudinit")}, []string{"n/web"}},
		"by name of a machine":   {&kubevirtv1.VirtualMachine{ObjectMeta: meta("web")}, []string{"n/web"}},
		"by name of a guest":     {&kubevirtv1.VirtualMachineInstance{ObjectMeta: meta("web")}, []string{"n/web"}},
		"a foreign one, to none": {&corev1.Secret{ObjectMeta: meta("web")}, []string{}},
	} {
		got := []string{}
		for _, request := range ofChild(t.Context(), row.child) {
			got = append(got, request.String())
		}
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestASecretWakesThoseThatTakeTheirUserDataFromIt(t *testing.T) {
	w := start(t, fixture.Judge(t, nil))
	w.make(t, "by-itself", func(i *virtfoundryv1alpha1.Instance) {
		i.Spec.CloudInitSecretRef = &virtfoundryv1alpha1.SecretKeyRef{Name: "seed"}
	})
	w.make(t, "by-template")
	w.make(t, "by-text", func(i *virtfoundryv1alpha1.Instance) { i.Spec.CloudInitUserData = "#cloud-config\n" })
	for key, want := range map[client.ObjectKey][]string{
		{Namespace: w.namespace, Name: "seed"}:          {"by-itself", "by-template"},
		{Namespace: w.namespace, Name: "other"}:         {"by-template"},
		{Namespace: "virtfoundry-system", Name: "seed"}: {"by-template"},
		{Namespace: "default", Name: "seed"}:            {},
	} {
		got := []string{}
		for _, request := range w.ForSecret(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name}}) {
			if request.Namespace == w.namespace {
				got = append(got, request.Name)
			}
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", key, diff)
		}
	}
}
