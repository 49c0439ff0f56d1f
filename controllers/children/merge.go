package children

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
)

// MergeVirtualMachine is the VirtualMachine that stands after desired has been
// applied over live. KubeVirt's lists of disks, volumes, networks and
// interfaces have no keys, so an apply replaces them whole: entries of other
// names (hot-plugged disks, say) are taken over behind ours. Live may be nil.
func MergeVirtualMachine(desired, live *kubevirtv1.VirtualMachine) *kubevirtv1.VirtualMachine {
	merged := desired.DeepCopy()
	if live == nil {
		return merged
	}
	merged.UID, merged.ResourceVersion = live.UID, live.ResourceVersion
	merged.Labels = overlaid(live.Labels, desired.Labels)
	merged.Spec.DataVolumeTemplates = live.Spec.DataVolumeTemplates
	merged.Spec.Instancetype, merged.Spec.Preference = live.Spec.Instancetype, live.Spec.Preference
	if live.Spec.Template == nil {
		return merged
	}
	ours, theirs := merged.Spec.Template, live.Spec.Template
	ours.ObjectMeta.Labels = overlaid(theirs.ObjectMeta.Labels, ours.ObjectMeta.Labels)
	ours.ObjectMeta.Annotations = overlaid(theirs.ObjectMeta.Annotations, ours.ObjectMeta.Annotations)
	ours.Spec.AccessCredentials = theirs.Spec.AccessCredentials
	ours.Spec.Domain.Firmware = theirs.Spec.Domain.Firmware
	ours.Spec.Volumes = append(ours.Spec.Volumes, foreign(theirs.Spec.Volumes, ours.Spec.Volumes, func(v kubevirtv1.Volume) string { return v.Name })...)
	ours.Spec.Networks = append(ours.Spec.Networks, foreign(theirs.Spec.Networks, ours.Spec.Networks, func(n kubevirtv1.Network) string { return n.Name })...)
	devices, liveDevices := &ours.Spec.Domain.Devices, &theirs.Spec.Domain.Devices
	devices.Disks = append(devices.Disks, foreign(liveDevices.Disks, devices.Disks, func(d kubevirtv1.Disk) string { return d.Name })...)
	nicName := func(i kubevirtv1.Interface) string { return i.Name }
	for i := range devices.Interfaces {
		at := slices.IndexFunc(liveDevices.Interfaces, func(other kubevirtv1.Interface) bool { return other.Name == devices.Interfaces[i].Name })
		if at >= 0 && devices.Interfaces[i].MacAddress == "" {
			devices.Interfaces[i].MacAddress = liveDevices.Interfaces[at].MacAddress
		}
	}
	devices.Interfaces = append(devices.Interfaces, foreign(liveDevices.Interfaces, devices.Interfaces, nicName)...)
	return merged
}

// foreign are the entries of live that have the name of none of ours.
func foreign[T any](live, ours []T, name func(T) string) []T {
	others := []T{}
	for _, entry := range live {
		if !slices.ContainsFunc(ours, func(own T) bool { return name(own) == name(entry) }) {
			others = append(others, entry)
		}
	}
	return others
}

// MergeNamespace is the namespace that stands after desired has been applied
// over live, which may be nil.
func MergeNamespace(desired, live *corev1.Namespace) *corev1.Namespace {
	if live == nil {
		return desired.DeepCopy()
	}
	merged := live.DeepCopy()
	merged.Labels = overlaid(live.Labels, desired.Labels)
	for _, ref := range desired.OwnerReferences {
		same := func(other metav1.OwnerReference) bool { return other.UID == ref.UID }
		merged.OwnerReferences = append(slices.DeleteFunc(merged.OwnerReferences, same), ref)
	}
	return merged
}

func overlaid(under, over map[string]string) map[string]string {
	if len(under) == 0 && len(over) == 0 {
		return nil
	}
	all := map[string]string{}
	for key, value := range under {
		all[key] = value
	}
	for key, value := range over {
		all[key] = value
	}
	return all
}
