package facts

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	kubevirtv1 "kubevirt.io/api/core/v1"
	cdiv1beta1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
)

// tie is what ties a claim to an import.
type tie struct {
	Name                   string
	Owned, FilledElsewhere bool
}

func TestAClaimIsTiedToTheImportThatFilledIt(t *testing.T) {
	controller := true
	owner := func(uid types.UID) []metav1.OwnerReference {
		return []metav1.OwnerReference{{APIVersion: "cdi.kubevirt.io/v1beta1", Kind: "DataVolume", Name: "root", UID: uid, Controller: &controller}}
	}
	for name, c := range map[string]struct {
		annotations map[string]string
		gates       []string
		change      func(*corev1.PersistentVolumeClaim)
		want        tie
	}{
		"its own":                         {want: tie{"root", true, false}},
		"nobody's":                        {change: func(p *corev1.PersistentVolumeClaim) { p.OwnerReferences = nil }, want: tie{"root", false, false}},
		"a namesake's":                    {change: func(p *corev1.PersistentVolumeClaim) { p.OwnerReferences[0].UID = "older" }, want: tie{"root", false, false}},
		"elsewhere":                       {change: func(p *corev1.PersistentVolumeClaim) { p.Namespace = "other" }, want: tie{"root", false, false}},
		"populated before":                {annotations: map[string]string{prePopulated: "root"}, want: tie{"root", true, true}},
		"a static volume":                 {annotations: map[string]string{checkStaticClaim: ""}, want: tie{"root", true, true}},
		"adopted":                         {annotations: map[string]string{allowAdoption: "true"}, want: tie{"root", true, true}},
		"adoption said no to":             {annotations: map[string]string{allowAdoption: "false"}, gates: []string{"DataVolumeClaimAdoption"}, want: tie{"root", true, false}},
		"adopted by the gate":             {gates: []string{"DataVolumeClaimAdoption"}, want: tie{"root", true, true}},
		"made although it may be adopted": {annotations: map[string]string{allowAdoption: "true"}, change: func(p *corev1.PersistentVolumeClaim) { p.Annotations = map[string]string{createdFor: "dv"} }, want: tie{"root", true, false}},
		"made for another":                {annotations: map[string]string{allowAdoption: "true"}, change: func(p *corev1.PersistentVolumeClaim) { p.Annotations = map[string]string{createdFor: "older"} }, want: tie{"root", true, true}},
	} {
		t.Run(name, func(t *testing.T) {
			dv := volumeFrom("ns", "root", &cdiv1beta1.DataVolumeSource{HTTP: &cdiv1beta1.DataVolumeSourceHTTP{URL: "https://images.example/a"}})
			dv.UID, dv.Annotations, dv.Status.ClaimName = "dv", c.annotations, "root"
			claim := corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "root", OwnerReferences: owner("dv")}}
			if c.change != nil {
				c.change(&claim)
			}
			in := Build(&Gathered{
				Moment: Live, VirtualMachine: machineOf(specOf([]kubevirtv1.Volume{volumeNamed("root", "root")}, disk("root", 0))), DataVolumes: []cdiv1beta1.DataVolume{dv},
				Claims: []corev1.PersistentVolumeClaim{claim}, CDIConfig: &cdiv1beta1.CDIConfig{Spec: cdiv1beta1.CDIConfigSpec{FeatureGates: c.gates}},
			})
			step := in.Disks[0].Lineage[0]
			if diff := cmp.Diff(c.want, tie{step.ClaimName, step.ClaimOwned, step.FilledElsewhere}); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAnInstallerInADriveBootsWhereTheDiskIsEmpty(t *testing.T) {
	drive := disk("iso", 0)
	drive.CDRom = &kubevirtv1.CDRomTarget{}
	for want, source := range map[string]*cdiv1beta1.DataVolumeSource{
		"iso":  {Blank: &cdiv1beta1.DataVolumeBlankImage{}},
		"root": {HTTP: &cdiv1beta1.DataVolumeSourceHTTP{URL: "https://images.example/a"}},
	} {
		in := Build(&Gathered{
			VirtualMachine: machineOf(specOf([]kubevirtv1.Volume{volumeNamed("iso", "iso"), volumeNamed("root", "root")}, drive, disk("root", 0))),
			DataVolumes:    []cdiv1beta1.DataVolume{volumeFrom("ns", "root", source)},
		})
		for _, d := range in.Disks {
			if d.Boot != (d.Name == want) {
				t.Errorf("boot of %s is %t, want %s to boot", d.Name, d.Boot, want)
			}
		}
	}
}

func TestTwoSourcesAreNone(t *testing.T) {
	url := "docker://quay.io/a/b:1"
	dv := volumeFrom("ns", "root", &cdiv1beta1.DataVolumeSource{Registry: &cdiv1beta1.DataVolumeSourceRegistry{URL: &url}, Blank: &cdiv1beta1.DataVolumeBlankImage{}})
	step := Import{Namespace: "ns"}
	if next := (lineages{}).source(&dv, &step); next != "" || step.Source != "none" || len(step.Image) != 1 {
		t.Errorf("next %q, %+v: want source none, with the image still listed", next, step)
	}
}

func TestARequestThatOverflowsWhenInflatedHasNoBound(t *testing.T) {
	for size, known := range map[int64]bool{10 << 30: true, 9108107949344555008: false} {
		dv := volumeFrom("ns", "root", nil)
		dv.Spec.Storage = &cdiv1beta1.StorageSpec{}
		step := Import{}
		newLineages(&Gathered{}).request(&dv, &Disk{VirtualBytes: &size}, &step)
		if (step.RequiredBytes != nil) != known {
			t.Errorf("%d: required bytes %v", size, step.RequiredBytes)
		}
	}
}

// reached is an interface without the path that tells where it is written.
type reached struct{ Name, Binding, Network string }

func TestInterfacesThatNoSpecificationDescribesAreListed(t *testing.T) {
	pod := reached{"default", "default", "pod"}
	for name, c := range map[string]struct {
		notes   map[string]string
		running []kubevirtv1.VirtualMachineInstanceNetworkInterface
		want    []reached
	}{
		"none":                  {want: []reached{pod}},
		"an empty annotation":   {notes: map[string]string{networksAnnotation: " "}, want: []reached{pod}},
		"names":                 {notes: map[string]string{networksAnnotation: "lab@eth1, other/lan"}, want: []reached{{"annotation " + networksAnnotation + "[0]", "annotation", "ns/lab"}, {"annotation " + networksAnnotation + "[1]", "annotation", "other/lan"}, pod}},
		"a list":                {notes: map[string]string{networksAnnotation: `[{"name":"lab"},{"name":"lan","namespace":"other"}]`}, want: []reached{{"annotation " + networksAnnotation + "[0]", "annotation", "ns/lab"}, {"annotation " + networksAnnotation + "[1]", "annotation", "other/lan"}, pod}},
		"neither":               {notes: map[string]string{networksAnnotation: "[{"}, want: []reached{{"annotation " + networksAnnotation + "[0]", "annotation", "[{"}, pod}},
		"the pod network":       {notes: map[string]string{defaultNetworkAnnotation: "lab"}, want: []reached{{"annotation " + defaultNetworkAnnotation + "[0]", "annotation", "ns/lab"}, pod}},
		"one that runs":         {running: []kubevirtv1.VirtualMachineInstanceNetworkInterface{{Name: "default", InfoSource: "domain"}, {Name: "lab", InfoSource: "domain, multus-status"}}, want: []reached{{"lab", "unspecified", "other"}, pod}},
		"one of the guest only": {running: []kubevirtv1.VirtualMachineInstanceNetworkInterface{{Name: "docker0", InfoSource: "guest-agent"}, {InfoSource: "domain, guest-agent"}}, want: []reached{pod}},
	} {
		t.Run(name, func(t *testing.T) {
			vmi := &kubevirtv1.VirtualMachineInstance{}
			vmi.Name, vmi.Namespace, vmi.Annotations, vmi.Status.Interfaces = "web", "ns", c.notes, c.running
			got := []reached{}
			for _, n := range Build(&Gathered{VirtualMachineInstance: vmi, VirtualMachine: &kubevirtv1.VirtualMachine{ObjectMeta: vmi.ObjectMeta}}).Network.NICs {
				got = append(got, reached{n.Name, n.Binding, n.Network})
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAPolicySelectsThePodThatRunsByTheLabelsItHas(t *testing.T) {
	own := map[string]string{"uds.dev/vm": "web"}
	vmi := &kubevirtv1.VirtualMachineInstance{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "web", Labels: own}}
	policy := networkingv1.NetworkPolicy{ObjectMeta: metav1.ObjectMeta{Name: "deny"}, Spec: networkingv1.NetworkPolicySpec{PodSelector: metav1.LabelSelector{MatchLabels: own}}}
	for name, c := range map[string]struct {
		labels map[string]string
		want   []string
	}{
		"as it was made": {own, []string{"instance", "pod launcher"}},
		"relabelled":     {map[string]string{"uds.dev/vm": "other"}, []string{"instance"}},
	} {
		in := Build(&Gathered{
			VirtualMachineInstance: vmi, NetworkPolicies: []networkingv1.NetworkPolicy{policy},
			Launchers: []corev1.Pod{{ObjectMeta: metav1.ObjectMeta{Name: "launcher", Labels: c.labels}}},
		})
		if diff := cmp.Diff(c.want, in.Network.Policies[0].Selects); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
