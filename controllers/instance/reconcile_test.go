package instance

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/internal/fixture"
)

type change = func(*virtfoundryv1alpha1.Instance)

func TestAnInstanceBecomesASecretAndAMachine(t *testing.T) {
	w := start(t, fixture.Judge(t, nil))
	size := offering(t, "of-one", true)
	create(t, &virtfoundryv1alpha1.SSHKey{ObjectMeta: metav1.ObjectMeta{Name: "alice", Namespace: w.namespace}, Spec: virtfoundryv1alpha1.SSHKeySpec{PublicKey: keyOfAlice}})
	w.make(t, "web", func(i *virtfoundryv1alpha1.Instance) {
		i.Spec.OfferingRef = &virtfoundryv1alpha1.LocalObjectRef{Name: size.Name}
		i.Spec.SSHKeyRefs = []virtfoundryv1alpha1.LocalObjectRef{{Name: "alice"}}
		i.Spec.CloudInitUserData = "#cloud-config\nhostname: web\n"
	})
	instance := w.settle(t, "web")
	expect(t, instance, virtfoundryv1alpha1.InstanceStarting, "PolicyAllowed", metav1.ConditionTrue, "PolicyAllowed", "")
	vm := w.vm(t, "web")
	labels := map[string]string{"app.kubernetes.io/managed-by": "virtfoundry", "app.kubernetes.io/part-of": "virtfoundry", "virtfoundry.io/instance": "web"}
	if diff := cmp.Diff(labels, vm.Labels); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"kubevirt.io/domain": "web", "virtfoundry.io/vm": "web"}, vm.Spec.Template.ObjectMeta.Labels); diff != "" {
		t.Errorf("labels of the guest (-want +got):\n%s", diff)
	}
	spec := vm.Spec.Template.Spec
	if *vm.Spec.RunStrategy != kubevirtv1.RunStrategyAlways || spec.Domain.CPU.Cores != 2 || spec.Domain.CPU.DedicatedCPUPlacement || spec.Domain.Memory != nil {
		t.Errorf("strategy %s, cpu %+v, memory %+v", *vm.Spec.RunStrategy, spec.Domain.CPU, spec.Domain.Memory)
	}
	if r := spec.Domain.Resources; r.Requests.Memory().String() != "4Gi" || r.Limits.Memory().String() != "4Gi" || !r.Requests.Cpu().IsZero() {
		t.Errorf("resources %+v", spec.Domain.Resources)
	}
	if spec.Networks[0].Name != "lan" || spec.Networks[0].Multus.NetworkName != "web" || spec.Domain.Devices.Interfaces[0].Bridge == nil {
		t.Errorf("network %+v, interface %+v", spec.Networks, spec.Domain.Devices.Interfaces)
	}
	if spec.Volumes[0].ContainerDisk.Image != imageOfTests || spec.Volumes[1].CloudInitNoCloud.UserDataSecretRef.Name != "web-cloudinit" || spec.Volumes[1].CloudInitNoCloud.UserData != "" {
		t.Errorf("volumes %+v", spec.Volumes)
	}
	if data := w.userData(t, "web"); !strings.Contains(data, keyOfAlice) || !strings.Contains(data, "hostname: web") || strings.Count(data, "#cloud-config") != 1 {
		t.Errorf("user data:\n%s", data)
	}
	if instance.Status.KubeVirtName != "web" || instance.Finalizers[0] != virtfoundryv1alpha1.Finalizer {
		t.Errorf("status %+v, finalizers %v", instance.Status, instance.Finalizers)
	}
}

