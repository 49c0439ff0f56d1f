package virtualmachine

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	cdiv1beta1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/source"

	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	"cato.dev/cato/compliance/metrics"
	"cato.dev/cato/controllers/decide"
	"cato.dev/cato/controllers/gather"
	"cato.dev/cato/controllers/internal/fixture"
)

func TestEveryEventThatMattersWakesTheReconciler(t *testing.T) {
	w := start(t, fixture.Judge(t, nil)) // plays KubeVirt and CDI
	secrets := make(chan event.GenericEvent, 10)
	events := &fixture.Events{}
	cluster.Manager(t, func(mgr ctrl.Manager) error {
		r := New(Deps{
			Client: mgr.GetClient(), Uncached: mgr.GetAPIReader(), Judge: fixture.Judge(t, nil), Events: events, Now: time.Now, Reconciled: func(metrics.Outcome) {},
			Gatherer: &gather.Gatherer{
				Reader: mgr.GetClient(), Secrets: gather.ReadSecret(mgr.GetAPIReader()), Now: time.Now,
				Blind: func(string, string) string { return "" },
			},
			Record: func(context.Context, decide.Judgement, time.Time) {},
		})
		return r.SetupWithManager(mgr, 2, source.Channel(secrets, handler.EnqueueRequestsFromMapFunc(r.ForSecret)))
	})
	phase := func(want udsv1alpha1.Phase) func() bool {
		return func() bool { return w.machine(t, "web").Status.Phase == want }
	}
	w.make(t, "web")
	fixture.Eventually(t, "importing", phase(udsv1alpha1.PhaseImporting))
	fixture.Eventually(t, "the disk is there", func() bool { return exists(t, &cdiv1beta1.DataVolume{}, w.namespace, "web-dv") })
	w.imported(t, "web", cdiv1beta1.Succeeded, "Completed")
	fixture.Eventually(t, "started", func() bool { return strategy(t, w.vm(t, "web")) == kubevirtv1.RunStrategyAlways })
	w.running(t, "web", kubevirtv1.Running)
	fixture.Eventually(t, "ready", phase(udsv1alpha1.PhaseReady))

	for name, object := range map[string]client.Object{"web-netpol": &networkingv1.NetworkPolicy{}, "web": &kubevirtv1.VirtualMachine{}} {
		old := get(t, object, w.namespace, name).GetUID()
		remove(t, object)
		took := fixture.Eventually(t, name+" is made again", func() bool {
			return exists(t, object, w.namespace, name) && get(t, object, w.namespace, name).GetUID() != old
		})
		t.Logf("%s made again after %s", name, took)
	}
	secret := get(t, &corev1.Secret{}, w.namespace, "web-cloudinit")
	remove(t, secret)
	secrets <- event.GenericEvent{Object: secret}
	fixture.Eventually(t, "the Secret is made again", func() bool { return exists(t, &corev1.Secret{}, w.namespace, "web-cloudinit") })

	fixture.Eventually(t, "isolated", func() bool { return w.machine(t, "web").Status.ZeroTrust })
	open := &networkingv1.NetworkPolicy{ObjectMeta: metav1.ObjectMeta{Name: "open", Namespace: w.namespace}}
	open.Spec.Ingress = []networkingv1.NetworkPolicyIngressRule{{}}
	create(t, open)
	fixture.Eventually(t, "a policy of another is seen", func() bool { return !w.machine(t, "web").Status.ZeroTrust })
	remove(t, open)
	fixture.Eventually(t, "isolated again", func() bool { return w.machine(t, "web").Status.ZeroTrust })
}

func TestAChildIsMappedByWhateverMarkIsLeft(t *testing.T) {
	owner := metav1.OwnerReference{APIVersion: "uds.dev/v1alpha1", Kind: "UDSVirtualMachine", Name: "web"}
	for name, row := range map[string]struct {
		child client.Object
		want  []string
	}{
		"by owner":               {&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "x", OwnerReferences: []metav1.OwnerReference{owner}}}, []string{"n/web"}},
		"by label":               {&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "x", Labels: map[string]string{"uds.dev/vm": "web"}}}, []string{"n/web"}},
		"by name of a disk":      {&cdiv1beta1.DataVolume{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "web-dv"}}, []string{"n/web"}},
		"by name of a Secret":    {&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "web-cloudinit"}}, []string{"n/web"}},
		"by name of a machine":   {&kubevirtv1.VirtualMachine{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "web"}}, []string{"n/web"}},
		"by name of a guest":     {&kubevirtv1.VirtualMachineInstance{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "web"}}, []string{"n/web"}},
		"a foreign one, to none": {&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "web"}}, []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			got := []string{}
			for _, request := range ofChild(t.Context(), row.child) {
				got = append(got, request.String())
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestOnlyTheBindingsThatEnableANamespaceWake(t *testing.T) {
	binding := &rbacv1.RoleBinding{RoleRef: rbacv1.RoleRef{Name: "virtfoundry-operator-vm-namespace"}}
	if !enables(binding) {
		t.Error("the binding that enables does not wake")
	}
	binding.RoleRef.Name = "view"
	if enables(binding) {
		t.Error("any binding wakes")
	}
}
