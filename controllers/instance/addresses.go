package instance

import (
	"net/netip"
	"slices"

	kubevirtv1 "kubevirt.io/api/core/v1"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/policy/facts"
)

// The bounds of the status schema.
const (
	mostInterfaces = 64
	mostAddresses  = 64
	longestText    = 64
)

// addresses lists the guest's interfaces, those of spec.nics first and in their
// order, and its primary address: the first of the first interface that has one
// which others can reach.
func addresses(found *observed) (primary string, all []virtfoundryv1alpha1.InterfaceStatus) {
	vmi := found.VirtualMachineInstance
	if vmi == nil || vmi.IsFinal() || !owns(found) {
		return "", nil
	}
	for _, nic := range ordered(found.Instance, vmi.Status.Interfaces) {
		status := virtfoundryv1alpha1.InterfaceStatus{Name: nic.Name, IPAddresses: reported(nic)}
		if len(nic.MAC) <= longestText {
			status.MAC = nic.MAC
		}
		all = append(all, status)
		if primary == "" {
			primary = reachable(status.IPAddresses)
		}
	}
	return primary, all
}

func ordered(instance *virtfoundryv1alpha1.Instance, reported []kubevirtv1.VirtualMachineInstanceNetworkInterface) []kubevirtv1.VirtualMachineInstanceNetworkInterface {
	rank := map[string]int{}
	for i := range instance.Spec.NICs {
		rank[facts.NICName(i, instance.Spec.NICs[i].Name)] = i - len(instance.Spec.NICs)
	}
	nics := slices.Clone(reported)
	slices.SortStableFunc(nics, func(a, b kubevirtv1.VirtualMachineInstanceNetworkInterface) int { return rank[a.Name] - rank[b.Name] })
	return nics[:min(len(nics), mostInterfaces)]
}

// reported are the addresses of one interface, as KubeVirt tells them.
func reported(nic kubevirtv1.VirtualMachineInstanceNetworkInterface) []string {
	list := slices.Clone(nic.IPs)
	if nic.IP != "" && !slices.Contains(list, nic.IP) {
		list = append([]string{nic.IP}, list...)
	}
	list = slices.DeleteFunc(list, func(text string) bool { return text == "" || len(text) > longestText })
	return list[:min(len(list), mostAddresses)]
}

// reachable is the first address that is neither of the host nor of the link.
func reachable(list []string) string {
	for _, text := range list {
		plain := text
		if prefix, err := netip.ParsePrefix(text); err == nil {
			plain = prefix.Addr().String()
		}
		if address, err := netip.ParseAddr(plain); err == nil && !address.IsLoopback() && !address.IsLinkLocalUnicast() && !address.IsUnspecified() {
			return plain
		}
	}
	return ""
}