func TestWhatIsRefusedIsNotWritten(t *testing.T) {
	w := start(t, fixture.Judge(t, nil))
	w.template(t, "foreign", "docker.io/library/nginx@"+digestOfImage)
	w.template(t, "alike", "quay.io/containerdisks-evil/ubuntu@"+digestOfImage)
	create(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: virtfoundryv1alpha1.SystemNamespace}})
	create(t, &virtfoundryv1alpha1.Template{
		ObjectMeta: metav1.ObjectMeta{Name: "shadowed", Namespace: virtfoundryv1alpha1.SystemNamespace},
		Spec:       virtfoundryv1alpha1.TemplateSpec{Image: imageOfTests, SourceType: virtfoundryv1alpha1.TemplateContainer},
	})
	w.template(t, "shadowed", imageOfTests)
	from := func(name string) change {
		return func(i *virtfoundryv1alpha1.Instance) {
			i.Spec.TemplateRef = &virtfoundryv1alpha1.LocalObjectRef{Name: name}
		}
	}
	huge := offering(t, "huge", true, func(o *virtfoundryv1alpha1.Offering) { o.Spec.MemoryMi = 16384 })
	for name, c := range map[string]struct {
		wish change
		says string
	}{
		"none":   {func(i *virtfoundryv1alpha1.Instance) { i.Spec.TemplateRef = nil }, "TPL-001"},
		"shadow": {from("shadowed"), "has the name of a Template of the platform"},
		"image":  {from("foreign"), "IMG-003"},
		"alike":  {from("alike"), "IMG-003"},
		"nic":    {func(i *virtfoundryv1alpha1.Instance) { i.Spec.NICs = nil }, "NET-012"},
		"size": {func(i *virtfoundryv1alpha1.Instance) {
			i.Spec.OfferingRef = &virtfoundryv1alpha1.LocalObjectRef{Name: huge.Name}
		}, "RES-003"},
		"merge": {func(i *virtfoundryv1alpha1.Instance) {
			i.Spec.SSHKeyRefs, i.Spec.CloudInitUserData = []virtfoundryv1alpha1.LocalObjectRef{{Name: "alice"}}, "s3cret without a header"
		}, "cannot be merged into the user data: userdata"},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "merge" {
				create(t, &virtfoundryv1alpha1.SSHKey{ObjectMeta: metav1.ObjectMeta{Name: "alice", Namespace: w.namespace}, Spec: virtfoundryv1alpha1.SSHKeySpec{PublicKey: keyOfAlice}})
			}
			of := newWorld(w.deps.Judge, w.namespace, &fixture.Writes{})
			of.make(t, name, c.wish)
			instance := of.settle(t, name)
			expect(t, instance, virtfoundryv1alpha1.InstanceFailed, "PolicyAllowed", metav1.ConditionFalse, "PolicyDenied", c.says)
			if made := of.writes.Made(); len(made) != 1 || !strings.HasPrefix(made[0], "patch status") {
				t.Errorf("writes beside the status: %v", made)
			}
			if !of.events.Has(EventPolicyDenied) || len(instance.Finalizers) > 0 || instance.Status.ErrorMessage == "" || strings.Contains(instance.Status.ErrorMessage, "s3cret") {
				t.Errorf("events %v, status %+v", of.events.Reasons(), instance.Status)
			}
		})
	}
}

func TestWhatIsNotThereYetIsWaitedFor(t *testing.T) {
	w := start(t, fixture.Judge(t, nil))
	for name, c := range map[string]struct {
		wish change
		says string
	}{
		"template": {func(i *virtfoundryv1alpha1.Instance) { i.Spec.TemplateRef.Name = "nowhere" }, "Template nowhere exists neither in"},
		"network":  {func(i *virtfoundryv1alpha1.Instance) { i.Spec.NICs[0].NetworkRef.Name = "default-default" }, "names Network default-default, which does not exist"},
		"offering": {func(i *virtfoundryv1alpha1.Instance) {
			i.Spec.OfferingRef = &virtfoundryv1alpha1.LocalObjectRef{Name: "gone"}
		}, "Offering gone does not exist"},
		"key": {func(i *virtfoundryv1alpha1.Instance) {
			i.Spec.SSHKeyRefs = []virtfoundryv1alpha1.LocalObjectRef{{Name: "nobody"}}
		}, "SSHKey nobody does not exist"},
	} {
		t.Run(name, func(t *testing.T) {
			of := newWorld(w.deps.Judge, w.namespace, &fixture.Writes{})
			of.make(t, name, c.wish)
			if of.reconcile(t, name).RequeueAfter == 0 {
				t.Error("nobody comes back")
			}
			expect(t, of.instance(t, name), virtfoundryv1alpha1.InstancePending, "PolicyAllowed", metav1.ConditionUnknown, "PolicyUnknown", c.says)
			if made := of.writes.Made(); len(made) != 1 || !strings.HasPrefix(made[0], "patch status") {
				t.Errorf("writes beside the status: %v", made)
			}
		})
	}
}

