package facts

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"cato.dev/cato/api/platform"
)

// KindPlatform is the kind of the platform's configuration as a subject: ConfigMap virtfoundry-platform of the operator's
// namespace.
const KindPlatform = "ConfigMap"

// HostObjects are the platform's configuration and what makes the bridges that it asks for.
type HostObjects struct {
	File    *corev1.ConfigMap  // the subject; nil for the others
	Config  *platform.Config   // in force; nil where it is not known
	Network platform.Network   // the public network in force
	Problem string             // why the public network cannot be told; empty where it can, or is switched off
	Sets    []appsv1.DaemonSet // of platform.BridgesName
}

// PlatformWish is what the platform's configuration asks for on the nodes.
type PlatformWish struct {
	Namespace string       `json:"namespace"` // of the DaemonSet
	Bridges   []BridgeWish `json:"bridges"`   // of the networks that are switched on
	DHCP      bool         `json:"dhcp"`      // addresses are served on the bridge of network public
}

// BridgeWish is one bridge on each node.
type BridgeWish struct {
	Network string `json:"network"` // public or isolated
	Bridge  string `json:"bridge"`
	Uplink  string `json:"uplink"` // the interface of the node to put into it; empty for none
}

// BridgeMaker is one DaemonSet that makes host bridges.
type BridgeMaker struct {
	Path        string            `json:"path"` // DaemonSet namespace/name
	Namespace   string            `json:"namespace"`
	UID         string            `json:"uid"`
	HostNetwork bool              `json:"hostNetwork"`
	HostPID     bool              `json:"hostPID"`
	HostIPC     bool              `json:"hostIPC"`
	Token       bool              `json:"token"`   // a ServiceAccount's token is mounted
	Volumes     []BridgeVolume    `json:"volumes"` // of the pods
	Others      []string          `json:"others"`  // further fields of the pods that are set
	Containers  []BridgeContainer `json:"containers"`
}

// BridgeVolume is one volume of the pods.
type BridgeVolume struct {
	Name string `json:"name"`
	Kind string `json:"kind"` // the field of its source, such as emptyDir or hostPath; none without one
}

// BridgeContainer is one container of the pods, of whichever list.
type BridgeContainer struct {
	Path       string           `json:"path"`      // DaemonSet namespace/name and container
	Runs       string           `json:"runs"`      // bridge or dhcp: the script of that task and nothing else; other
	Arguments  []string         `json:"arguments"` // those after the script's own name
	Variables  []BridgeVariable `json:"variables"`
	Image      Image            `json:"image"`
	Adds       []string         `json:"adds"` // capabilities
	DropsAll   bool             `json:"dropsAll"`
	Privileged bool             `json:"privileged"`
	Escalates  bool             `json:"escalates"` // allowPrivilegeEscalation is not false
	ReadOnly   bool             `json:"readOnly"`  // its root file system
	Seccomp    string           `json:"seccomp"`   // type of the profile in force; empty without one
	Others     []string         `json:"others"`    // further fields that are set
}

// BridgeVariable is one variable of a container's environment.
type BridgeVariable struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	From  string `json:"from"` // the field of the pod that it is read from; other for another source; empty for a value
}
