package children

import (
	"fmt"
	"maps"
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"cato.dev/cato/api/platform"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
)

// LabelBridges marks it; its value is platform.BridgesName.
const LabelBridges = "app.kubernetes.io/name"

// ForBridges renders the DaemonSet that makes the host bridges (VirtFoundry sheet,
// section 6); nil where both networks are off. Its pods have the capability
// NET_ADMIN alone, NET_RAW and NET_BIND_SERVICE beside it where DHCP is served,
// the node's network, and neither its processes, privilege nor a token.
func ForBridges(config platform.Config, network platform.Network) *appsv1.DaemonSet {
	n := &config.Networking
	var containers []corev1.Container
	if n.Public.Enabled {
		containers = append(containers, bridgeTask(&n.Bridge, "public", n.Public.Bridge))
		if n.Public.ServesDHCP() {
			containers = append(containers, dhcpTask(&n.Bridge, &n.Public, network))
		}
	}
	if n.Isolated.Enabled {
		containers = append(containers, bridgeTask(&n.Bridge, "isolated", platform.HostBridge{Name: n.Isolated.Bridge.Name, Address: n.Isolated.Bridge.Address}))
	}
	if len(containers) == 0 {
		return nil
	}
	labels := map[string]string{LabelBridges: platform.BridgesName, virtfoundryv1alpha1.LabelPartOf: virtfoundryv1alpha1.PartOf}
	no, grace := false, int64(5)
	set := &appsv1.DaemonSet{
		TypeMeta: metav1.TypeMeta{APIVersion: appsv1.SchemeGroupVersion.String(), Kind: "DaemonSet"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: n.Bridge.Namespace, Name: platform.BridgesName, Labels: maps.Clone(labels),
		},
		Spec: appsv1.DaemonSetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: maps.Clone(labels)},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{
					HostNetwork: true, AutomountServiceAccountToken: &no, EnableServiceLinks: &no,
					NodeSelector: n.Bridge.NodeSelector, Tolerations: n.Bridge.Tolerations, TerminationGracePeriodSeconds: &grace,
					SecurityContext: &corev1.PodSecurityContext{SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault}},
					Containers:      containers,
				},
			},
		},
	}
	set.Labels[virtfoundryv1alpha1.LabelManagedBy] = virtfoundryv1alpha1.ManagedBy
	if n.Public.ServesDHCP() {
		limit := resource.NewQuantity(1<<20, resource.BinarySI)
		set.Spec.Template.Spec.Volumes = []corev1.Volume{{Name: "leases", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{SizeLimit: limit}}}}
	}
	return set
}

func bridgeTask(in *platform.Bridge, name string, host platform.HostBridge) corev1.Container {
	address, length, _ := strings.Cut(host.Address, "/")
	c := bridgeContainer(in, name, platform.BridgeScript, "NET_ADMIN")
	c.Env = []corev1.EnvVar{
		{Name: "BRIDGE", Value: host.Name}, {Name: "UPLINK", Value: host.Uplink}, {Name: "ADDRESS", Value: address}, {Name: "PREFIX_LENGTH", Value: length},
		{Name: "INTERVAL", Value: strconv.Itoa(in.RepairIntervalSeconds)}, hostIP(),
	}
	return c
}

// dhcpTask serves the free parts of the pool.
func dhcpTask(in *platform.Bridge, public *platform.Public, network platform.Network) corev1.Container {
	c := bridgeContainer(in, "dhcp", platform.DHCPScript, "NET_ADMIN", "NET_BIND_SERVICE", "NET_RAW")
	c.Args = []string{
		"dhcp", "--interface=" + public.Bridge.Name, "--dhcp-option=option:router," + network.Gateway.String(),
		"--dhcp-option=option:dns-server," + strings.Join(network.DNS, ","),
	}
	for _, free := range network.Free() {
		c.Args = append(c.Args, fmt.Sprintf("--dhcp-range=%s,%s,%s,1h", free.Start, free.End, mask(network)))
	}
	c.VolumeMounts = []corev1.VolumeMount{{Name: "leases", MountPath: "/run/dnsmasq"}}
	return c
}

func bridgeContainer(in *platform.Bridge, name, text string, capabilities ...corev1.Capability) corev1.Container {
	no, yes, root := false, true, int64(0)
	return corev1.Container{
		Name: name, Image: in.Image, ImagePullPolicy: corev1.PullIfNotPresent, Command: []string{"/bin/sh", "-c", text},
		Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{corev1.ResourceCPU: *resource.NewMilliQuantity(5, resource.DecimalSI), corev1.ResourceMemory: *resource.NewQuantity(16<<20, resource.BinarySI)},
			Limits:   corev1.ResourceList{corev1.ResourceCPU: *resource.NewMilliQuantity(100, resource.DecimalSI), corev1.ResourceMemory: *resource.NewQuantity(32<<20, resource.BinarySI)},
		},
		SecurityContext: &corev1.SecurityContext{
			SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
			Privileged:     &no, AllowPrivilegeEscalation: &no, ReadOnlyRootFilesystem: &yes, RunAsUser: &root,
			Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}, Add: capabilities},
		},
	}
}

func hostIP() corev1.EnvVar {
	return corev1.EnvVar{Name: "HOST_IP", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "status.hostIP"}}}
}

// mask is the dotted mask of the network.
func mask(network platform.Network) string {
	bits := ^uint32(0) << (32 - network.Prefix.Bits())
	return fmt.Sprintf("%d.%d.%d.%d", bits>>24, bits>>16&0xff, bits>>8&0xff, bits&0xff)
}
