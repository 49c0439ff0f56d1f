package instance

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/internal/fixture"
)

func (w *world) judgedPolicies(t *testing.T) []networkingv1.NetworkPolicy {
	t.Helper()
	var policies networkingv1.NetworkPolicyList
	if err := cluster.Client.List(t.Context(), &policies, client.InNamespace(w.namespace)); err != nil {
		t.Fatal(err)
	}
	return policies.Items
}

func TestARunningGuestIsShownWithAllItsAddresses(t *testing.T) {
	w := start(t, fixture.Judge(t, nil))
	w.make(t, "web")
	w.settle(t, "web")
	w.running(t, "web", func(vmi *kubevirtv1.VirtualMachineInstance) {
		vmi.Status.Interfaces = []kubevirtv1.VirtualMachineInstanceNetworkInterface{
			{Name: "docker0", IP: "172.17.0.1", IPs: []string{"172.17.0.1"}},
			{Name: "lan", MAC: "02:00:00:00:00:01", IP: "fe80::1", IPs: []string{"fe80::1", "10.0.1.7", "fd00::7"}, InfoSource: "domain, guest-agent"},
		}
	})
	instance := w.settle(t, "web")
	expect(t, instance, virtfoundryv1alpha1.InstanceRunning, "Ready", metav1.ConditionTrue, "Reconciled", "runs as asked")
	expect(t, instance, virtfoundryv1alpha1.InstanceRunning, "RestartRequired", metav1.ConditionFalse, "UpToDate", "")
	want := []virtfoundryv1alpha1.InterfaceStatus{
		{Name: "lan", MAC: "02:00:00:00:00:01", IPAddresses: []string{"fe80::1", "10.0.1.7", "fd00::7"}},
		{Name: "docker0", IPAddresses: []string{"172.17.0.1"}},
	}
	if diff := cmp.Diff(want, instance.Status.Interfaces); diff != "" || instance.Status.IP != "10.0.1.7" {
		t.Errorf("primary %s, interfaces (-want +got):\n%s", instance.Status.IP, diff)
	}
}

func TestAnotherSizeReachesTheMachineAndAsksForARestart(t *testing.T) {
	w := start(t, fixture.Judge(t, nil))
	size := offering(t, "growing", true)
	w.make(t, "web", func(i *virtfoundryv1alpha1.Instance) {
		i.Spec.OfferingRef = &virtfoundryv1alpha1.LocalObjectRef{Name: size.Name}
	})
	w.settle(t, "web")
	w.running(t, "web")
	w.settle(t, "web")
	size.Spec.CPU, size.Spec.MemoryMi = 4, 8192
	update(t, size)
	instance := w.settle(t, "web")
	expect(t, instance, virtfoundryv1alpha1.InstanceRunning, "RestartRequired", metav1.ConditionTrue, "RestartRequired", "another number of cores, memory than")
	if domain := w.vm(t, "web").Spec.Template.Spec.Domain; domain.CPU.Cores != 4 || domain.Resources.Requests.Memory().String() != "8Gi" {
		t.Errorf("%+v", domain)
	}
	if !w.events.Has(EventRestartRequired) || w.events.Has(EventRepaired) {
		t.Errorf("events %v", w.events.Reasons())
	}
}

