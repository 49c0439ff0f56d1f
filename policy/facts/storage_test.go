package facts

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	cdiv1beta1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
)

func volumeNamed(name, claim string) kubevirtv1.Volume {
	return kubevirtv1.Volume{Name: name, VolumeSource: kubevirtv1.VolumeSource{DataVolume: &kubevirtv1.DataVolumeSource{Name: claim}}}
}

func cloudInit(name, userData string) kubevirtv1.Volume {
	return kubevirtv1.Volume{Name: name, VolumeSource: kubevirtv1.VolumeSource{CloudInitNoCloud: &kubevirtv1.CloudInitNoCloudSource{UserData: userData}}}
}

func machineOf(spec kubevirtv1.VirtualMachineInstanceSpec) *kubevirtv1.VirtualMachine {
	return &kubevirtv1.VirtualMachine{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "web"},
		Spec:       kubevirtv1.VirtualMachineSpec{Template: &kubevirtv1.VirtualMachineInstanceTemplateSpec{Spec: spec}},
	}
}

func specOf(volumes []kubevirtv1.Volume, disks ...kubevirtv1.Disk) kubevirtv1.VirtualMachineInstanceSpec {
	return kubevirtv1.VirtualMachineInstanceSpec{Volumes: volumes, Domain: kubevirtv1.DomainSpec{Devices: kubevirtv1.Devices{Disks: disks}}}
}

func disk(name string, order uint) kubevirtv1.Disk {
	d := kubevirtv1.Disk{Name: name}
	if order > 0 {
		d.BootOrder = &order
	}
	return d
}

func nic(order uint) kubevirtv1.Interface {
	return kubevirtv1.Interface{Name: "default", BootOrder: &order}
}

