// Package facts turns the typed objects that one subject consists of into the
// input document that rules and grants are evaluated on. It decodes and it
// measures; it never decides what is allowed.
//
// The document is total: every field of every type here is encoded, whatever
// its value. Only scalars are nullable (a pointer), an object that may be
// absent is a list of none or one, and what could not be determined is named
// in Gaps, so that silence can never be read as an answer.
package facts

// Moment is the point in a subject's life at which it is judged.
type Moment string

// The moments. `check` over files is Plan for an object without uid and Live
// for the dump of a cluster.
const (
	Admission Moment = "admission"
	Plan      Moment = "plan"
	Live      Moment = "live"
)

// Input is the whole document: what `input` is in Rego.
type Input struct {
	Moment     string            `json:"moment"`     // admission, plan or live
	Now        string            `json:"now"`        // RFC 3339, UTC
	Request    []Request         `json:"request"`    // admission only
	Subject    Subject           `json:"subject"`    // what is judged
	Object     Object            `json:"object"`     // the custom resource's own wishes
	Namespace  []Namespace       `json:"namespace"`  // the namespace lived in, or owned by a Tenant
	Network    Network           `json:"network"`    // effective reachability of the launcher pods
	Fabric     Fabric            `json:"fabric"`     // what lies around one of the tenants' networks
	Volume     Volume            `json:"volume"`     // what lies around a Disk or a snapshot
	Accounts   Accounts          `json:"accounts"`   // what lies around a User or an APIKey
	Bridges    []BridgeMaker     `json:"bridges"`    // what makes the host bridges
	Guest      Guest             `json:"guest"`      // what the guest operating system is told
	Disks      []Disk            `json:"disks"`      // in the order of the machine's disks
	Origins    []Origin          `json:"origins"`    // where the disks' content is fetched from over a network
	Foreign    []Foreign         `json:"foreign"`    // objects of other namespaces that the machine takes content from
	Images     []ImageUse        `json:"images"`     // every container image that the machine runs or imports
	Compute    Compute           `json:"compute"`    // processor placement
	Quotas     []Quota           `json:"quotas"`     // all ResourceQuotas of the namespace
	Limits     []LimitRange      `json:"limits"`     // all LimitRanges of the namespace
	Cluster    Cluster           `json:"cluster"`    // capabilities found at run time
	Params     Params            `json:"params"`     // from the ComplianceProfile in force
	Exceptions []Exception       `json:"exceptions"` // grant queries only; empty when rules are judged
	Gaps       map[string]string `json:"gaps"`       // dotted path of this document -> why it could not be determined
}

// Request tells who asks for what, at admission.
type Request struct {
	Operation string   `json:"operation"` // CREATE or UPDATE
	User      string   `json:"user"`
	Groups    []string `json:"groups"`
}

// Subject identifies what a verdict is about.
type Subject struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace"` // empty for cluster-scoped kinds
	Name       string `json:"name"`
	UID        string `json:"uid"` // empty at plan for an object that does not exist yet
}

// Object holds the facts of the custom resource: exactly one list has one
// element, or none for a VirtualMachine that no custom resource describes.
type Object struct {
	Deleting bool `json:"deleting"` // its deletion was asked for, at admission by this very request

	Tenant        []Tenant      `json:"tenant"`
	Machine       []Machine     `json:"machine"`
	Instance      []Instance    `json:"instance"`
	Template      []Template    `json:"template"`
	Offering      []Offering    `json:"offering"`
	Network       []NetworkWish `json:"network"`
	VPC           []VPCWish     `json:"vpc"`
	Address       []AddressWish `json:"address"`
	SecurityGroup []GroupWish   `json:"securityGroup"`

	Disk             []DiskWish     `json:"disk"`
	DiskSnapshot     []SnapshotWish `json:"diskSnapshot"`
	InstanceSnapshot []SnapshotWish `json:"instanceSnapshot"`

	SSHKey []SSHKeyWish `json:"sshKey"`
	User   []UserWish   `json:"user"`
	Role   []RoleWish   `json:"role"`
	APIKey []APIKeyWish `json:"apiKey"`

	Platform []PlatformWish `json:"platform"`
}

