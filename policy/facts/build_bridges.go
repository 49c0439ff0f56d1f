package facts

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"cato.dev/cato/api/platform"
)

// The tasks of a container that makes host bridges.
const (
	runsBridge = "bridge"
	runsDHCP   = "dhcp"
	runsOther  = "other"
)

// platformWish is none where the configuration is not known, which the gap of object.platform tells.
func platformWish(h *HostObjects) []PlatformWish {
	if h.File == nil || h.Config == nil {
		return []PlatformWish{}
	}
	n := &h.Config.Networking
	wish := PlatformWish{Namespace: n.Bridge.Namespace, Bridges: []BridgeWish{}, DHCP: n.Public.ServesDHCP()}
	if n.Public.Enabled {
		wish.Bridges = append(wish.Bridges, BridgeWish{Network: "public", Bridge: n.Public.Bridge.Name, Uplink: n.Public.Bridge.Uplink})
	}
	if n.Isolated.Enabled {
		wish.Bridges = append(wish.Bridges, BridgeWish{Network: "isolated", Bridge: n.Isolated.Bridge.Name})
	}
	return []PlatformWish{wish}
}

func bridgeMakers(sets []appsv1.DaemonSet) []BridgeMaker {
	makers := []BridgeMaker{}
	for i := range sets {
		makers = append(makers, bridgeMaker(&sets[i]))
	}
	slices.SortFunc(makers, func(a, b BridgeMaker) int { return strings.Compare(a.Path, b.Path) })
	return makers
}

func bridgeMaker(set *appsv1.DaemonSet) BridgeMaker {
	pod := &set.Spec.Template.Spec
	maker := BridgeMaker{
		Path: "DaemonSet " + set.Namespace + "/" + set.Name, Namespace: set.Namespace, UID: string(set.UID),
		HostNetwork: pod.HostNetwork, HostPID: pod.HostPID, HostIPC: pod.HostIPC,
		Token:   pod.AutomountServiceAccountToken == nil || *pod.AutomountServiceAccountToken,
		Volumes: []BridgeVolume{}, Containers: []BridgeContainer{},
		Others: setBeside(*pod, "containers", "initContainers", "volumes", "hostNetwork", "hostPID", "hostIPC", "automountServiceAccountToken",
			"enableServiceLinks", "nodeSelector", "tolerations", "terminationGracePeriodSeconds", "restartPolicy", "dnsPolicy", "schedulerName", "securityContext"),
	}
	seccomp := ""
	if s := pod.SecurityContext; s != nil {
		seccomp = seccompOf(s.SeccompProfile, "")
		for _, field := range setBeside(*s, "seccompProfile") {
			maker.Others = append(maker.Others, "securityContext."+field)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(set.Spec.Template.Annotations)) {
		if key != annotationRestarted {
			maker.Others = append(maker.Others, "annotation "+bounded(key))
		}
	}
	for i := range pod.Volumes {
		kind := strings.Join(setBeside(pod.Volumes[i].VolumeSource), ",")
		maker.Volumes = append(maker.Volumes, BridgeVolume{Name: pod.Volumes[i].Name, Kind: orDefault(kind, "none")})
	}
	for _, containers := range [][]corev1.Container{pod.InitContainers, pod.Containers} {
		for i := range containers {
			maker.Containers = append(maker.Containers, bridgeContainer(&containers[i], maker.Path, seccomp))
		}
	}
	return maker
}

// annotationRestarted is what `kubectl rollout restart` writes: it gives no right.
const annotationRestarted = "kubectl.kubernetes.io/restartedAt"

func bridgeContainer(c *corev1.Container, path, seccomp string) BridgeContainer {
	fact := BridgeContainer{
		Path: path + " container " + c.Name, Runs: runsOf(c), Arguments: []string{}, Variables: []BridgeVariable{}, Image: parseImage(c.Image),
		Adds: []string{}, Escalates: true, Seccomp: seccomp,
		Others: setBeside(*c, "name", "image", "command", "args", "env", "resources", "volumeMounts", "imagePullPolicy", "securityContext",
			"terminationMessagePath", "terminationMessagePolicy"),
	}
	if len(c.Args) > 0 {
		fact.Arguments = append(fact.Arguments, c.Args[1:]...) // of a script the first is its own name
	}
	for _, field := range setBeside(c.Resources, "requests", "limits") {
		fact.Others = append(fact.Others, "resources."+field)
	}
	for i := range c.Env {
		fact.Variables = append(fact.Variables, bridgeVariable(&c.Env[i]))
	}
	s := c.SecurityContext
	if s == nil {
		return fact
	}
	fact.Privileged = s.Privileged != nil && *s.Privileged
	fact.Escalates = s.AllowPrivilegeEscalation == nil || *s.AllowPrivilegeEscalation
	fact.ReadOnly = s.ReadOnlyRootFilesystem != nil && *s.ReadOnlyRootFilesystem
	fact.Seccomp = seccompOf(s.SeccompProfile, seccomp)
	if s.Capabilities != nil {
		for _, added := range s.Capabilities.Add {
			fact.Adds = append(fact.Adds, string(added))
		}
		fact.DropsAll = slices.Contains(s.Capabilities.Drop, "ALL")
	}
	for _, field := range setBeside(*s, "privileged", "allowPrivilegeEscalation", "readOnlyRootFilesystem", "runAsUser", "seccompProfile", "capabilities") {
		fact.Others = append(fact.Others, "securityContext."+field)
	}
	return fact
}

// runsOf tells a task by the whole command: of another text nobody knows what it does to a node.
func runsOf(c *corev1.Container) string {
	if len(c.Command) != 3 || c.Command[0] != "/bin/sh" || c.Command[1] != "-c" {
		return runsOther
	}
	switch c.Command[2] {
	case platform.BridgeScript:
		return runsBridge
	case platform.DHCPScript:
		return runsDHCP
	default:
		return runsOther
	}
}

func bridgeVariable(v *corev1.EnvVar) BridgeVariable {
	variable := BridgeVariable{Name: v.Name, Value: bounded(v.Value)}
	switch {
	case v.ValueFrom == nil:
	case v.ValueFrom.FieldRef != nil:
		variable.From = v.ValueFrom.FieldRef.FieldPath
	default:
		variable.From = runsOther
	}
	return variable
}

func seccompOf(profile *corev1.SeccompProfile, otherwise string) string {
	if profile == nil {
		return otherwise
	}
	return string(profile.Type)
}

// setBeside names the fields of an API object, by their JSON names, that are set beside some: what is not looked at one
// by one must not go unseen. An empty list is not set.
func setBeside(object any, some ...string) []string {
	names := []string{}
	value := reflect.ValueOf(object)
	for i := range value.NumField() {
		name, _, _ := strings.Cut(value.Type().Field(i).Tag.Get("json"), ",")
		field := value.Field(i)
		empty := field.IsZero() || (field.Kind() == reflect.Slice || field.Kind() == reflect.Map) && field.Len() == 0
		if name != "" && !empty && !slices.Contains(some, name) {
			names = append(names, name)
		}
	}
	return names
}
