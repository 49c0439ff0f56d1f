package facts

// Params are the parameters of the ComplianceProfile in force and what the platform's configuration says, defaults filled in.
type Params struct {
	Profile                  string        `json:"profile"` // uds or virtfoundry, or the name of the ComplianceProfile
	ImagePrefixes            []ImagePrefix `json:"imagePrefixes"`
	SourceHosts              []SourceHost  `json:"sourceHosts"`              // internal hosts that content may be fetched from
	TenantHTTPEgress         string        `json:"tenantHTTPEgress"`         // importers or all
	NetworkPolicyEnforcement string        `json:"networkPolicyEnforcement"` // assumed, verified or none
	AllowUnverifiedDisk      bool          `json:"allowUnverifiedDisk"`
	DNS                      []DNSPeer     `json:"dns"`
	KubeVirtNamespace        string        `json:"kubevirtNamespace"`
	CDINamespace             string        `json:"cdiNamespace"`
	MaxCores                 int64         `json:"maxCores"`
	MinMemory                int64         `json:"minMemory"`    // bytes
	MaxMemory                int64         `json:"maxMemory"`    // bytes
	MemoryBounds             string        `json:"memoryBounds"` // both for people: 64Mi to 1Ti
	Quota                    []Amount      `json:"quota"`        // the widest cap of a tenant namespace
	LimitMax                 []Amount      `json:"limitMax"`     // the widest `max` of a tenant's containers
	LimitDefault             []Amount      `json:"limitDefault"`
	LimitDefaultRequest      []Amount      `json:"limitDefaultRequest"`
	ClusterRanges            []string      `json:"clusterRanges"` // of pods, Services and nodes, where they are known
	DefaultClass             string        `json:"defaultClass"`  // of Disks that name none: a StorageClass, or auto
	SnapshotClass            string        `json:"snapshotClass"` // a VolumeSnapshotClass; empty chooses by the driver
	Grants                   Grants        `json:"grants"`
}

// ImagePrefix is one entry of the image allow-list, taken apart.
type ImagePrefix struct {
	Text     string   `json:"text"`
	Registry string   `json:"registry"`
	Path     []string `json:"path"`
}

// DNSPeer names the pods that answer for cluster DNS.
type DNSPeer struct {
	Namespace string            `json:"namespace"`
	Pods      map[string]string `json:"pods"`
}

// Grants are the sources of grants that a ComplianceProfile declares. Selects
// tells whether the source's namespace selector selects the subject's
// namespace; whether that is enough is for Rego to say.
type Grants struct {
	DedicatedCPU          []NamespaceGrant `json:"dedicatedCPU"`
	Egress                []EgressGrant    `json:"egress"`
	SecondaryNetworks     []NetworkGrant   `json:"secondaryNetworks"`
	CrossNamespaceSources []SourceGrant    `json:"crossNamespaceSources"`
	SharedNetworks        []NetworkGrant   `json:"sharedNetworks"`
	SecurityGroups        []GroupGrant     `json:"securityGroups"`
}

// GroupGrant permits SecurityGroups to open address blocks.
type GroupGrant struct {
	Selects bool     `json:"selects"`
	Reason  string   `json:"reason"`
	CIDRs   []string `json:"cidrs"`
}

// NamespaceGrant is a grant to the namespaces that a selector selects.
type NamespaceGrant struct {
	Selects bool   `json:"selects"`
	Reason  string `json:"reason"`
}

// EgressGrant permits destinations beyond cluster DNS.
type EgressGrant struct {
	Selects bool     `json:"selects"`
	Reason  string   `json:"reason"`
	CIDRs   []string `json:"cidrs"`
	Ports   []Port   `json:"ports"` // none means every port
}

// NetworkGrant permits secondary networks.
type NetworkGrant struct {
	Selects  bool     `json:"selects"`
	Reason   string   `json:"reason"`
	Networks []string `json:"networks"` // namespace/name
}
