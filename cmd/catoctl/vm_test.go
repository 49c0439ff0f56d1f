package main

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	"cato.dev/cato/controllers/gather"
)

func machine(namespace, name string, ready bool) *udsv1alpha1.UDSVirtualMachine {
	m := &udsv1alpha1.UDSVirtualMachine{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, CreationTimestamp: metav1.NewTime(testClock().Add(-3 * time.Hour))},
		Spec:       udsv1alpha1.UDSVirtualMachineSpec{OSType: "linux", RunStrategy: udsv1alpha1.RunAlways, Memory: "4Gi", SourceType: "http"},
		Status: udsv1alpha1.UDSVirtualMachineStatus{
			Phase: udsv1alpha1.PhaseReady, Source: "http", PVCSize: "11Mi", ChecksumVerified: ready, ZeroTrust: ready,
			ReconciledBy: udsv1alpha1.ReconciledBy, PolicyRevision: "0123456789ab",
		},
	}
	if !ready {
		m.Status.Phase = udsv1alpha1.PhaseStopped
		m.Status.Conditions = []metav1.Condition{{Type: "Ready", Status: metav1.ConditionFalse, Reason: "UploadChecksumUnsupported"}}
	}
	return m
}

func fakeCluster(t *testing.T, objects ...client.Object) client.Client {
	t.Helper()
	scheme, err := gather.Scheme()
	if err != nil {
		t.Fatal(err)
	}
	return fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).WithStatusSubresource(&udsv1alpha1.UDSVirtualMachine{}).Build()
}

func TestInventoryShowsTheColumnsThatUsersKnow(t *testing.T) {
	cluster := fakeCluster(t, machine("mission-a", "web-1", true), machine("mission-a", "web-2", false), machine("mission-b", "db-1", true))
	for _, tt := range []struct{ name, namespace, output string }{
		{"inventory_table.txt", "mission-a", "table"}, {"inventory_wide_all.txt", "", "wide"}, {"inventory_name.txt", "mission-a", "name"},
		{"inventory.yaml", "mission-b", "yaml"}, {"inventory.json", "mission-b", "json"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			streams, _, out, _ := genericiooptions.NewTestIOStreams()
			o := inventoryOptions{namespace: tt.namespace, output: tt.output, now: testClock, streams: streams}
			if err := o.run(t.Context(), cluster); err != nil {
				t.Fatal(err)
			}
			golden(t, tt.name, out.String())
		})
	}
}

func TestAnEmptyInventorySaysSo(t *testing.T) {
	streams, _, out, errOut := genericiooptions.NewTestIOStreams()
	o := inventoryOptions{namespace: "mission-a", output: "table", now: testClock, streams: streams}
	if err := o.run(t.Context(), fakeCluster(t)); err != nil {
		t.Fatal(err)
	}
	if out.String() != "" || errOut.String() != "No UDSVirtualMachine in namespace mission-a.\n" {
		t.Errorf("out %q, stderr %q", out, errOut)
	}
}

func TestPowerMovesTheRunStrategyAndNothingElse(t *testing.T) {
	key := types.NamespacedName{Namespace: "mission-a", Name: "web-1"}
	cluster := fakeCluster(t, machine("mission-a", "web-1", true))
	for _, tt := range []struct {
		action, says string
		want         udsv1alpha1.RunStrategy
	}{
		{"stop", "stop asked", udsv1alpha1.RunHalted}, {"stop", "already", udsv1alpha1.RunHalted},
		{"start", "start asked", udsv1alpha1.RunAlways}, {"start", "already", udsv1alpha1.RunAlways},
	} {
		streams, _, out, _ := genericiooptions.NewTestIOStreams()
		o := powerOptions{action: tt.action, name: key, streams: streams}
		if err := o.setRunStrategy(t.Context(), cluster); err != nil {
			t.Fatal(err)
		}
		var got udsv1alpha1.UDSVirtualMachine
		if err := cluster.Get(t.Context(), key, &got); err != nil {
			t.Fatal(err)
		}
		if got.Spec.RunStrategy != tt.want || !strings.Contains(out.String(), tt.says) || got.Spec.Memory != "4Gi" {
			t.Errorf("%s: runStrategy %s, memory %s, out %q", tt.action, got.Spec.RunStrategy, got.Spec.Memory, out)
		}
		for _, entry := range got.ManagedFields {
			if entry.Manager != powerManager && entry.Operation == metav1.ManagedFieldsOperationUpdate && strings.Contains(entry.FieldsV1.String(), "runStrategy") {
				t.Errorf("%s wrote runStrategy, want %s", entry.Manager, powerManager)
			}
		}
	}
}

func TestPowerSaysWhatIsWrong(t *testing.T) {
	halted := machine("mission-a", "off", true)
	halted.Spec.RunStrategy = udsv1alpha1.RunHalted
	cluster := fakeCluster(t, halted, machine("mission-a", "web-1", true))
	key := func(name string) types.NamespacedName {
		return types.NamespacedName{Namespace: "mission-a", Name: name}
	}
	none := func(context.Context, types.NamespacedName) error { return nil }
	streams := genericiooptions.NewTestIOStreamsDiscard()
	if err := (&powerOptions{action: "start", name: key("no"), streams: streams}).setRunStrategy(t.Context(), cluster); err == nil || !strings.Contains(err.Error(), "mission-a/no does not exist") {
		t.Errorf("start of what is not there: %v", err)
	}
	if err := (&powerOptions{action: "restart", name: key("off"), streams: streams}).restart(t.Context(), cluster, none); err == nil || !strings.Contains(err.Error(), "use power start") {
		t.Errorf("restart of a halted machine: %v", err)
	}
	refused := errors.New("virt-api says no")
	fails := func(context.Context, types.NamespacedName) error { return refused }
	if err := (&powerOptions{action: "restart", name: key("web-1"), streams: streams}).restart(t.Context(), cluster, fails); !errors.Is(err, refused) {
		t.Errorf("restart that virt-api refuses: %v", err)
	}
	if got := call(t, "uds-vmctl", "", "power", "kick", "web-1"); got.code != 2 || !strings.Contains(got.err, `power "kick": use start, stop, restart`) {
		t.Errorf("exit code %d, stderr %q", got.code, got.err)
	}
}

func TestRestartAsksTheSubresourceOfKubeVirt(t *testing.T) {
	server, _, asked := endpoint(t, "")
	config, err := (&cluster{kubeconfig: kubeconfig(t, "{token: good}")}).config()
	if err != nil {
		t.Fatal(err)
	}
	config.Host, config.Insecure = server, true
	restart, err := restarter(config)
	if err != nil {
		t.Fatal(err)
	}
	if err := restart(t.Context(), types.NamespacedName{Namespace: "mission-a", Name: "web-1"}); err != nil {
		t.Fatal(err)
	}
	if want := "/apis/subresources.kubevirt.io/v1/namespaces/mission-a/virtualmachines/web-1/restart"; asked.Method != http.MethodPut || asked.URL.Path != want {
		t.Errorf("asked %s %s", asked.Method, asked.URL.Path)
	}
}
