package children

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
)

const fileURL = "https://images.example.com/disk.img"

// from is an Instance of a Template of a source, on a cluster whose default StorageClass is standard.
func from(source virtfoundryv1alpha1.TemplateSource, change ...func(*virtfoundryv1alpha1.TemplateSpec)) InstanceInput {
	return instanceInput(func(in *InstanceInput) {
		spec := &in.Found.Named.Templates[0].Spec
		spec.SourceType, spec.Image = source, fileURL
		for _, f := range change {
			f(spec)
		}
		in.Found.Volume.Classes = []storagev1.StorageClass{{ObjectMeta: metav1.ObjectMeta{
			Name: "standard", Annotations: map[string]string{"storageclass.kubernetes.io/is-default-class": "true"},
		}}}
	})
}

func windows(spec *virtfoundryv1alpha1.TemplateSpec) { spec.OSType = "Windows" }

// shape is what matters of an Instance's storage, in words.
func shape(made *Instance) []string {
	lines := []string{}
	for _, volume := range made.DataVolumes {
		source := "blank"
		switch s := volume.Spec.Source; {
		case s.HTTP != nil:
			source = "http " + s.HTTP.URL + " " + s.HTTP.Checksum
		case s.Registry != nil:
			source = "registry " + *s.Registry.URL
		}
		lines = append(lines, strings.TrimSpace(strings.Join([]string{
			volume.Name, volume.Spec.Storage.Resources.Requests.Storage().String(), *volume.Spec.Storage.StorageClassName, source,
		}, " ")))
	}
	spec := &made.VirtualMachine.Spec.Template.Spec
	for i := range spec.Domain.Devices.Disks {
		disk := &spec.Domain.Devices.Disks[i]
		line := disk.Name
		if disk.CDRom != nil {
			line += " cdrom " + string(disk.CDRom.Bus)
		} else {
			line += " disk " + string(disk.Disk.Bus)
		}
		if disk.BootOrder != nil {
			line += " first"
		}
		if dv := spec.Volumes[i].DataVolume; dv != nil {
			line += " of " + dv.Name
		}
		lines = append(lines, line)
	}
	return lines
}

func configured(in InstanceInput, class string) InstanceInput {
	in.Found.Platform.DefaultClass = class
	return in
}

