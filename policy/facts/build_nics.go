package facts

import (
	"fmt"
	"strings"

	kubevirtv1 "kubevirt.io/api/core/v1"
)

// buildNICs lists the interfaces with the network that each is bound to. A
// machine that names neither gets one on the pod network from KubeVirt, unless
// autoattachPodInterface is false.
func buildNICs(f form, namespace string) []NIC {
	nics := []NIC{}
	networks := map[string]kubevirtv1.Network{}
	for _, network := range f.spec.Networks {
		networks[network.Name] = network
	}
	attach := f.spec.Domain.Devices.AutoattachPodInterface
	if len(f.spec.Domain.Devices.Interfaces) == 0 && len(networks) == 0 && (attach == nil || *attach) {
		return append(nics, NIC{
			Name: "default", Launcher: f.launcher, Binding: "default", Network: "pod",
			Path: f.object + " " + f.path + ".domain.devices.autoattachPodInterface",
		})
	}
	for i := range f.spec.Domain.Devices.Interfaces {
		nic := &f.spec.Domain.Devices.Interfaces[i]
		nics = append(nics, NIC{
			Name: nic.Name, Launcher: f.launcher, Binding: binding(nic), Network: networkOf(networks, nic.Name, namespace),
			Path: fmt.Sprintf("%s %s.domain.devices.interfaces[%d]", f.object, f.path, i),
		})
	}
	return nics
}

func networkOf(networks map[string]kubevirtv1.Network, name, namespace string) string {
	network, found := networks[name]
	switch {
	case !found:
		return "absent"
	case network.Pod != nil:
		return "pod"
	case network.Multus != nil:
		return qualified(network.Multus.NetworkName, namespace)
	default:
		return "other"
	}
}

// qualified writes a NetworkAttachmentDefinition's name as namespace/name.
func qualified(name, namespace string) string {
	if strings.Contains(name, "/") {
		return name
	}
	return namespace + "/" + name
}

func binding(nic *kubevirtv1.Interface) string {
	switch {
	case nic.Binding != nil:
		return "plugin:" + nic.Binding.Name
	case nic.Masquerade != nil:
		return "masquerade"
	case nic.Bridge != nil:
		return "bridge"
	case nic.SRIOV != nil:
		return "sriov"
	case nic.PasstBinding != nil:
		return "passt"
	case nic.DeprecatedMacvtap != nil:
		return "macvtap"
	case nic.DeprecatedSlirp != nil:
		return "slirp"
	default:
		return "default"
	}
}
