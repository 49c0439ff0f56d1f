package facts

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	kubevirtv1 "kubevirt.io/api/core/v1"
	instancetypev1beta1 "kubevirt.io/api/instancetype/v1beta1"

	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
)

func TestADocumentOfNothingIsTotal(t *testing.T) {
	for name, g := range map[string]*Gathered{
		"nothing":   {},
		"a Tenant":  {Tenant: &virtfoundryv1alpha1.Tenant{}, Namespace: &corev1.Namespace{}, Request: &Request{Groups: []string{}}},
		"a machine": {Machine: &udsv1alpha1.UDSVirtualMachine{Spec: udsv1alpha1.UDSVirtualMachineSpec{SourceType: "registry", Checksum: "x"}}, VirtualMachine: machineOf(specOf(nil))},
	} {
		in := Build(g)
		data, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		nullable := strings.NewReplacer(`"value":null`, "", `"number":null`, "", `"end":null`, "", `"virtualBytes":null`, "").Replace(string(data))
		if strings.Contains(nullable, "null") {
			t.Errorf("%s: a list or a map is null in %s", name, data)
		}
	}
}

func TestWhatIsMissingIsAGap(t *testing.T) {
	machine := []string{"compute", "disks", "guest", "images", "network.launchers", "network.nics"}
	withType := machineOf(specOf(nil))
	withType.Spec.Instancetype = &kubevirtv1.InstancetypeMatcher{Name: "large"}
	for name, c := range map[string]struct {
		g    Gathered
		want []string
	}{
		"a machine without VirtualMachine":       {Gathered{Machine: &udsv1alpha1.UDSVirtualMachine{}}, machine},
		"a VirtualMachine without template":      {Gathered{VirtualMachine: &kubevirtv1.VirtualMachine{}}, machine},
		"an instance without template":           {Gathered{VirtualMachine: &kubevirtv1.VirtualMachine{}, VirtualMachineInstance: &kubevirtv1.VirtualMachineInstance{}}, machine},
		"a Tenant has no machine":                {Gathered{Tenant: &virtfoundryv1alpha1.Tenant{}}, nil},
		"a machine that is there":                {Gathered{VirtualMachine: machineOf(specOf(nil))}, nil},
		"an instancetype that could not be read": {Gathered{VirtualMachine: withType}, []string{"compute"}},
		"an instancetype that could be read":     {Gathered{VirtualMachine: withType, Instancetype: &instancetypev1beta1.VirtualMachineInstancetypeSpec{}}, nil},
		"what was gathered with a gap":           {Gathered{VirtualMachine: machineOf(specOf(nil)), Gaps: map[string]string{"network.policies": "no right"}}, []string{"network.policies"}},
	} {
		in := Build(&c.g)
		if diff := cmp.Diff(c.want, slices.Sorted(maps.Keys(in.Gaps))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		for path, reason := range in.Gaps {
			if reason == "" {
				t.Errorf("%s: gap %s without a reason", name, path)
			}
		}
	}
}

func TestTheGapsOfWhatWasGatheredAreNotWrittenTo(t *testing.T) {
	g := &Gathered{Machine: &udsv1alpha1.UDSVirtualMachine{}, Gaps: map[string]string{"guest": "no right"}}
	if in := Build(g); in.Gaps["guest"] != "no right" {
		t.Errorf("the first reason is lost: %v", in.Gaps)
	}
	if len(g.Gaps) != 1 {
		t.Errorf("Build changed what was gathered: %v", g.Gaps)
	}
}

func TestAnInstancetypeDecidesAboutProcessorsToo(t *testing.T) {
	yes := true
	spec := specOf(nil)
	spec.Domain.CPU = &kubevirtv1.CPU{}
	vm := machineOf(spec)
	vm.Spec.Instancetype = &kubevirtv1.InstancetypeMatcher{Name: "large"}
	in := Build(&Gathered{VirtualMachine: vm, Instancetype: &instancetypev1beta1.VirtualMachineInstancetypeSpec{CPU: instancetypev1beta1.CPUInstancetype{DedicatedCPUPlacement: &yes}}})
	want := []Placement{
		{Launcher: "template", Path: "VirtualMachine/web spec.template.spec.domain.cpu.dedicatedCpuPlacement"},
		{Launcher: "template", Path: "instancetype large spec.cpu.dedicatedCPUPlacement", Dedicated: true},
	}
	if diff := cmp.Diff(want, in.Compute.Placements); diff != "" {
		t.Error(diff)
	}
}

func controlledBy(uid types.UID) []metav1.OwnerReference {
	yes := true
	return []metav1.OwnerReference{{APIVersion: "v1", Kind: "X", UID: "other"}, {APIVersion: "virtfoundry.io/v1alpha1", Kind: "Tenant", Name: "acme", UID: uid, Controller: &yes}}
}

func TestATenantAndItsRivalsAreToldApartByUID(t *testing.T) {
	born := metav1.NewTime(time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("east", 3600)))
	tenant := virtfoundryv1alpha1.Tenant{ObjectMeta: metav1.ObjectMeta{Name: "acme", UID: "1", CreationTimestamp: born}, Spec: virtfoundryv1alpha1.TenantSpec{Slug: "ähm"}}
	rival := *tenant.DeepCopy()
	rival.Name, rival.UID, rival.DeletionTimestamp = "zeta", "2", &born
	other := *rival.DeepCopy()
	other.Name, other.UID, other.CreationTimestamp, other.DeletionTimestamp = "beta", "", metav1.Time{}, nil
	for owner, owns := range map[types.UID][2]bool{"1": {true, false}, "2": {false, true}, "3": {}, "": {}} {
		in := Build(&Gathered{
			Tenant: &tenant, Rivals: []virtfoundryv1alpha1.Tenant{rival, other},
			Namespace: &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{OwnerReferences: controlledBy(owner)}},
		})
		want := Tenant{
			Slug: "ähm", SlugLength: 3, NamespaceName: "virtfoundry-tenant-ähm", CreatedAt: "2026-01-02T02:04:05Z", OwnsNamespace: owns[0],
			Rivals: []Rival{{Name: "beta"}, {Name: "zeta", UID: "2", CreatedAt: "2026-01-02T02:04:05Z", Deleting: true, OwnsNamespace: owns[1]}},
		}
		if diff := cmp.Diff([]Tenant{want}, in.Object.Tenant); diff != "" {
			t.Errorf("owned by %q (-want +got):\n%s", owner, diff)
		}
	}
}