func TestTheBootDiskIsTheOneThatTheGuestStartsFrom(t *testing.T) {
	volumes := []kubevirtv1.Volume{cloudInit("init", "#cloud-config"), volumeNamed("root", "root"), volumeNamed("data", "data")}
	cdrom := disk("data", 0)
	cdrom.CDRom = &kubevirtv1.CDRomTarget{}
	for name, c := range map[string]struct {
		disks []kubevirtv1.Disk
		nics  []kubevirtv1.Interface
		want  string
	}{
		"the first in the list":                      {disks: []kubevirtv1.Disk{disk("root", 0), disk("data", 0)}, want: "root"},
		"the lowest bootOrder":                       {disks: []kubevirtv1.Disk{disk("root", 2), disk("data", 1)}, want: "data"},
		"one with a bootOrder before one without":    {disks: []kubevirtv1.Disk{disk("root", 0), disk("data", 9)}, want: "data"},
		"a disk before a drive that is listed first": {disks: []kubevirtv1.Disk{cdrom, disk("root", 0)}, want: "root"},
		"a drive where there is no disk":             {disks: []kubevirtv1.Disk{disk("init", 0), cdrom}, want: "data"},
		"cloud-init first is passed over":            {disks: []kubevirtv1.Disk{disk("init", 0), disk("root", 0)}, want: "root"},
		"cloud-init by order is what was asked for":  {disks: []kubevirtv1.Disk{disk("init", 1), disk("root", 2)}, want: "init"},
		"the network before every disk":              {disks: []kubevirtv1.Disk{disk("root", 2)}, nics: []kubevirtv1.Interface{nic(1)}, want: ""},
		"the network after a disk":                   {disks: []kubevirtv1.Disk{disk("root", 1)}, nics: []kubevirtv1.Interface{nic(2)}, want: "root"},
		"the network alone has an order":             {disks: []kubevirtv1.Disk{disk("root", 0)}, nics: []kubevirtv1.Interface{nic(1)}, want: ""},
		"a disk whose volume is not there":           {disks: []kubevirtv1.Disk{disk("lost", 0), disk("root", 0)}, want: "lost"},
		"nothing to start from":                      {disks: []kubevirtv1.Disk{disk("init", 0)}, want: ""},
		"no disk":                                    {},
	} {
		spec := specOf(volumes, c.disks...)
		spec.Domain.Devices.Interfaces = c.nics
		in := Build(&Gathered{VirtualMachine: machineOf(spec)})
		boots := []string{}
		for _, d := range in.Disks {
			if d.Boot {
				boots = append(boots, d.Name)
			}
		}
		want := []string{}
		if c.want != "" {
			want = append(want, c.want)
		}
		if diff := cmp.Diff(want, boots); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestTheInstancesDisksAreListedWhereTheyDiffer(t *testing.T) {
	template := specOf([]kubevirtv1.Volume{volumeNamed("root", "root")}, disk("root", 0))
	running := specOf([]kubevirtv1.Volume{volumeNamed("root", "root"), volumeNamed("hot", "plugged")}, disk("root", 0), disk("hot", 0))
	in := Build(&Gathered{VirtualMachine: machineOf(template), VirtualMachineInstance: &kubevirtv1.VirtualMachineInstance{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "web"}, Spec: running,
	}})
	got := []string{}
	for _, d := range in.Disks {
		got = append(got, d.Launcher+" "+d.Name)
	}
	if diff := cmp.Diff([]string{"template root", "instance hot"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestAClaimHoldsTheDiskAndWhatTheFileSystemTakes(t *testing.T) {
	const mebi = int64(1) << 20
	config := &cdiv1beta1.CDIConfig{Status: cdiv1beta1.CDIConfigStatus{FilesystemOverhead: &cdiv1beta1.FilesystemOverhead{
		Global: "0.055", StorageClass: map[string]cdiv1beta1.Percent{"fat": "0.5", "none": "0", "wrong": "1e9"},
	}}}
	for name, c := range map[string]struct {
		config      *cdiv1beta1.CDIConfig
		virtual     int64
		class, mode string
		unknown     bool
		want        int64 // zero is null
	}{
		"10 MiB, CDI's default":          {virtual: 10 * mebi, want: 11114906}, // ceil(1.06 × 10485760)
		"one byte is a whole MiB":        {virtual: 1, want: 1111491},
		"one byte more is one MiB more":  {virtual: 10*mebi + 1, want: 12226397},
		"1 TiB":                          {virtual: 1 << 40, want: 1165482325443},
		"block mode has no file system":  {virtual: 10*mebi + 1, mode: "Block", want: 11 * mebi},
		"the cluster's overhead":         {config: config, virtual: 10 * mebi, want: 11062477},
		"the class's overhead":           {config: config, virtual: 10 * mebi, class: "fat", want: 15 * mebi},
		"a class without overhead":       {config: config, virtual: 10 * mebi, class: "none", want: 10 * mebi},
		"a class with nonsense":          {config: config, virtual: 10 * mebi, class: "wrong", want: 11062477},
		"the largest that fits":          {virtual: math.MaxInt64 / 2, mode: "Block", want: 1 << 62},
		"more than 64 bits":              {virtual: math.MaxInt64 - mebi, want: 0},
		"more than 64 bits by alignment": {virtual: math.MaxInt64, mode: "Block", want: 0},
		"no size":                        {virtual: 0, want: 0},
		"less than nothing":              {virtual: -1, want: 0},
		"an overhead that was not read":  {virtual: 10 * mebi, unknown: true, want: 0},
		"block mode needs no overhead":   {virtual: 10 * mebi, mode: "Block", unknown: true, want: 10 * mebi},
	} {
		o := newOverheads(c.config)
		o.unknown = c.unknown
		got := o.required(&c.virtual, c.class, c.mode)
		if got == nil && c.want != 0 || got != nil && *got != c.want {
			t.Errorf("%s: %v, want %d", name, got, c.want)
		}
	}
	if newOverheads(nil).required(nil, "", "") != nil {
		t.Error("a disk without a size needs a size")
	}
}

func TestASizeThatCannotBeMeasuredIsNull(t *testing.T) {
	for text, want := range map[string]int64{"1Gi": 1 << 30, "100m": 1, "": 0} {
		list := corev1.ResourceList{}
		if text != "" {
			list[corev1.ResourceStorage] = resource.MustParse(text)
		}
		got := storageOf(list)
		if got == nil && want != 0 || got != nil && *got != want {
			t.Errorf("%q: %v, want %d", text, got, want)
		}
	}
	if amountOf("1e30") != nil || amountOf("nonsense") != nil {
		t.Error("what is no size has one")
	}
}

func TestEveryVolumeHasAKindAndOnlyGuestsBootFromDisks(t *testing.T) {
	for kind, c := range map[string]struct {
		source kubevirtv1.VolumeSource
		boots  bool
	}{
		"dataVolume":            {kubevirtv1.VolumeSource{DataVolume: &kubevirtv1.DataVolumeSource{}}, true},
		"persistentVolumeClaim": {kubevirtv1.VolumeSource{PersistentVolumeClaim: &kubevirtv1.PersistentVolumeClaimVolumeSource{}}, true},
		"containerDisk":         {kubevirtv1.VolumeSource{ContainerDisk: &kubevirtv1.ContainerDiskSource{}}, true},
		"ephemeral":             {kubevirtv1.VolumeSource{Ephemeral: &kubevirtv1.EphemeralVolumeSource{}}, true},
		"hostDisk":              {kubevirtv1.VolumeSource{HostDisk: &kubevirtv1.HostDisk{}}, true},
		"other":                 {kubevirtv1.VolumeSource{}, true},
		"emptyDisk":             {kubevirtv1.VolumeSource{EmptyDisk: &kubevirtv1.EmptyDiskSource{}}, false},
		"cloudInit":             {kubevirtv1.VolumeSource{CloudInitConfigDrive: &kubevirtv1.CloudInitConfigDriveSource{}}, false},
		"sysprep":               {kubevirtv1.VolumeSource{Sysprep: &kubevirtv1.SysprepSource{}}, false},
		"configMap":             {kubevirtv1.VolumeSource{ConfigMap: &kubevirtv1.ConfigMapVolumeSource{}}, false},
		"secret":                {kubevirtv1.VolumeSource{Secret: &kubevirtv1.SecretVolumeSource{}}, false},
		"serviceAccount":        {kubevirtv1.VolumeSource{ServiceAccount: &kubevirtv1.ServiceAccountVolumeSource{}}, false},
		"downwardAPI":           {kubevirtv1.VolumeSource{DownwardAPI: &kubevirtv1.DownwardAPIVolumeSource{}}, false},
		"downwardMetrics":       {kubevirtv1.VolumeSource{DownwardMetrics: &kubevirtv1.DownwardMetricsVolumeSource{}}, false},
	} {
		if got := volumeKind(&c.source); got != kind || bootable(&c.source) != c.boots {
			t.Errorf("%s: kind %s, boots %t", kind, got, bootable(&c.source))
		}
	}
}
