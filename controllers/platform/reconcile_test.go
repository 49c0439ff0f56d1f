package platform

import (
	"context"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	cniv1 "cato.dev/cato/api/cni/v1"
	"cato.dev/cato/api/platform"
	"cato.dev/cato/controllers/children"
	"cato.dev/cato/controllers/decide"
	"cato.dev/cato/controllers/gather"
	"cato.dev/cato/controllers/internal/fixture"
	"cato.dev/cato/policy/engine"
)

var cluster fixture.Cluster

func TestMain(m *testing.M) { os.Exit(fixture.Main(m, "../..", &cluster)) }

const system = "virtfoundry-system"

// recorded keeps what the rules said of what was found changed.
type recorded struct {
	mu    sync.Mutex
	found []decide.Judgement
}

func (r *recorded) record(_ context.Context, found decide.Judgement, _ time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.found = append(r.found, found)
}

func (r *recorded) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.found = nil
}

// fails tells whether a rule failed on anything that was found.
func (r *recorded) fails(rule string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.ContainsFunc(r.found, func(j decide.Judgement) bool {
		return slices.ContainsFunc(j.Verdicts, func(v engine.Verdict) bool { return v.Rule.ID == rule && v.Value == engine.Fail })
	})
}

func deps(t *testing.T, c client.Client, tree fs.FS, events *fixture.Events, found *recorded) Deps {
	t.Helper()
	holder := NewHolder(c, system, "")
	gatherer := gather.FromReader(c, time.Now)
	gatherer.Platform = holder.Facts
	return Deps{Client: c, Holder: holder, Events: events, Gatherer: gatherer, Judge: fixture.Judge(t, tree), Record: found.record, Now: time.Now, Attachments: true}
}

func write(t *testing.T, text string) {
	t.Helper()
	err := cluster.Client.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: system}})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		t.Fatal(err)
	}
	file := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: system, Name: "virtfoundry-platform"}, Data: map[string]string{"platform.yaml": text}}
	if err := cluster.Client.Update(t.Context(), file); apierrors.IsNotFound(err) {
		err = cluster.Client.Create(t.Context(), file)
		if err != nil {
			t.Fatal(err)
		}
	} else if err != nil {
		t.Fatal(err)
	}
}

// found reads an object; nil when there is none.
func found[T client.Object](t *testing.T, object T, namespace, name string) (T, bool) {
	t.Helper()
	err := cluster.Client.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: name}, object)
	if err != nil && !apierrors.IsNotFound(err) {
		t.Fatal(err)
	}
	return object, err == nil
}

func bridgesSet(t *testing.T) (*appsv1.DaemonSet, bool) {
	t.Helper()
	return found(t, &appsv1.DaemonSet{}, "kube-system", platform.BridgesName)
}

func node(t *testing.T, name, address string) {
	t.Helper()
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if err := cluster.Client.Create(t.Context(), n); err != nil {
		t.Fatal(err)
	}
	n.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: address}}
	if err := cluster.Client.Status().Update(t.Context(), n); err != nil {
		t.Fatal(err)
	}
}

