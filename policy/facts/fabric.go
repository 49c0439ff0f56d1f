package facts

import (
	cniv1 "cato.dev/cato/api/cni/v1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
)

// The kinds of subjects that make up the tenants' networks.
const (
	KindNetwork       = "Network"
	KindVPC           = "VPC"
	KindIPAddress     = "IPAddress"
	KindSecurityGroup = "SecurityGroup"
)

// FabricObjects are what tenants' networks consist of. At most one of the
// first four is set: the subject.
type FabricObjects struct {
	Network       *virtfoundryv1alpha1.Network
	VPC           *virtfoundryv1alpha1.VPC
	Address       *virtfoundryv1alpha1.IPAddress
	SecurityGroup *virtfoundryv1alpha1.SecurityGroup

	Tenants     []virtfoundryv1alpha1.Tenant    // whose slug names the subject's namespace
	Networks    []virtfoundryv1alpha1.Network   // of the subject's namespace
	VPCs        []virtfoundryv1alpha1.VPC       // of the subject's namespace
	Addresses   []virtfoundryv1alpha1.IPAddress // of the subject's namespace
	Instances   []virtfoundryv1alpha1.Instance  // that may use the subject
	Attachments []cniv1.NetworkAttachmentDefinition
	Wanted      []virtfoundryv1alpha1.Network // that the NICs of an Instance name, wherever they are
}

// Fabric is what lies around a subject of the tenants' networks. All of it is
// empty for other subjects, but Wanted, NICClaims and Users.
type Fabric struct {
	Tenants     []TenantRef      `json:"tenants"`     // whose slug names the subject's namespace
	Networks    []VirtualNetwork `json:"networks"`    // the others of the namespace; for an IPAddress, the one that it names
	VPCs        []VPCRange       `json:"vpcs"`        // the others of the namespace
	Attachments []Attachment     `json:"attachments"` // the subject's own, none or one
	Sharing     []Attachment     `json:"sharing"`     // others whose pods reach the subject's segment, or may
	Claims      []AddressClaim   `json:"claims"`      // other IPAddresses of the subject's address
	Pool        []Pool           `json:"pool"`        // what guests may have of the network that an IPAddress names
	Users       []NetworkUser    `json:"users"`       // what names the subject: of one of the catalogue, while it is being deleted
	Wanted      []VirtualNetwork `json:"wanted"`      // Networks that the NICs of an Instance name
	NICClaims   []NICClaim       `json:"nicClaims"`   // IPAddresses of the names that the NICs of an Instance need
}

// NetworkWish is what a virtfoundry.io Network asks for.
type NetworkWish struct {
	Type         string   `json:"type"` // isolated or shared
	CIDR         string   `json:"cidr"`
	Prefix       []Prefix `json:"prefix"`       // none when cidr is empty or cannot be used
	Problem      string   `json:"problem"`      // why cidr cannot be used; empty when it can
	Gateway      string   `json:"gateway"`      // as RFC 5952 writes it, where it is an address
	GatewayValid bool     `json:"gatewayValid"` // it is empty or an address
	VPC          string   `json:"vpc"`
	Holds        bool     `json:"holds"`     // its attachment stands, so that guests may have its addresses
	CreatedAt    string   `json:"createdAt"` // RFC 3339; empty before it exists
	Deleting     bool     `json:"deleting"`
}

// Prefix is a range that guests can be in.
type Prefix struct {
	CIDR      string `json:"cidr"`
	Network   string `json:"network"`   // its first address
	Broadcast string `json:"broadcast"` // its last one; empty for IPv6, which has no broadcast
}

// VPCWish is what a virtfoundry.io VPC asks for.
type VPCWish struct {
	CIDR      string   `json:"cidr"`
	Prefix    []Prefix `json:"prefix"`
	Problem   string   `json:"problem"`
	CreatedAt string   `json:"createdAt"`
	Deleting  bool     `json:"deleting"`
}

