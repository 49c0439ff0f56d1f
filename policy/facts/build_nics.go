package facts

import (
	"encoding/json"
	"fmt"
	"strings"

	kubevirtv1 "kubevirt.io/api/core/v1"
)

// buildNICs lists the interfaces with the network that each is bound to. A
// machine that names neither gets one on the pod network from KubeVirt, unless
// autoattachPodInterface is false.
func buildNICs(f form, namespace string) []NIC {
	nics := unspecifiedNICs(f, namespace)
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

// unspecifiedNICs are those that no interface of the specification describes:
// KubeVirt copies annotations to the launcher pod, where Multus acts on them,
// and what runs may have an interface that was attached by other means.
func unspecifiedNICs(f form, namespace string) []NIC {
	nics := []NIC{}
	add := func(name, binding, network, path string) {
		nics = append(nics, NIC{Name: bounded(name), Launcher: f.launcher, Binding: binding, Network: bounded(network), Path: path})
	}
	for _, key := range []string{networksAnnotation, defaultNetworkAnnotation} {
		for i, network := range attachments(f.notes[key], namespace) {
			add(fmt.Sprintf("annotation %s[%d]", key, i), "annotation", network, fmt.Sprintf("%s metadata.annotations[%s]", f.object, key))
		}
	}
	known := map[string]bool{"": true}
	for i := range f.spec.Domain.Devices.Interfaces {
		known[f.spec.Domain.Devices.Interfaces[i].Name] = true
	}
	if len(known) == 1 {
		known["default"] = true // the one that KubeVirt adds
	}
	for i := range f.running {
		nic := &f.running[i]
		attached := strings.Contains(nic.InfoSource, "domain") || strings.Contains(nic.InfoSource, "multus-status")
		if attached && !known[nic.Name] {
			add(nic.Name, "unspecified", "other", fmt.Sprintf("%s status.interfaces[%d]", f.object, i))
		}
	}
	return nics
}

const (
	networksAnnotation       = "k8s.v1.cni.cncf.io/networks"
	defaultNetworkAnnotation = "v1.multus-cni.io/default-network"
)

// attachments reads the networks of an annotation of Multus, as namespace/name:
// a JSON list of objects, or names with commas and an optional @interface. What
// is neither is returned as it stands: Multus may read more than this does.
func attachments(text, namespace string) []string {
	text = strings.TrimSpace(text)
	networks := []string{}
	if strings.HasPrefix(text, "[") {
		var selections []struct {
			Name      string `json:"name"`
			Namespace string `json:"namespace"`
		}
		if err := json.Unmarshal([]byte(text), &selections); err != nil {
			return append(networks, text)
		}
		for _, s := range selections {
			if s.Namespace == "" {
				s.Namespace = namespace
			}
			networks = append(networks, s.Namespace+"/"+s.Name)
		}
		return networks
	}
	for _, name := range strings.Split(text, ",") {
		if name, _, _ = strings.Cut(strings.TrimSpace(name), "@"); name != "" {
			networks = append(networks, qualified(name, namespace))
		}
	}
	return networks
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