func TestANamespaceIsDescribedWithItsOwners(t *testing.T) {
	now := metav1.Now()
	for name, c := range map[string]struct {
		deleted     *metav1.Time
		phase       corev1.NamespacePhase
		terminating bool
	}{"active": {nil, corev1.NamespaceActive, false}, "deleted": {&now, corev1.NamespaceActive, true}, "in the phase": {nil, corev1.NamespaceTerminating, true}} {
		got := buildNamespace(&corev1.Namespace{
			ObjectMeta: metav1.ObjectMeta{Name: "a", UID: "1", DeletionTimestamp: c.deleted, OwnerReferences: controlledBy("2")}, Status: corev1.NamespaceStatus{Phase: c.phase},
		})
		want := []Namespace{{Name: "a", UID: "1", Labels: map[string]string{}, Terminating: c.terminating, Owners: []Owner{
			{Kind: "X", UID: "other"}, {Group: "virtfoundry.io", Kind: "Tenant", Name: "acme", UID: "2", Controller: true},
		}}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestAMachineSaysWhatItAsksFor(t *testing.T) {
	cores, end := int32(4), int32(99)
	m := &udsv1alpha1.UDSVirtualMachine{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "web"}, Spec: udsv1alpha1.UDSVirtualMachineSpec{
		Memory: "4Gi", DiskSize: "1e30", CPU: udsv1alpha1.CPU{Cores: &cores, Dedicated: true}, SourceType: "registry", URL: "quay.io/a/b",
		DataDisks: []udsv1alpha1.DataDisk{{Name: "d", Size: "1Gi"}},
		Network: &udsv1alpha1.Network{Networks: []string{"lan", "other/lan"}, Egress: []udsv1alpha1.EgressRule{
			{CIDR: "10.0.0.0/8", Ports: []udsv1alpha1.Port{{Port: 53, EndPort: &end, Protocol: "UDP"}, {Port: 1}}}, {CIDR: "10.0.0.0/33"}, {CIDR: ""},
		}},
		Guest: &udsv1alpha1.Guest{UserDataSecretRef: &udsv1alpha1.SecretKeyRef{Name: "user-data"}},
	}}
	memory, data, first, last, one := int64(4<<30), int64(1<<30), int64(53), int64(99), int64(1)
	want := Machine{
		SourceType: "registry", URL: "quay.io/a/b", Image: []Image{{Text: "quay.io/a/b", Valid: true, Registry: "quay.io", Path: []string{"a", "b"}}}, Checksum: []Checksum{},
		Cores: 4, Dedicated: true, Memory: Quantity{Text: "4Gi", Value: &memory}, DiskSize: Quantity{Text: "1e30", Problem: "overflows 64 bits"},
		DataDisks: []DataDisk{{Name: "d", Size: Quantity{Text: "1Gi", Value: &data}}}, Networks: []string{"ns/lan", "other/lan"}, UserDataFrom: "user-data",
		Egress: []Egress{
			{Path: "spec.network.egress[0]", CIDR: "10.0.0.0/8", Valid: true, Ports: []Port{{Protocol: "UDP", Number: &first, End: &last}, {Protocol: "TCP", Number: &one}}},
			{Path: "spec.network.egress[1]", CIDR: "10.0.0.0/33", Ports: []Port{}}, {Path: "spec.network.egress[2]", Ports: []Port{}},
		},
	}
	if diff := cmp.Diff(want, buildMachine(m)); diff != "" {
		t.Error(diff)
	}
}

func TestInterfacesSayHowTheyAreBoundAndToWhat(t *testing.T) {
	no := false
	plain := specOf(nil)
	without := specOf(nil)
	without.Domain.Devices.AutoattachPodInterface = &no
	many := specOf(nil)
	many.Networks = []kubevirtv1.Network{*kubevirtv1.DefaultPodNetwork(), {Name: "lan", NetworkSource: kubevirtv1.NetworkSource{Multus: &kubevirtv1.MultusNetwork{NetworkName: "lan"}}}}
	many.Domain.Devices.Interfaces = []kubevirtv1.Interface{
		*kubevirtv1.DefaultMasqueradeNetworkInterface(), {Name: "lan", InterfaceBindingMethod: kubevirtv1.InterfaceBindingMethod{SRIOV: &kubevirtv1.InterfaceSRIOV{}}},
		{Name: "lost", Binding: &kubevirtv1.PluginBinding{Name: "x"}},
	}
	for name, c := range map[string]struct {
		spec kubevirtv1.VirtualMachineInstanceSpec
		want []string
	}{
		"none named":       {plain, []string{"default default pod"}},
		"none wanted":      {without, []string{}},
		"of several kinds": {many, []string{"default masquerade pod", "lan sriov ns/lan", "lost plugin:x absent"}},
	} {
		got := []string{}
		for _, n := range Build(&Gathered{VirtualMachine: machineOf(c.spec)}).Network.NICs {
			got = append(got, n.Name+" "+n.Binding+" "+n.Network)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
