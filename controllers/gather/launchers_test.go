package gather_test

import (
	"context"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/types"
	kubevirtv1 "kubevirt.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"cato.dev/cato/controllers/gather"
	"cato.dev/cato/policy/facts"
)

const running = `
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web, namespace: ns, uid: vm}
spec: {instancetype: {name: big, kind: VirtualMachineClusterInstancetype, revisionName: pinned}, template: {spec: {domain: {devices: {}}}}}
---
apiVersion: kubevirt.io/v1
kind: VirtualMachineInstance
metadata: {name: web, namespace: ns, uid: vmi}
spec: {domain: {devices: {}}}
---
apiVersion: v1
kind: Pod
metadata: {name: mine, namespace: ns, uid: pod-1, ownerReferences: [{apiVersion: kubevirt.io/v1, kind: VirtualMachineInstance, name: web, uid: vmi, controller: true}]}
---
apiVersion: v1
kind: Pod
metadata: {name: ended, namespace: ns, ownerReferences: [{apiVersion: kubevirt.io/v1, kind: VirtualMachineInstance, name: web, uid: vmi, controller: true}]}
status: {phase: Succeeded}
---
apiVersion: v1
kind: Pod
metadata: {name: of-another, namespace: ns, ownerReferences: [{apiVersion: kubevirt.io/v1, kind: VirtualMachineInstance, name: web, uid: older, controller: true}]}
`

func gatherRunning(t *testing.T, more string, change func(*gather.Gatherer)) *facts.Gathered {
	t.Helper()
	files := filesOf(t, running+more)
	g := gather.FromReader(files, now)
	if change != nil {
		change(g)
	}
	var vm kubevirtv1.VirtualMachine
	if err := files.Get(t.Context(), client.ObjectKey{Namespace: "ns", Name: "web"}, &vm); err != nil {
		t.Fatal(err)
	}
	got, err := g.VirtualMachine(t.Context(), &vm, facts.Live)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestTheLaunchersAreTheInstancesPodsThatRun(t *testing.T) {
	got := gatherRunning(t, "", nil)
	if len(got.Launchers) != 1 || got.Launchers[0].Name != "mine" {
		t.Errorf("launchers: %+v", got.Launchers)
	}
	got = gatherRunning(t, "", func(g *gather.Gatherer) {
		g.Blind = func(resource, _ string) string {
			if resource == "pods" {
				return "the right is missing"
			}
			return ""
		}
	})
	if len(got.Launchers) != 0 || got.Unseen["network.launchers"] == "" {
		t.Errorf("launchers %+v, gaps %v", got.Launchers, got.Gaps)
	}
}

func TestALauncherWithoutKubeVirtsLabelIsMissed(t *testing.T) {
	files := filesOf(t, running)
	var vmi kubevirtv1.VirtualMachineInstance
	if err := files.Get(t.Context(), client.ObjectKey{Namespace: "ns", Name: "web"}, &vmi); err != nil {
		t.Fatal(err)
	}
	for active, missed := range map[types.UID]bool{"pod-1": false, "pod-9": true} {
		instance := vmi.DeepCopy()
		instance.Status.ActivePods = map[types.UID]string{active: "node-1"}
		var vm kubevirtv1.VirtualMachine
		if err := files.Get(t.Context(), client.ObjectKey{Namespace: "ns", Name: "web"}, &vm); err != nil {
			t.Fatal(err)
		}
		g := gather.FromReader(instead{files, instance}, now)
		got, err := g.VirtualMachine(t.Context(), &vm, facts.Live)
		if err != nil {
			t.Fatal(err)
		}
		if reason := got.Unseen["network.launchers"]; (reason != "") != missed {
			t.Errorf("active pod %s: gap %q", active, reason)
		}
	}
}

// instead answers with another instance than its reader holds.
type instead struct {
	client.Reader
	vmi *kubevirtv1.VirtualMachineInstance
}

func (r instead) Get(ctx context.Context, key client.ObjectKey, into client.Object, options ...client.GetOption) error {
	if vmi, ok := into.(*kubevirtv1.VirtualMachineInstance); ok {
		r.vmi.DeepCopyInto(vmi)
		return nil
	}
	return r.Reader.Get(ctx, key, into, options...)
}

func TestAPinnedInstancetypeIsReadFromItsRevision(t *testing.T) {
	const revision = "---\napiVersion: apps/v1\nkind: ControllerRevision\nmetadata: {name: pinned, namespace: ns}\nrevision: 0\ndata: "
	const good = "{apiVersion: instancetype.kubevirt.io/v1beta1, kind: VirtualMachineClusterInstancetype, spec: {cpu: {guest: 2, dedicatedCPUPlacement: true}, memory: {guest: 1Gi}}}\n"
	got := gatherRunning(t, revision+good, nil)
	if got.Instancetype == nil || got.Instancetype.CPU.DedicatedCPUPlacement == nil || !*got.Instancetype.CPU.DedicatedCPUPlacement {
		t.Errorf("instancetype: %+v", got.Instancetype)
	}
	for name, more := range map[string]string{
		"there is none":  "",
		"of another":     revision + "{kind: VirtualMachinePreference, spec: {}}\n",
		"of the old way": revision + "{apiVersion: x, spec: aGVsbG8=}\n",
	} {
		if got := gatherRunning(t, more, nil); got.Instancetype != nil || got.Gaps["compute"] == "" {
			t.Errorf("%s: instancetype %+v, gaps %v", name, got.Instancetype, got.Gaps)
		}
	}
}

func TestTheSchemeKnowsOfAppsOnlyRevisions(t *testing.T) {
	scheme, err := gather.Scheme()
	if err != nil {
		t.Fatal(err)
	}
	if scheme.Recognizes(appsv1.SchemeGroupVersion.WithKind("Deployment")) || !scheme.Recognizes(appsv1.SchemeGroupVersion.WithKind("ControllerRevision")) {
		t.Error("the scheme knows other kinds of apps")
	}
}
