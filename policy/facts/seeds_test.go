package facts

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
)

func TestWhatSeedsAGuestBesidesTheVolumeIsSeen(t *testing.T) {
	labelled := func(label string) kubevirtv1.Volume {
		return kubevirtv1.Volume{Name: "seed", VolumeSource: kubevirtv1.VolumeSource{Secret: &kubevirtv1.SecretVolumeSource{SecretName: "x", VolumeLabel: label}}}
	}
	arguments := func(args string) func(*kubevirtv1.VirtualMachine) {
		return func(vm *kubevirtv1.VirtualMachine) {
			vm.Spec.Template.Spec.Domain.Firmware = &kubevirtv1.Firmware{KernelBoot: &kubevirtv1.KernelBoot{KernelArgs: args}}
		}
	}
	serial := func(text string) func(*kubevirtv1.VirtualMachine) {
		return func(vm *kubevirtv1.VirtualMachine) {
			vm.Spec.Template.Spec.Domain.Firmware = &kubevirtv1.Firmware{Serial: text}
		}
	}
	chassis := func(asset string) func(*kubevirtv1.VirtualMachine) {
		return func(vm *kubevirtv1.VirtualMachine) {
			vm.Spec.Template.Spec.Domain.Chassis = &kubevirtv1.Chassis{Asset: asset}
		}
	}
	volume := func(v kubevirtv1.Volume, disks ...kubevirtv1.Disk) func(*kubevirtv1.VirtualMachine) {
		return func(vm *kubevirtv1.VirtualMachine) { vm.Spec.Template.Spec = specOf([]kubevirtv1.Volume{v}, disks...) }
	}
	for name, c := range map[string]struct {
		change func(*kubevirtv1.VirtualMachine)
		reason string // empty where nothing seeds the guest
	}{
		"a serial with a data source": {serial(" ds=nocloud-net;s=http://192.0.2.1/"), "data source"},
		"a serial of EC2":             {serial("EC2a1b2"), "data source"},
		"a serial":                    {serial("4c4c4544-ds"), ""},
		"cloud-init disabled":         {arguments("console=ttyS0 cloud-init=disabled"), "cloud-init changes"},
		"a data source as argument":   {arguments("ds=nocloud"), "ds changes"},
		"a cloud-config as argument":  {arguments("ro cc: ssh_pwauth: true end_cc"), "cc: changes"},
		"another init":                {arguments("init=/bin/sh"), "init changes"},
		"a rescue target":             {arguments("systemd.unit=rescue.target"), "systemd.unit changes"},
		"the default target":          {arguments("root=/dev/vda1 ro quiet systemd.unit=multi-user.target fips=1"), ""},
		"a cloud's chassis":           {chassis("OpenTelekomCloud"), "metadata service"},
		"an inventory number":         {chassis("A-1234"), ""},
		"a volume labelled cidata":    {volume(labelled("CIDATA"), disk("seed", 0)), "label CIDATA"},
		"one that no disk shows":      {volume(labelled("cidata")), ""},
		"a volume of another label":   {volume(labelled("tokens"), disk("seed", 0)), ""},
		"a ConfigMap labelled config-2": {volume(kubevirtv1.Volume{Name: "seed", VolumeSource: kubevirtv1.VolumeSource{ConfigMap: &kubevirtv1.ConfigMapVolumeSource{
			LocalObjectReference: corev1.LocalObjectReference{Name: "x"}, VolumeLabel: "config-2",
		}}}, disk("seed", 0)), "label config-2"},
		"Ignition": {func(vm *kubevirtv1.VirtualMachine) {
			vm.Spec.Template.ObjectMeta.Annotations = map[string]string{kubevirtv1.IgnitionAnnotation: "{}"}
		}, "Ignition"},
	} {
		vm := machineOf(specOf(nil))
		c.change(vm)
		seeds := Build(&Gathered{VirtualMachine: vm}).Guest.OtherSeeds
		switch {
		case c.reason == "" && len(seeds) != 0, c.reason != "" && len(seeds) != 1:
			t.Errorf("%s: %+v", name, seeds)
		case c.reason != "" && !strings.Contains(seeds[0].Reason, c.reason):
			t.Errorf("%s: %q, want %q in it", name, seeds[0].Reason, c.reason)
		}
	}
}

func TestACloudInitVolumeWithoutADiskSeedsNothing(t *testing.T) {
	guest := Build(&Gathered{VirtualMachine: machineOf(specOf([]kubevirtv1.Volume{cloudInit("init", hardened)}))}).Guest
	if len(guest.Seeded) != 0 || len(guest.UserData) != 0 {
		t.Errorf("seeded %v, user data %v", guest.Seeded, guest.UserData)
	}
}
