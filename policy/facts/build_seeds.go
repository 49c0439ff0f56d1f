package facts

import (
	"fmt"
	"slices"
	"strings"

	kubevirtv1 "kubevirt.io/api/core/v1"
)

// otherSeeds lists what besides the cloud-init volumes tells a guest what to
// do at its first boot, or keeps it from doing what they say. None of it is
// decoded.
func otherSeeds(f form) []OtherSeed {
	seeds := []OtherSeed{}
	add := func(path, reason string) {
		seeds = append(seeds, OtherSeed{Path: f.object + " " + path, Reason: reason})
	}
	if _, found := f.notes[kubevirtv1.IgnitionAnnotation]; found {
		add("annotation "+kubevirtv1.IgnitionAnnotation, "an Ignition configuration is passed in, which is not decoded")
	}
	domain := &f.spec.Domain
	if firmware := domain.Firmware; firmware != nil {
		if dataSourceInSerial(firmware.Serial) {
			add(f.path+".domain.firmware.serial", "names a cloud-init data source, which wins over the volume")
		}
		if boot := firmware.KernelBoot; boot != nil {
			for _, word := range strings.Fields(boot.KernelArgs) {
				if key := bootArgument(word); key != "" {
					add(f.path+".domain.firmware.kernelBoot.kernelArgs", fmt.Sprintf("%s changes what runs at boot", key))
				}
			}
		}
	}
	if chassis := domain.Chassis; chassis != nil && slices.Contains(cloudAssetTags(), chassis.Asset) {
		add(f.path+".domain.chassis.asset", "is a cloud's, whose metadata service cloud-init then asks")
	}
	for i := range f.spec.Volumes {
		volume := &f.spec.Volumes[i]
		if label := volumeLabel(volume); seedLabel(label) && attached(f.spec, volume.Name) {
			add(fmt.Sprintf("%s.volumes[%d]", f.path, i), fmt.Sprintf("its label %s makes it a seed of the guest, and it is not decoded", label))
		}
	}
	return seeds
}

// dataSourceInSerial: cloud-init's NoCloud takes its settings from the DMI
// serial number (ds=…; cloudinit/sources/DataSourceNoCloud.py, parse_cmdline_data)
// and its Ec2 the whole metadata where it begins with ec2.
func dataSourceInSerial(serial string) bool {
	lower := strings.ToLower(strings.TrimSpace(serial))
	return strings.HasPrefix(lower, "ds=") || strings.HasPrefix(lower, "ec2")
}

// cloudAssetTags are those by which cloud-init's ds-identify tells Azure and
// clouds of OpenStack (tools/ds-identify, dscheck_Azure and dscheck_OpenStack).
func cloudAssetTags() []string {
	return []string{"7783-7084-3265-9085-8269-3286-77", "HUAWEICLOUD", "OpenTelekomCloud", "SAP CCloud VM", "Samsung Cloud Platform"}
}

// bootArgument returns the key of a kernel argument that disables or feeds
// cloud-init (its docs, "Kernel command line") or lets init run something else
// (kernel-command-line(7), systemd-debug-generator(8)); empty for any other.
func bootArgument(word string) string {
	key, value, _ := strings.Cut(word, "=")
	switch key {
	case "ds", "ci.ds", "cloud-init", "cloud-config-url", "url", "network-config", "cc:", "init", "rdinit", "rd.break", "single", "S", "s", "1", "emergency", "rescue":
		return key
	}
	if strings.HasPrefix(word, "cc:") {
		return "cc:"
	}
	for _, prefix := range []string{"systemd.unit", "systemd.run", "systemd.mask", "systemd.wants", "systemd.set_credential", "systemd.debug", "rd.systemd.unit", "ignition."} {
		if strings.HasPrefix(key, prefix) && value != "multi-user.target" && value != "graphical.target" {
			return key
		}
	}
	return ""
}

func volumeLabel(volume *kubevirtv1.Volume) string {
	switch {
	case volume.Secret != nil:
		return volume.Secret.VolumeLabel
	case volume.ConfigMap != nil:
		return volume.ConfigMap.VolumeLabel
	case volume.DownwardAPI != nil:
		return volume.DownwardAPI.VolumeLabel
	default:
		return ""
	}
}

// seedLabel: the labels of cloud-init's NoCloud and ConfigDrive, and of kickstart.
func seedLabel(label string) bool {
	return slices.Contains([]string{"cidata", "config-2", "oemdrv"}, strings.ToLower(label))
}

// attached tells whether a disk shows the volume to the guest.
func attached(spec *kubevirtv1.VirtualMachineInstanceSpec, volume string) bool {
	return slices.ContainsFunc(spec.Domain.Devices.Disks, func(d kubevirtv1.Disk) bool { return d.Name == volume })
}