// AddressWish is what a virtfoundry.io IPAddress claims.
type AddressWish struct {
	Network   string `json:"network"`
	Address   string `json:"address"` // as RFC 5952 writes it, where it is one; empty when any will do
	Valid     bool   `json:"valid"`   // it is empty or an address
	Lock      string `json:"lock"`    // the name of the IPAddress that holds the address; empty without one
	CreatedAt string `json:"createdAt"`
	Deleting  bool   `json:"deleting"`
}

// GroupWish is what a virtfoundry.io SecurityGroup asks for.
type GroupWish struct {
	Policy string      `json:"policy"` // the name of its NetworkPolicy
	Label  string      `json:"label"`  // the key of the label, with value true, by which it selects pods
	Rules  []GroupRule `json:"rules"`
}

// GroupRule is one rule of a SecurityGroup.
type GroupRule struct {
	Path      string `json:"path"`
	Direction string `json:"direction"` // ingress or egress
	Protocol  string `json:"protocol"`  // tcp, udp or icmp
	From      *int64 `json:"from"`      // null for every port
	To        *int64 `json:"to"`        // null for the single port
	CIDR      string `json:"cidr"`
	Valid     bool   `json:"valid"` // direction, protocol, ports and cidr are of those that exist
}

// TenantRef is a Tenant whose slug names a namespace.
type TenantRef struct {
	Name     string `json:"name"`
	UID      string `json:"uid"`
	Slug     string `json:"slug"`
	Deleting bool   `json:"deleting"`
}

// VirtualNetwork is a Network seen from another subject.
type VirtualNetwork struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Type      string `json:"type"`
	CIDR      string `json:"cidr"`
	Valid     bool   `json:"valid"` // cidr is a range that guests can be in
	VPC       string `json:"vpc"`
	Holds     bool   `json:"holds"` // its attachment stands
	CreatedAt string `json:"createdAt"`
	Deleting  bool   `json:"deleting"`
}

// VPCRange is a VPC seen from another subject.
type VPCRange struct {
	Name     string `json:"name"`
	CIDR     string `json:"cidr"`
	Valid    bool   `json:"valid"` // cidr is empty or a range that guests can be in
	Deleting bool   `json:"deleting"`
}

// Attachment is a NetworkAttachmentDefinition, as its CNI configuration reads.
type Attachment struct {
	Namespace   string `json:"namespace"`
	Name        string `json:"name"`
	UID         string `json:"uid"`
	Type        string `json:"type"`        // of the plugin that makes the interface, such as bridge
	Bridge      string `json:"bridge"`      // the bridge or device of the host that it leads to
	VLAN        int64  `json:"vlan"`        // 0 is untagged
	DefaultVLAN bool   `json:"defaultVLAN"` // its ports stay members of the bridge's default VLAN too
	Reach       string `json:"reach"`       // own, vlan, trunk, untagged, or unknown where it cannot be told
	Problem     string `json:"problem"`     // why the configuration cannot be read; empty when it can
}

// AddressClaim is an IPAddress seen from another one.
type AddressClaim struct {
	Name    string `json:"name"`
	Address string `json:"address"`
	Holds   bool   `json:"holds"` // its name is that of the address, so that it is the lock
	Ours    bool   `json:"ours"`  // it is the lock that was made for the subject
}

// Pool is what guests may have of a network.
type Pool struct {
	CIDR     string     `json:"cidr"`
	Prefix   []Prefix   `json:"prefix"` // none when cidr is empty or cannot be used
	Gateway  string     `json:"gateway"`
	Within   []string   `json:"within"` // blocks that make up the pool; the whole cidr without one
	Reserved []Reserved `json:"reserved"`
	Problem  string     `json:"problem"` // why pool and reservations cannot be read; empty when they can
}

// Reserved is a range that no guest gets.
type Reserved struct {
	Text   string   `json:"text"` // for people
	Reason string   `json:"reason"`
	CIDRs  []string `json:"cidrs"`
}

// NetworkUser is an object that uses a Network, a VPC, an address or something of the catalogue.
type NetworkUser struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Path      string `json:"path"` // the field that names the subject
}