func TestTheBridgesAreMadePutRightAndTakenAway(t *testing.T) {
	events, told := &fixture.Events{}, &recorded{}
	cluster.Manager(t, func(mgr ctrl.Manager) error {
		return New(deps(t, mgr.GetClient(), nil, events, told)).SetupWithManager(mgr)
	})
	write(t, "networking: {public: {enabled: true}, isolated: {enabled: true}}")
	fixture.Eventually(t, "it is told that no Node gives a range", func() bool { return events.Has(EventNotMade) })
	if _, made := bridgesSet(t); made {
		t.Error("bridges were made of an unknown range")
	}
	node(t, "first", "172.18.5.30")
	fixture.Eventually(t, "the DaemonSet is made", func() bool { _, made := bridgesSet(t); return made })
	nad, made := found(t, &cniv1.NetworkAttachmentDefinition{}, system, "virtfoundry-public")
	if !made || nad.Spec.Config != `{"bridge":"vf-pub0","cniVersion":"0.3.1","ipam":{},"name":"virtfoundry-public","type":"bridge"}` {
		t.Errorf("attachment %+v", nad.Spec)
	}
	for what, c := range map[string]struct {
		rule  string // that fails on it; empty where none judges it
		spoil func(*appsv1.DaemonSet)
	}{
		"privileged": {"HST-001", func(d *appsv1.DaemonSet) {
			yes := true
			c := d.Spec.Template.Spec.Containers[0].SecurityContext
			c.Privileged, c.AllowPrivilegeEscalation = &yes, &yes
		}},
		"another image":    {"HST-002", func(d *appsv1.DaemonSet) { d.Spec.Template.Spec.Containers[0].Image = "quay.io/evil/tools" }},
		"the host's tasks": {"HST-001", func(d *appsv1.DaemonSet) { d.Spec.Template.Spec.HostPID = true }},
		"an uplink":        {"HST-003", func(d *appsv1.DaemonSet) { d.Spec.Template.Spec.Containers[0].Env[1].Value = "eth0" }},
		"a capability": {"HST-001", func(d *appsv1.DaemonSet) {
			d.Spec.Template.Spec.Containers[0].SecurityContext.Capabilities.Add = []corev1.Capability{"NET_ADMIN", "NET_RAW"}
		}},
		"a container": {"HST-003", func(d *appsv1.DaemonSet) {
			d.Spec.Template.Spec.Containers = append(d.Spec.Template.Spec.Containers, corev1.Container{Name: "other", Image: "quay.io/evil/tools"})
		}},
		"a folder of the host": {"HST-001", func(d *appsv1.DaemonSet) {
			d.Spec.Template.Spec.Volumes = []corev1.Volume{{Name: "root", VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/"}}}}
		}},
		"no labels": {"", func(d *appsv1.DaemonSet) { d.Labels = nil }},
	} {
		fixture.Eventually(t, what, func() bool {
			live, _ := bridgesSet(t)
			c.spoil(live)
			return cluster.Client.Update(t.Context(), live, client.FieldOwner("somebody")) == nil
		})
		spoilt, _ := bridgesSet(t)
		version := spoilt.Generation
		fixture.Eventually(t, what+" is put right", func() bool {
			live, _ := bridgesSet(t)
			pod := &live.Spec.Template.Spec
			c := pod.Containers[0]
			return live.Generation >= version && len(pod.Containers) == 2 && !pod.HostPID && len(pod.Volumes) == 0 && live.Labels["app.kubernetes.io/managed-by"] == "virtfoundry-operator" &&
				!*c.SecurityContext.Privileged && len(c.SecurityContext.Capabilities.Add) == 1 && strings.HasPrefix(c.Image, "docker.io/library/alpine") && c.Env[1].Value == ""
		})
		if c.rule != "" { // it is recorded after it was put right
			fixture.Eventually(t, what+" is recorded as a finding of "+c.rule, func() bool { return told.fails(c.rule) })
		}
		told.forget()
	}
	live, _ := bridgesSet(t)
	if err := cluster.Client.Delete(t.Context(), live); err != nil {
		t.Fatal(err)
	}
	fixture.Eventually(t, "it is made again", func() bool {
		again, made := bridgesSet(t)
		return made && again.UID != live.UID
	})
	write(t, "networking: {public: {enable: true}}")
	fixture.Eventually(t, "the wrong file is told", func() bool { return events.Has(EventRejected) })
	if _, made := bridgesSet(t); !made {
		t.Error("a wrong file took the bridges away")
	}
	write(t, "networking: {isolated: {enabled: true}}")
	fixture.Eventually(t, "the public network goes", func() bool {
		now, _ := bridgesSet(t)
		_, attached := found(t, &cniv1.NetworkAttachmentDefinition{}, system, "virtfoundry-public")
		return len(now.Spec.Template.Spec.Containers) == 1 && !attached
	})
	write(t, "")
	fixture.Eventually(t, "all goes", func() bool { _, made := bridgesSet(t); return !made })
}

func TestADaemonSetOfAnotherIsLeftAlone(t *testing.T) {
	write(t, "networking: {isolated: {enabled: true}, bridge: {namespace: default}}")
	config, err := platform.Decode([]byte("networking: {isolated: {enabled: true}, bridge: {namespace: default}}"))
	if err != nil {
		t.Fatal(err)
	}
	foreign := children.ForBridges(config, platform.Network{})
	foreign.Spec.Template.Spec.Containers[0].Image = "registry.example.com/theirs"
	if err := cluster.Client.Create(t.Context(), foreign, client.FieldOwner("somebody")); err != nil {
		t.Fatal(err)
	}
	events := &fixture.Events{}
	r := New(deps(t, cluster.Client, nil, events, &recorded{}))
	for range 2 {
		if result, err := r.Reconcile(t.Context(), reconcile.Request{}); err != nil || result.RequeueAfter == 0 {
			t.Errorf("%+v %v", result, err)
		}
	}
	now, _ := found(t, &appsv1.DaemonSet{}, "default", platform.BridgesName)
	if now.Spec.Template.Spec.Containers[0].Image != "registry.example.com/theirs" || len(events.Reasons()) != 1 || !events.Has(EventNotMade) {
		t.Errorf("image %s, events %v", now.Spec.Template.Spec.Containers[0].Image, events.Reasons())
	}
	write(t, "")
	if _, err := r.Reconcile(t.Context(), reconcile.Request{}); err != nil {
		t.Fatal(err)
	}
	if _, there := found(t, &appsv1.DaemonSet{}, "default", platform.BridgesName); !there {
		t.Error("it was deleted")
	}
}