func TestOutsideOfATenantNothingIsWritten(t *testing.T) {
	w := start(t, fixture.Judge(t, nil))
	labels := map[string]string{"app.kubernetes.io/part-of": "virtfoundry", "virtfoundry.io/tenant": "lookalike"}
	create(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "virtfoundry-tenant-lookalike", Labels: labels}})
	other := newWorld(w.deps.Judge, "virtfoundry-tenant-lookalike", &fixture.Writes{})
	other.template(t, "ubuntu", imageOfTests)
	other.network(t, "web", true)
	other.make(t, "web")
	expect(t, other.settle(t, "web"), virtfoundryv1alpha1.InstanceFailed, "PolicyAllowed", metav1.ConditionFalse, "PolicyDenied", "NS-004: namespace virtfoundry-tenant-lookalike is controlled by no Tenant")
	if exists(t, &kubevirtv1.VirtualMachine{}, other.namespace, "web") || exists(t, &corev1.Secret{}, other.namespace, "web-cloudinit") {
		t.Error("something was made in a namespace that is no tenant's")
	}
}

func TestDedicatedProcessorsNeedAnOfferingOfThePlatform(t *testing.T) {
	w := start(t, fixture.Judge(t, nil))
	own, platform := offering(t, "own-pinned", false), offering(t, "platform-pinned", true)
	pinned := func(o *virtfoundryv1alpha1.Offering) change {
		return func(i *virtfoundryv1alpha1.Instance) {
			i.Spec.DedicatedCPU, i.Spec.OfferingRef = true, &virtfoundryv1alpha1.LocalObjectRef{Name: o.Name}
		}
	}
	w.make(t, "not", pinned(own))
	instance := w.settle(t, "not")
	expect(t, instance, virtfoundryv1alpha1.InstanceStarting, "DedicatedCPU", metav1.ConditionFalse, "PolicyDenied", "virtfoundry.io/platform-owned=true")
	if w.vm(t, "not").Spec.Template.Spec.Domain.CPU.DedicatedCPUPlacement || !w.events.Has(EventUnpinned) {
		t.Errorf("it is pinned, or nobody says that it is not: %v", w.events.Reasons())
	}
	w.make(t, "pinned", pinned(platform))
	expect(t, w.settle(t, "pinned"), virtfoundryv1alpha1.InstanceStarting, "DedicatedCPU", metav1.ConditionTrue, "PolicyAllowed", "")
	spec := w.vm(t, "pinned").Spec.Template.Spec.Domain
	if !spec.CPU.DedicatedCPUPlacement || spec.Resources.Limits.Cpu().Value() != 2 || spec.Resources.Requests.Cpu().Value() != 2 {
		t.Errorf("%+v %+v", spec.CPU, spec.Resources)
	}
	delete(platform.Labels, virtfoundryv1alpha1.LabelPlatformOwned)
	update(t, platform)
	expect(t, w.settle(t, "pinned"), virtfoundryv1alpha1.InstanceStarting, "DedicatedCPU", metav1.ConditionFalse, "PolicyDenied", "")
	if spec := w.vm(t, "pinned").Spec.Template.Spec.Domain; spec.CPU.DedicatedCPUPlacement || !spec.Resources.Limits.Cpu().IsZero() {
		t.Errorf("the label is gone and the guest is pinned: %+v", spec)
	}
}

func TestThePodNetworkIsAddedAndTakesNothingAway(t *testing.T) {
	w := start(t, fixture.Judge(t, nil))
	w.make(t, "web", func(i *virtfoundryv1alpha1.Instance) {
		i.Annotations = map[string]string{virtfoundryv1alpha1.AnnotationAllowPodNetwork: " Yes "}
	})
	w.settle(t, "web")
	names := []string{}
	for _, nic := range w.vm(t, "web").Spec.Template.Spec.Domain.Devices.Interfaces {
		names = append(names, nic.Name)
	}
	if diff := cmp.Diff([]string{"default", "lan"}, names); diff != "" {
		t.Errorf("NICs (-want +got):\n%s", diff)
	}
	policy := w.judgedPolicies(t)
	for i := range policy {
		remove(t, &policy[i])
	}
	w.make(t, "open", func(i *virtfoundryv1alpha1.Instance) {
		i.Annotations = map[string]string{virtfoundryv1alpha1.AnnotationAllowPodNetwork: "true"}
	})
	expect(t, w.settle(t, "open"), virtfoundryv1alpha1.InstanceFailed, "PolicyAllowed", metav1.ConditionFalse, "PolicyDenied", "the pod network is asked for and not granted")
}

