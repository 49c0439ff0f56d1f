package v1alpha1

// Guest is merged into the hardened cloud-init: no password, no login of root, keys only.
type Guest struct {
	// user is the login that the authorized keys are for; absent means the image's own default user.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	User string `json:"user,omitempty"`

	// sshAuthorizedKeys are public keys in OpenSSH form, one a line of authorized_keys.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=256
	// +kubebuilder:validation:items:MaxLength=16384
	SSHAuthorizedKeys []string `json:"sshAuthorizedKeys,omitempty"`

	// userDataSecretRef is user data of any form that cloud-init reads; it is merged so that hardening wins, or refused (key default: userdata).
	// +optional
	UserDataSecretRef *SecretKeyRef `json:"userDataSecretRef,omitempty"`

	// fips turns FIPS mode off when false; absent means on.
	// +optional
	FIPS *bool `json:"fips,omitempty"`

	// packages are installed by the guest's package manager at first boot.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=512
	// +kubebuilder:validation:items:MaxLength=253
	Packages []string `json:"packages,omitempty"`
}

// ProvisioningMode says how a windows guest is set up.
//
// +kubebuilder:validation:Enum=iso;clone;auto
type ProvisioningMode string

// The ways to set up a windows guest.
const (
	// ProvisioningISO installs from installation media with Autounattend.xml.
	ProvisioningISO ProvisioningMode = "iso"
	// ProvisioningClone runs the first-boot setup of a generalized image with Unattend.xml.
	ProvisioningClone ProvisioningMode = "clone"
	// ProvisioningAuto chooses by sourceType.
	ProvisioningAuto ProvisioningMode = "auto"
)

// Windows configures the unattended setup of a windows guest.
type Windows struct {
	// provisioningMode is iso, clone or auto (default: chosen by sourceType).
	// +optional
	// +kubebuilder:default=auto
	ProvisioningMode ProvisioningMode `json:"provisioningMode,omitempty"`

	// computerName is the NetBIOS name, at most 15 letters, digits and hyphens and not digits only; absent derives it from the VM's name.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	ComputerName string `json:"computerName,omitempty"`

	// adminPasswordSecretRef holds the administrator's password; absent generates one for this VM (key default: password).
	// +optional
	AdminPasswordSecretRef *SecretKeyRef `json:"adminPasswordSecretRef,omitempty"`

	// timeZone is a Windows time zone name, for example UTC.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	TimeZone string `json:"timeZone,omitempty"`

	// productKeySecretRef holds the product key (key default: productKey).
	// +optional
	ProductKeySecretRef *SecretKeyRef `json:"productKeySecretRef,omitempty"`
}

// Network asks for traffic beyond cluster DNS.
type Network struct {
	// egress opens further destinations; each needs a policy grant.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Egress []EgressRule `json:"egress,omitempty"`

	// networks are NetworkAttachmentDefinitions, <name> or <namespace>/<name>; they go around NetworkPolicy, so each needs a policy grant.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MaxLength=317
	Networks []string `json:"networks,omitempty"`
}

// EgressRule opens one destination.
type EgressRule struct {
	// cidr is the destination, for example 10.20.0.0/16; policy refuses what is no CIDR.
	// +required
	// +kubebuilder:validation:MaxLength=64
	CIDR string `json:"cidr"`

	// ports are the destination's ports; absent means every port and protocol.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Ports []Port `json:"ports,omitempty"`
}

// Protocol is a transport protocol.
//
// +kubebuilder:validation:Enum=TCP;UDP;SCTP
type Protocol string

// ProtocolTCP is the protocol of a Port that names none.
const ProtocolTCP Protocol = "TCP"

// Port is a port or a range of ports of one protocol.
//
// +kubebuilder:validation:XValidation:rule="!has(self.endPort) || self.endPort >= self.port",fieldPath=".endPort",messageExpression="'endPort %d lies below port %d: raise it to at least the port'.format([self.endPort, self.port])",message="endPort must not lie below port"
type Port struct {
	// protocol is TCP (default), UDP or SCTP.
	// +optional
	// +kubebuilder:default=TCP
	Protocol Protocol `json:"protocol,omitempty"`

	// port is the port, or the first of a range.
	// +required
	// +kubebuilder:validation:XValidation:rule="self >= 1 && self <= 65535",messageExpression="'port %d is out of bounds: use 1 to 65535'.format([self])",message="port must be 1 to 65535"
	Port int32 `json:"port"`

	// endPort is the last port of a range; absent means the single port.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self >= 1 && self <= 65535",messageExpression="'endPort %d is out of bounds: use 1 to 65535'.format([self])",message="endPort must be 1 to 65535"
	EndPort *int32 `json:"endPort,omitempty"`
}
