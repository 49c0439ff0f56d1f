// Package platform is the operator's runtime configuration: one file of the keys of VirtFoundry's charts that an
// operator uses (VirtFoundry sheet, section 6), decoded strictly. What holds for some namespaces only is a
// ComplianceProfile's; the file gives the values where no profile does.
package platform

import corev1 "k8s.io/api/core/v1"

// Where the file is: a key of a ConfigMap in the operator's namespace.
const (
	ConfigMapName = "virtfoundry-platform"
	FileName      = "platform.yaml"
)

// EnvImagePrefixes is the environment variable of VirtFoundry's operator that holds the image allow-list as a comma
// list; imageAllowlist.prefixes of the file comes before it.
const EnvImagePrefixes = "VIRTFOUNDRY_ALLOWED_CONTAINER_IMAGE_PREFIXES"

// ClassAuto stands for longhorn where the cluster has it, else the one default class, else local-path.
const ClassAuto = "auto"

// Config is the whole file. Its zero value decodes from an empty file, and means the defaults.
type Config struct {
	Storage        Storage        `json:"storage"`
	ImageAllowlist ImageAllowlist `json:"imageAllowlist"`
	Networking     Networking     `json:"networking"`
}

// Storage names classes of volumes and snapshots.
type Storage struct {
	DefaultClass  string `json:"defaultClass"`  // auto, or a StorageClass that must exist
	SnapshotClass string `json:"snapshotClass"` // a VolumeSnapshotClass; empty chooses by the volume's driver
}

// ImageAllowlist says which container images a machine may be made of. An absent list keeps the built-in one, an empty
// one allows none.
type ImageAllowlist struct {
	Prefixes []string `json:"prefixes"`
}

// Networking are the platform's networks and what makes their bridges.
type Networking struct {
	Public   Public   `json:"public"`
	Isolated Isolated `json:"isolated"`
	Bridge   Bridge   `json:"bridge"`
}

// Public is the network that all tenants' machines may share, Network public of virtfoundry-system.
type Public struct {
	Enabled         bool       `json:"enabled"`
	AutoFromCluster *bool      `json:"autoFromCluster"` // absent is true: an empty or default CIDR is that of the first Node
	CIDR            string     `json:"cidr"`
	Gateway         string     `json:"gateway"`
	IPPool          Range      `json:"ipPool"`
	ReservedRanges  []Reserved `json:"reservedRanges"` // never given to guests; absent is the built-in range of load balancers
	DNS             []string   `json:"dns"`            // absent is the gateway
	Bridge          HostBridge `json:"bridge"`
	DHCP            DHCP       `json:"dhcp"`
	NAD             NAD        `json:"nad"`
}

// Range is an inclusive range of addresses.
type Range struct {
	Start string `json:"start"`
	End   string `json:"end"`
}

// Reserved is a range with its reason.
type Reserved struct {
	Start  string `json:"start"`
	End    string `json:"end"`
	Reason string `json:"reason"`
}

// HostBridge is a bridge on each node.
type HostBridge struct {
	Name    string `json:"name"`
	Uplink  string `json:"uplink"`  // an interface to put into it: never the one that carries the node's address
	Address string `json:"address"` // of the host, as 10.0.50.2/24; the last octet is each node's own
}

// DHCP serves the pool on the bridge. Unlike in VirtFoundry it is off unless it is switched on: it knows nothing of the
// addresses that IPAddress objects hold.
type DHCP struct {
	Enabled bool `json:"enabled"`
}

// NAD names the NetworkAttachmentDefinition of the public network.
type NAD struct {
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
}

// Isolated are the tenants' own networks, each in a VLAN of one bridge.
type Isolated struct {
	Enabled bool           `json:"enabled"`
	Bridge  IsolatedBridge `json:"bridge"`
}

// IsolatedBridge is a bridge on each node that carries VLANs.
type IsolatedBridge struct {
	Name    string `json:"name"`
	Address string `json:"address"`
}

// Bridge says how the bridges are made on the nodes.
type Bridge struct {
	Namespace             string              `json:"namespace"`
	Image                 string              `json:"image"` // by digest
	NodeSelector          map[string]string   `json:"nodeSelector"`
	Tolerations           []corev1.Toleration `json:"tolerations"`
	RepairIntervalSeconds int                 `json:"repairIntervalSeconds"`
}

// Values where the file says nothing (VirtFoundry sheet, section 6).
const (
	defaultCIDR           = "10.0.50.0/24"
	defaultGateway        = "10.0.50.254"
	defaultPoolStart      = "10.0.50.10"
	defaultPoolEnd        = "10.0.50.99"
	defaultReservedStart  = "10.0.50.100"
	defaultReservedEnd    = "10.0.50.150"
	defaultPublicBridge   = "vf-pub0"
	defaultIsolatedBridge = "virtfoundry-br0"
	defaultNAD            = "virtfoundry-public"
	defaultNADNamespace   = "virtfoundry-system"
	defaultBridgeSpace    = "kube-system"
	defaultRepairSeconds  = 15
)

// Defaults returns what an empty file means.
func Defaults() Config { return (&Config{}).withDefaults() }

// withDefaults fills in what does not depend on the cluster.
func (c *Config) withDefaults() Config {
	filled := *c
	set := func(value *string, otherwise string) {
		if *value == "" {
			*value = otherwise
		}
	}
	set(&filled.Storage.DefaultClass, ClassAuto)
	n := &filled.Networking
	set(&n.Public.Bridge.Name, defaultPublicBridge)
	set(&n.Public.NAD.Name, defaultNAD)
	set(&n.Public.NAD.Namespace, defaultNADNamespace)
	set(&n.Isolated.Bridge.Name, defaultIsolatedBridge)
	set(&n.Bridge.Namespace, defaultBridgeSpace)
	set(&n.Bridge.Image, defaultImage)
	if n.Bridge.RepairIntervalSeconds == 0 {
		n.Bridge.RepairIntervalSeconds = defaultRepairSeconds
	}
	return filled
}

// Auto tells whether the public network takes its range from the first Node: it is not switched off, and no range is
// given but the built-in one.
func (p *Public) Auto() bool {
	return (p.AutoFromCluster == nil || *p.AutoFromCluster) && (p.CIDR == "" || p.CIDR == defaultCIDR)
}
