package children

import (
	"fmt"

	kubevirtv1 "kubevirt.io/api/core/v1"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
)

// withoutSeed refuses user data and keys for a guest that would never read
// them: silently dropped, a user would take them for done.
func withoutSeed(in InstanceInput, template *virtfoundryv1alpha1.Template) error {
	instance := in.Found.Instance
	windows := fmt.Sprintf("Template %s/%s has osType windows, whose guest takes no cloud-init", template.Namespace, template.Name)
	switch {
	case len(instance.Spec.SSHKeyRefs) > 0:
		return fmt.Errorf("%s: spec.sshKeyRefs: %s: remove spec.sshKeyRefs", namedInstance(instance), windows)
	case len(in.UserData) > 0:
		return fmt.Errorf("%s: there is user data, and %s: remove cloudInitSecretRef and cloudInitUserData of the Instance and of the Template", namedInstance(instance), windows)
	default:
		return nil
	}
}

// asWindows gives a machine what the VirtFoundry sheet, section 1.4, has for a guest of Windows: q35, EFI without
// secure boot, the Hyper-V enlightenments with the clock that belongs to them, and NICs that need no further driver.
func asWindows(vm *kubevirtv1.VirtualMachine) {
	domain := &vm.Spec.Template.Spec.Domain
	yes, no, spins := true, false, uint32(8191) // the count that Windows expects of a hypervisor (Microsoft's Hyper-V TLFS)
	enabled := kubevirtv1.FeatureState{Enabled: &yes}
	on := enabled.DeepCopy
	domain.Machine = &kubevirtv1.Machine{Type: "q35"}
	domain.Firmware = &kubevirtv1.Firmware{Bootloader: &kubevirtv1.Bootloader{EFI: &kubevirtv1.EFI{SecureBoot: &no}}}
	domain.Features = &kubevirtv1.Features{
		ACPI: enabled,
		APIC: &kubevirtv1.FeatureAPIC{FeatureState: enabled},
		Hyperv: &kubevirtv1.FeatureHyperv{
			Relaxed: on(), VAPIC: on(), Spinlocks: &kubevirtv1.FeatureSpinlocks{FeatureState: enabled, Retries: &spins},
			VPIndex: on(), Runtime: on(), SyNIC: on(), Reset: on(), Frequencies: on(),
			SyNICTimer: &kubevirtv1.SyNICTimer{FeatureState: enabled, Direct: on()},
		},
	}
	domain.Clock = &kubevirtv1.Clock{
		ClockOffset: kubevirtv1.ClockOffset{UTC: &kubevirtv1.ClockOffsetUTC{}},
		Timer: &kubevirtv1.Timer{
			HPET: &kubevirtv1.HPETTimer{Enabled: &no}, PIT: &kubevirtv1.PITTimer{TickPolicy: kubevirtv1.PITTickPolicyDelay},
			RTC: &kubevirtv1.RTCTimer{TickPolicy: kubevirtv1.RTCTickPolicyCatchup}, Hyperv: &kubevirtv1.HypervTimer{Enabled: &yes},
		},
	}
	for i := range domain.Devices.Interfaces {
		domain.Devices.Interfaces[i].Model = "e1000"
	}
}