func TestEachOwnedFieldIsPutRight(t *testing.T) {
	w := start(t, fixture.Judge(t, nil))
	w.make(t, "web")
	w.settle(t, "web")
	made := w.vm(t, "web")
	halted := kubevirtv1.RunStrategyHalted
	for name, c := range map[string]struct {
		drift func(*kubevirtv1.VirtualMachine)
		event string
	}{
		"run strategy": {func(vm *kubevirtv1.VirtualMachine) { vm.Spec.RunStrategy = &halted }, EventPowerRestored},
		"label":        {func(vm *kubevirtv1.VirtualMachine) { vm.Labels[virtfoundryv1alpha1.LabelInstance] = "other" }, EventRepaired},
		"guest label": {func(vm *kubevirtv1.VirtualMachine) {
			delete(vm.Spec.Template.ObjectMeta.Labels, virtfoundryv1alpha1.LabelVM)
		}, EventRepaired},
		"owner":   {func(vm *kubevirtv1.VirtualMachine) { vm.OwnerReferences = nil }, EventRepaired},
		"cores":   {func(vm *kubevirtv1.VirtualMachine) { vm.Spec.Template.Spec.Domain.CPU.Cores = 8 }, EventRepaired},
		"pinning": {func(vm *kubevirtv1.VirtualMachine) { vm.Spec.Template.Spec.Domain.CPU.DedicatedCPUPlacement = true }, EventRepaired},
		"memory": {func(vm *kubevirtv1.VirtualMachine) {
			vm.Spec.Template.Spec.Domain.Resources.Limits[corev1.ResourceMemory] = resource.MustParse("9Gi")
		}, EventRepaired},
		"processors": {func(vm *kubevirtv1.VirtualMachine) {
			vm.Spec.Template.Spec.Domain.Resources.Requests[corev1.ResourceCPU] = resource.MustParse("7")
		}, EventRepaired},
		"image": {func(vm *kubevirtv1.VirtualMachine) {
			vm.Spec.Template.Spec.Volumes[0].ContainerDisk.Image = "docker.io/evil/image"
		}, EventRepaired},
		"network": {func(vm *kubevirtv1.VirtualMachine) {
			vm.Spec.Template.Spec.Networks[0].NetworkSource = kubevirtv1.NetworkSource{Pod: &kubevirtv1.PodNetwork{}}
		}, EventRepaired},
		"second NIC": {func(vm *kubevirtv1.VirtualMachine) {
			vm.Spec.Template.Spec.Networks = append(vm.Spec.Template.Spec.Networks, *kubevirtv1.DefaultPodNetwork())
			vm.Spec.Template.Spec.Domain.Devices.Interfaces = append(vm.Spec.Template.Spec.Domain.Devices.Interfaces, *kubevirtv1.DefaultMasqueradeNetworkInterface())
		}, EventRepaired},
		"user data": {func(vm *kubevirtv1.VirtualMachine) {
			vm.Spec.Template.Spec.Volumes[1].CloudInitNoCloud = &kubevirtv1.CloudInitNoCloudSource{UserData: "#cloud-config\nssh_pwauth: true\n"}
		}, EventRepaired},
	} {
		before := len(w.found)
		of := newWorld(w.deps.Judge, w.namespace, &fixture.Writes{})
		of.settle(t, "web")
		vm := w.vm(t, "web")
		c.drift(vm)
		update(t, vm)
		of.settle(t, "web")
		if diff := cmp.Diff(made.Spec, w.vm(t, "web").Spec); diff != "" {
			t.Errorf("%s is not put right (-want +got):\n%s", name, diff)
		}
		if now := w.vm(t, "web"); !metav1.IsControlledBy(now, w.instance(t, "web")) || now.Labels[virtfoundryv1alpha1.LabelInstance] != "web" || now.UID != made.UID {
			t.Errorf("%s: metadata %+v", name, now.ObjectMeta)
		}
		if len(of.found) == before || !of.events.Has(c.event) {
			t.Errorf("%s: nobody was told: %v", name, of.events.Reasons())
		}
	}
}

func TestTheSecretIsPutRightAndMadeAgain(t *testing.T) {
	w := start(t, fixture.Judge(t, nil))
	w.make(t, "web", func(i *virtfoundryv1alpha1.Instance) { i.Spec.CloudInitUserData = "#cloud-config\nhostname: web\n" })
	w.settle(t, "web")
	secret := get(t, &corev1.Secret{}, w.namespace, "web-cloudinit")
	secret.Data["userdata"], secret.Data["userData"] = []byte("#cloud-config\nssh_pwauth: true\n"), []byte("x")
	update(t, secret)
	w.settle(t, "web")
	if secret = get(t, &corev1.Secret{}, w.namespace, "web-cloudinit"); !strings.Contains(string(secret.Data["userdata"]), "hostname: web") {
		t.Errorf("keys %d, user data %s", len(secret.Data), secret.Data["userdata"])
	}
	remove(t, secret)
	w.settle(t, "web")
	w.userData(t, "web")
}

func TestDisksOfOthersAreKept(t *testing.T) {
	w := start(t, fixture.Judge(t, nil))
	w.make(t, "web")
	w.settle(t, "web")
	vm := w.vm(t, "web")
	vm.Spec.Template.Spec.Volumes = append(vm.Spec.Template.Spec.Volumes, kubevirtv1.Volume{Name: "data", VolumeSource: kubevirtv1.VolumeSource{EmptyDisk: &kubevirtv1.EmptyDiskSource{Capacity: resource.MustParse("1Gi")}}})
	vm.Spec.Template.Spec.Domain.Devices.Disks = append(vm.Spec.Template.Spec.Domain.Devices.Disks, kubevirtv1.Disk{Name: "data"})
	update(t, vm)
	instance := w.settle(t, "web")
	instance.Spec.PowerState = virtfoundryv1alpha1.PowerHalted
	update(t, instance)
	expect(t, w.settle(t, "web"), virtfoundryv1alpha1.InstanceStopped, "Ready", metav1.ConditionTrue, "Reconciled", "off as asked")
	vm = w.vm(t, "web")
	hasData := func(v kubevirtv1.Volume) bool { return v.Name == "data" }
	if !slices.ContainsFunc(vm.Spec.Template.Spec.Volumes, hasData) || *vm.Spec.RunStrategy != kubevirtv1.RunStrategyHalted {
		t.Errorf("strategy %s, volumes %+v", *vm.Spec.RunStrategy, vm.Spec.Template.Spec.Volumes)
	}
}