// Tenant is what a virtfoundry.io Tenant asks for.
type Tenant struct {
	Slug          string  `json:"slug"`
	SlugLength    int64   `json:"slugLength"`    // in characters
	NamespaceName string  `json:"namespaceName"` // virtfoundry-tenant-<slug>
	CreatedAt     string  `json:"createdAt"`     // RFC 3339; empty before it exists
	Deleting      bool    `json:"deleting"`
	OwnsNamespace bool    `json:"ownsNamespace"` // the namespace's controller has this Tenant's uid
	Rivals        []Rival `json:"rivals"`        // other Tenants with the same slug
}

// Rival is another Tenant with the same slug.
type Rival struct {
	Name          string `json:"name"`
	UID           string `json:"uid"`
	CreatedAt     string `json:"createdAt"`
	Deleting      bool   `json:"deleting"`
	OwnsNamespace bool   `json:"ownsNamespace"`
}

// Machine is what a uds.dev UDSVirtualMachine asks for.
type Machine struct {
	OSType       string     `json:"osType"`
	RunStrategy  string     `json:"runStrategy"`
	SourceType   string     `json:"sourceType"`
	URL          string     `json:"url"`      // without user information
	Image        []Image    `json:"image"`    // sourceType registry
	Checksum     []Checksum `json:"checksum"` // none when spec.checksum is empty
	Cores        int64      `json:"cores"`
	Dedicated    bool       `json:"dedicated"`
	Memory       Quantity   `json:"memory"`
	DiskSize     Quantity   `json:"diskSize"`
	DataDisks    []DataDisk `json:"dataDisks"`
	Networks     []string   `json:"networks"` // namespace/name of each NetworkAttachmentDefinition asked for
	Egress       []Egress   `json:"egress"`
	UserDataFrom string     `json:"userDataFrom"` // name of the Secret, empty without one
}

// DataDisk is one entry of spec.dataDisks.
type DataDisk struct {
	Name string   `json:"name"`
	Size Quantity `json:"size"`
}

// Egress is one entry of spec.network.egress.
type Egress struct {
	Path  string `json:"path"`
	CIDR  string `json:"cidr"`
	Valid bool   `json:"valid"` // the CIDR parses
	Ports []Port `json:"ports"` // none means every port
}

// Namespace is the namespace as it is, or as it is planned.
type Namespace struct {
	Name        string            `json:"name"`
	UID         string            `json:"uid"`
	Labels      map[string]string `json:"labels"`
	Owners      []Owner           `json:"owners"`
	Terminating bool              `json:"terminating"`
}

// Owner is one ownerReference.
type Owner struct {
	Group      string `json:"group"` // API group without the version
	Kind       string `json:"kind"`
	Name       string `json:"name"`
	UID        string `json:"uid"`
	Controller bool   `json:"controller"`
}

// Compute is how the launcher pods are placed on processors.
type Compute struct {
	Placements []Placement `json:"placements"`
}

// Placement is one place that decides about dedicated processors.
type Placement struct {
	Launcher  string `json:"launcher"`
	Path      string `json:"path"`
	Dedicated bool   `json:"dedicated"`
}

// Cluster is what was found out about the cluster.
type Cluster struct {
	CDIUploadChecksum bool   `json:"cdiUploadChecksum"` // the served DataVolume schema has source.upload.checksum
	CDIOverhead       string `json:"cdiOverhead"`       // global file system overhead, a decimal fraction
	VolumeSnapshots   *bool  `json:"volumeSnapshots"`   // VolumeSnapshots and their classes are served; null where that is not known
}

// Exception is a ComplianceException in force for the subject.
type Exception struct {
	Name string `json:"name"`
	Rule string `json:"rule"`
}