func TestEachSourceHasItsDisks(t *testing.T) {
	for name, c := range map[string]struct {
		in   InstanceInput
		want []string
	}{
		"qcow2": {from("qcow2", func(s *virtfoundryv1alpha1.TemplateSpec) { s.Checksum = "sha256:aa" }),
			[]string{"guest-boot 32Gi standard http " + fileURL + " sha256:aa", "bootdisk disk virtio of guest-boot", "cloudinitdisk disk virtio"}},
		"qcow2 of a registry, with a size and a class": {from("qcow2", func(s *virtfoundryv1alpha1.TemplateSpec) {
			s.Image, s.BootDiskSizeGi, s.StorageClass = "quay.io/a/b", 5, "fast"
		}), []string{"guest-boot 5Gi fast registry docker://quay.io/a/b", "bootdisk disk virtio of guest-boot", "cloudinitdisk disk virtio"}},
		"qcow2 of the platform's class": {configured(from("qcow2"), "slow"),
			[]string{"guest-boot 32Gi slow http " + fileURL, "bootdisk disk virtio of guest-boot", "cloudinitdisk disk virtio"}},
		"iso": {from("iso"), []string{"guest-boot 32Gi standard blank", "guest-iso 8Gi standard http " + fileURL,
			"bootdisk disk virtio of guest-boot", "installiso cdrom sata first of guest-iso", "cloudinitdisk disk virtio"}},
		"iso of Windows": {from("iso", windows, func(s *virtfoundryv1alpha1.TemplateSpec) { s.ISOSizeGi = 6 }), []string{"guest-boot 32Gi standard blank", "guest-iso 6Gi standard http " + fileURL,
			"bootdisk disk sata of guest-boot", "installiso cdrom sata first of guest-iso", "virtiodrivers cdrom sata"}},
		"qcow2 of Windows": {from("qcow2", windows), []string{"guest-boot 32Gi standard http " + fileURL, "bootdisk disk sata of guest-boot"}},
	} {
		made, err := ForInstance(c.in)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(c.want, shape(made)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestAMachineOfWindowsIsAsTheSheetSays(t *testing.T) {
	made, err := ForInstance(from("iso", windows))
	if err != nil {
		t.Fatal(err)
	}
	domain := made.VirtualMachine.Spec.Template.Spec.Domain
	if made.CloudInit != nil || domain.Machine.Type != "q35" || *domain.Firmware.Bootloader.EFI.SecureBoot || domain.Devices.Interfaces[0].Model != "e1000" ||
		!*domain.Features.Hyperv.Relaxed.Enabled || !*domain.Clock.Timer.Hyperv.Enabled {
		t.Errorf("%+v", domain)
	}
}

func TestWhatNoTemplateCanBeIsNamedWithoutItsAddress(t *testing.T) {
	for name, c := range map[string]struct {
		in   InstanceInput
		says string
	}{
		"a system":               {from("qcow2", func(s *virtfoundryv1alpha1.TemplateSpec) { s.OSType = "beos" }), `spec.osType "beos" is no operating system`},
		"a scheme":               {from("qcow2", func(s *virtfoundryv1alpha1.TemplateSpec) { s.Image = "ftp://u:s3cret@h/a" }), "spec.image is of a scheme that nothing imports: use https, http or docker"},
		"an iso of a registry":   {from("iso", func(s *virtfoundryv1alpha1.TemplateSpec) { s.Image = "docker://u:s3cret@h/a" }), "spec.image is no http(s) URL"},
		"a checksum of an image": {from("qcow2", func(s *virtfoundryv1alpha1.TemplateSpec) { s.Image, s.Checksum = "quay.io/a/b", "sha256:aa" }), "remove spec.checksum"},
		"a negative size":        {from("qcow2", func(s *virtfoundryv1alpha1.TemplateSpec) { s.BootDiskSizeGi = -1 }), "spec.bootDiskSizeGi -1 is out of bounds: use 1 to 65536 GiB"},
		"a huge medium":          {from("iso", func(s *virtfoundryv1alpha1.TemplateSpec) { s.ISOSizeGi = 1 << 40 }), "spec.isoSizeGi 1099511627776 is out of bounds"},
		"a source":               {from("floppy"), `spec.sourceType "floppy" is no source: use container, iso or qcow2`},
		"user data":              {withData(from("iso", windows)), "takes no cloud-init: remove cloudInitSecretRef"},
		"keys":                   {withKeys(from("qcow2", windows)), "takes no cloud-init: remove spec.sshKeyRefs"},
	} {
		_, err := ForInstance(c.in)
		if err == nil || !strings.Contains(err.Error(), c.says) || !strings.HasPrefix(err.Error(), "Instance virtfoundry-tenant-acme/guest: ") || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func withData(in InstanceInput) InstanceInput { in.UserData = []byte("s3cret"); return in }

func withKeys(in InstanceInput) InstanceInput {
	in.Found.Instance.Spec.SSHKeyRefs = []virtfoundryv1alpha1.LocalObjectRef{{Name: "alice"}}
	return in
}

func TestAMergedInstanceHasNoDiskOfAnEarlierTemplate(t *testing.T) {
	before, err := ForInstance(from("iso", windows))
	if err != nil {
		t.Fatal(err)
	}
	live := before.VirtualMachine
	inner := &live.Spec.Template.Spec
	inner.Volumes = append(inner.Volumes, kubevirtv1.Volume{Name: "data"})
	inner.Domain.Devices.Disks = append(inner.Domain.Devices.Disks, kubevirtv1.Disk{Name: "data"})
	inner.Domain.Firmware.Serial, inner.Domain.Firmware.Bootloader = "kept", nil
	after, err := ForInstance(from("qcow2", windows))
	if err != nil {
		t.Fatal(err)
	}
	merged := MergeInstance(after.VirtualMachine, live).Spec.Template.Spec
	names := []string{}
	for _, volume := range merged.Volumes {
		names = append(names, volume.Name)
	}
	if diff := cmp.Diff([]string{"bootdisk", "data"}, names); diff != "" || len(merged.Domain.Devices.Disks) != 2 {
		t.Errorf("volumes (-want +got):\n%s", diff)
	}
	if merged.Domain.Firmware.Serial != "kept" || merged.Domain.Firmware.Bootloader == nil {
		t.Errorf("%+v", merged.Domain.Firmware)
	}
}