func TestAMachineOfAnotherIsNeitherAdoptedNorDeleted(t *testing.T) {
	w := start(t, fixture.Judge(t, nil))
	theirs := &kubevirtv1.VirtualMachine{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: w.namespace},
		Spec:       kubevirtv1.VirtualMachineSpec{RunStrategy: new(kubevirtv1.RunStrategyManual), Template: &kubevirtv1.VirtualMachineInstanceTemplateSpec{}},
	}
	create(t, theirs)
	w.make(t, "web")
	instance := w.settle(t, "web")
	expect(t, instance, virtfoundryv1alpha1.InstanceFailed, "PolicyAllowed", metav1.ConditionFalse, "PolicyDenied", "grant machine_adopt is not given")
	if now := w.vm(t, "web"); len(now.OwnerReferences) > 0 || instance.Status.KubeVirtName != "" || *now.Spec.RunStrategy != kubevirtv1.RunStrategyManual {
		t.Errorf("owners %v, status %+v", now.OwnerReferences, instance.Status)
	}
	remove(t, instance)
	w.reconcile(t, "web")
	if !exists(t, &kubevirtv1.VirtualMachine{}, w.namespace, "web") || exists(t, &virtfoundryv1alpha1.Instance{}, w.namespace, "web") {
		t.Error("the machine went with the Instance, or the Instance stayed")
	}

	w.make(t, "web")
	theirs = w.vm(t, "web")
	theirs.Labels = map[string]string{virtfoundryv1alpha1.LabelPartOf: virtfoundryv1alpha1.PartOf, virtfoundryv1alpha1.LabelInstance: "web"}
	update(t, theirs)
	instance = w.settle(t, "web")
	expect(t, instance, virtfoundryv1alpha1.InstanceStarting, "PolicyAllowed", metav1.ConditionTrue, "PolicyAllowed", "")
	if now := w.vm(t, "web"); !metav1.IsControlledBy(now, instance) || now.UID != theirs.UID || !w.events.Has(EventAdopted) {
		t.Errorf("owners %v, events %v", now.OwnerReferences, w.events.Reasons())
	}
}

func TestTheStatusSteersNothing(t *testing.T) {
	w := start(t, fixture.Judge(t, nil))
	victim := w.make(t, "victim")
	w.settle(t, victim.Name)
	instance := w.make(t, "web")
	before := instance.DeepCopy()
	instance.Status.KubeVirtName = "victim"
	if err := cluster.Client.Status().Patch(t.Context(), instance, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
	instance = w.settle(t, "web")
	if instance.Status.KubeVirtName != "web" {
		t.Errorf("status %+v", instance.Status)
	}
	remove(t, instance)
	w.gone(t, "web")
	w.vm(t, "victim")
}

// gone reconciles a deletion to its end, with KubeVirt's part played.
func (w *world) gone(t *testing.T, name string) {
	t.Helper()
	for range 10 {
		if !exists(t, &virtfoundryv1alpha1.Instance{}, w.namespace, name) {
			return
		}
		w.reconcile(t, name)
	}
	t.Fatalf("Instance %s does not go: %+v", name, w.instance(t, name).Status)
}

func TestADeletionWaitsForTheGuest(t *testing.T) {
	w := start(t, fixture.Judge(t, nil))
	w.make(t, "web")
	w.settle(t, "web")
	vmi := w.running(t, "web", func(vmi *kubevirtv1.VirtualMachineInstance) {
		vmi.Finalizers = []string{"kubevirt.io/foregroundDeleteVirtualMachine"}
	})
	remove(t, w.instance(t, "web"))
	for range 3 {
		if w.reconcile(t, "web").RequeueAfter == 0 {
			t.Error("nobody comes back")
		}
	}
	expect(t, w.instance(t, "web"), virtfoundryv1alpha1.InstanceTerminating, "Ready", metav1.ConditionFalse, "Terminating", "is being stopped")
	if exists(t, &kubevirtv1.VirtualMachine{}, w.namespace, "web") {
		t.Error("the VirtualMachine is still there")
	}
	vmi = get(t, vmi, w.namespace, "web")
	vmi.Finalizers = nil
	update(t, vmi)
	if vmi.DeletionTimestamp == nil {
		remove(t, vmi)
	}
	w.gone(t, "web")
}

func TestARefusedInstanceCanStillBeSwitchedOff(t *testing.T) {
	w := start(t, fixture.Judge(t, nil))
	w.make(t, "web")
	w.settle(t, "web")
	instance := w.instance(t, "web")
	w.template(t, "foreign", "docker.io/library/nginx@"+digestOfImage)
	instance.Spec.TemplateRef.Name, instance.Spec.PowerState = "foreign", virtfoundryv1alpha1.PowerHalted
	update(t, instance)
	expect(t, w.settle(t, "web"), virtfoundryv1alpha1.InstanceFailed, "PolicyAllowed", metav1.ConditionFalse, "PolicyDenied", "IMG-003")
	if vm := w.vm(t, "web"); *vm.Spec.RunStrategy != kubevirtv1.RunStrategyHalted || vm.Spec.Template.Spec.Volumes[0].ContainerDisk.Image != imageOfTests {
		t.Errorf("strategy %s", *vm.Spec.RunStrategy)
	}
}