func TestWithoutGrantsNothingIsPinnedOrOnThePodNetwork(t *testing.T) {
	w := start(t, fixture.Judge(t, fixture.NothingGranted(t)))
	platform := offering(t, "nothing-granted", true)
	w.make(t, "greedy", func(i *virtfoundryv1alpha1.Instance) {
		i.Spec.OfferingRef, i.Spec.DedicatedCPU = &virtfoundryv1alpha1.LocalObjectRef{Name: platform.Name}, true
	})
	instance := w.settle(t, "greedy")
	expect(t, instance, virtfoundryv1alpha1.InstanceFailed, "DedicatedCPU", metav1.ConditionFalse, "PolicyDenied", "")
	expect(t, instance, virtfoundryv1alpha1.InstanceFailed, "PolicyAllowed", metav1.ConditionFalse, "PolicyDenied", "NET-012")
}

func TestUserDataIsFoundInItsOrder(t *testing.T) {
	w := start(t, fixture.Judge(t, nil))
	seed := func(name, text string) {
		create(t, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: w.namespace}, Data: map[string][]byte{"userData": []byte(text), "empty": {}}})
	}
	seed("own", "#cloud-config\nhostname: own-secret\n")
	seed("of-template", "#cloud-config\nhostname: template-secret\n")
	w.template(t, "seeded", imageOfTests, func(p *virtfoundryv1alpha1.Template) {
		p.Spec.CloudInitSecretRef, p.Spec.CloudInitUserData = &virtfoundryv1alpha1.SecretKeyRef{Name: "of-template"}, "#cloud-config\nhostname: template-text\n"
	})
	w.template(t, "inline", imageOfTests, func(p *virtfoundryv1alpha1.Template) {
		p.Spec.CloudInitUserData = "#cloud-config\nhostname: template-text\n"
	})
	from := func(template string, secret *virtfoundryv1alpha1.SecretKeyRef, text string) change {
		return func(i *virtfoundryv1alpha1.Instance) {
			i.Spec.TemplateRef.Name, i.Spec.CloudInitSecretRef, i.Spec.CloudInitUserData = template, secret, text
		}
	}
	for name, c := range map[string]struct {
		wish change
		want string
	}{
		"a": {from("seeded", &virtfoundryv1alpha1.SecretKeyRef{Name: "own"}, "#cloud-config\nhostname: own-text\n"), "own-secret"},
		"b": {from("seeded", nil, "#cloud-config\nhostname: own-text\n"), "own-text"},
		"c": {from("seeded", nil, "  "), "template-secret"},
		"d": {from("inline", nil, ""), "template-text"},
		"e": {from("ubuntu", nil, ""), "#cloud-config\n"},
	} {
		w.make(t, name, c.wish)
		w.settle(t, name)
		if data := w.userData(t, name); !strings.Contains(data, c.want) {
			t.Errorf("%s: user data %q, want %q in it", name, data, c.want)
		}
	}
	for name, secret := range map[string]virtfoundryv1alpha1.SecretKeyRef{"f": {Name: "none"}, "g": {Name: "own", Key: "other"}, "h": {Name: "own", Key: "empty"}} {
		w.make(t, name, from("inline", &secret, ""))
		if w.reconcile(t, name).RequeueAfter == 0 {
			t.Errorf("%s: nobody comes back", name)
		}
		expect(t, w.instance(t, name), virtfoundryv1alpha1.InstancePending, "PolicyAllowed", metav1.ConditionUnknown, "PolicyUnknown", "spec.cloudInitSecretRef")
		if exists(t, &kubevirtv1.VirtualMachine{}, w.namespace, name) {
			t.Errorf("%s: a guest without its user data", name)
		}
	}
}

func TestANetworkThatIsBeingMadeIsWaitedFor(t *testing.T) {
	w := start(t, fixture.Judge(t, nil))
	network := w.network(t, "later", false)
	w.make(t, "web", func(i *virtfoundryv1alpha1.Instance) { i.Spec.NICs[0].NetworkRef.Name = "later" })
	w.reconcile(t, "web")
	expect(t, w.instance(t, "web"), virtfoundryv1alpha1.InstancePending, "PolicyAllowed", metav1.ConditionUnknown, "PolicyUnknown", "NetworkAttachmentDefinition")
	w.attach(t, network)
	expect(t, w.settle(t, "web"), virtfoundryv1alpha1.InstanceStarting, "PolicyAllowed", metav1.ConditionTrue, "PolicyAllowed", "")
}
