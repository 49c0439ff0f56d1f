package facts

import (
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
)

// MaySelect tells whether a policy selects a launcher pod of a machine, or may:
// then an event of the policy touches the machine. The running instance, which
// may be nil, can have labels that the template has lost.
func MaySelect(policy *networkingv1.NetworkPolicy, vm *kubevirtv1.VirtualMachine, instance *kubevirtv1.VirtualMachineInstance) bool {
	selector := requirements(&policy.Spec.PodSelector)
	for _, f := range formsOf(&Gathered{VirtualMachine: vm, VirtualMachineInstance: instance}) {
		if matches(selector, f.labels) != never {
			return true
		}
	}
	return vm.Spec.Template == nil
}

// ClaimsOf names the claims that a machine's template uses.
func ClaimsOf(vm *kubevirtv1.VirtualMachine) []string {
	return volumeNames(vm, ClaimName)
}

// UserDataSecretsOf names the Secrets that a machine's cloud-init volumes use.
func UserDataSecretsOf(vm *kubevirtv1.VirtualMachine) []string {
	return volumeNames(vm, UserDataSecretName)
}

func volumeNames(vm *kubevirtv1.VirtualMachine, name func(*kubevirtv1.VolumeSource) string) []string {
	if vm.Spec.Template == nil {
		return nil
	}
	var names []string
	for i := range vm.Spec.Template.Spec.Volumes {
		if n := name(&vm.Spec.Template.Spec.Volumes[i].VolumeSource); n != "" {
			names = append(names, n)
		}
	}
	return names
}

// ClaimName names the PersistentVolumeClaim behind a volume, empty without one.
// The claim of a DataVolume has its name.
func ClaimName(v *kubevirtv1.VolumeSource) string {
	switch {
	case v.DataVolume != nil:
		return v.DataVolume.Name
	case v.PersistentVolumeClaim != nil:
		return v.PersistentVolumeClaim.ClaimName
	case v.Ephemeral != nil && v.Ephemeral.PersistentVolumeClaim != nil:
		return v.Ephemeral.PersistentVolumeClaim.ClaimName
	default:
		return ""
	}
}

// UserDataSecretName names the Secret that a cloud-init volume takes its user
// data from, empty without one.
func UserDataSecretName(v *kubevirtv1.VolumeSource) string {
	var ref *corev1.LocalObjectReference
	switch {
	case v.CloudInitNoCloud != nil:
		ref = v.CloudInitNoCloud.UserDataSecretRef
	case v.CloudInitConfigDrive != nil:
		ref = v.CloudInitConfigDrive.UserDataSecretRef
	}
	if ref == nil {
		return ""
	}
	return ref.Name
}
