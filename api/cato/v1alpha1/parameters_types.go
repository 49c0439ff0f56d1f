package v1alpha1

import (
	"cato.dev/cato/api/quantity"
)

// ComplianceProfileParameters are what the rules compare with; every absent one keeps its built-in value.
type ComplianceProfileParameters struct {
	// imageAllowlist says which container images a VM may be made of.
	// +optional
	ImageAllowlist *ImageAllowlist `json:"imageAllowlist,omitempty"`

	// allowedSourceHosts are hosts that a VM's disk may be fetched from although they are internal: a name, *.name for the names below it, an address or a CIDR. Built-in: none, so that loopback, link-local, private and cluster-internal hosts are refused.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=253
	AllowedSourceHosts []string `json:"allowedSourceHosts,omitempty"`

	// tenant holds the parameters of Tenants.
	// +optional
	Tenant *TenantParameters `json:"tenant,omitempty"`

	// networkPolicyEnforcement says whether the cluster's network enforces NetworkPolicy, which its API cannot show: assumed (built-in, printed as an assumption), verified, or none (isolation then fails).
	// +optional
	NetworkPolicyEnforcement NetworkPolicyEnforcement `json:"networkPolicyEnforcement,omitempty"`

	// allowUnverifiedDisk starts guests whose disk nothing can verify; control SI-7 stays failed all the same. Built-in: false.
	// +optional
	AllowUnverifiedDisk *bool `json:"allowUnverifiedDisk,omitempty"`

	// dns are the pods that guests may ask for names. Built-in: pods k8s-app=kube-dns in kube-system.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	DNS []DNSPeer `json:"dns,omitempty"`

	// kubevirtNamespace is where KubeVirt runs. Built-in: kubevirt.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	KubevirtNamespace string `json:"kubevirtNamespace,omitempty"`

	// cdiNamespace is where CDI runs. Built-in: cdi.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	CDINamespace string `json:"cdiNamespace,omitempty"`

	// grants permit what is privileged, by namespace; nothing is granted without an entry.
	// +optional
	Grants *Grants `json:"grants,omitempty"`

	// clusterRanges are the ranges of the cluster's pods, Services and nodes, as CIDRs, with which no Network may overlap. Built-in: none, which is printed as an assumption.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=64
	ClusterRanges []string `json:"clusterRanges,omitempty"`

	// addressPools narrow what is given out of Networks; a Network without an entry gives out every address of a host but its gateway.
	// +optional
	// +listType=map
	// +listMapKey=network
	// +kubebuilder:validation:MaxItems=256
	AddressPools []AddressPool `json:"addressPools,omitempty"`

	// memory bounds the memory of a VM. Built-in: 64Mi to 1Ti.
	// +optional
	Memory *MemoryBounds `json:"memory,omitempty"`

	// cpu bounds the cores of a VM. Built-in: 256.
	// +optional
	CPU *CPUBounds `json:"cpu,omitempty"`

	// quota replaces entries of the tenants' ResourceQuota.
	// +optional
	Quota *QuotaParameters `json:"quota,omitempty"`

	// limitRange replaces entries of the tenants' LimitRange.
	// +optional
	LimitRange *LimitRangeParameters `json:"limitRange,omitempty"`

	// rules change what happens when a rule fails; a verdict is never changed.
	// +optional
	// +listType=map
	// +listMapKey=id
	// +kubebuilder:validation:MaxItems=256
	Rules []RuleMode `json:"rules,omitempty"`
}

// AddressPool says which addresses of one Network guests may have.
type AddressPool struct {
	// network is the Network, as <namespace>/<metadata.name>.
	// +required
	// +kubebuilder:validation:MinLength=3
	// +kubebuilder:validation:MaxLength=317
	Network string `json:"network"`

	// start and end bound the pool; both or neither.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Start string `json:"start,omitempty"`

	// end is the last address of the pool.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	End string `json:"end,omitempty"`

	// reserved are never given to guests, for example the range of a load balancer.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Reserved []AddressRange `json:"reserved,omitempty"`
}

// AddressRange is an inclusive range of addresses.
type AddressRange struct {
	// start is the first address.
	// +required
	// +kubebuilder:validation:MaxLength=64
	Start string `json:"start"`

	// end is the last address.
	// +required
	// +kubebuilder:validation:MaxLength=64
	End string `json:"end"`

	// reason is shown to who asks for an address of the range.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Reason string `json:"reason,omitempty"`
}

// ImageAllowlist says which container images a VM may be made of.
type ImageAllowlist struct {
	// prefixes are compared with registry, path and repository component by component; the list replaces the built-in one.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=128
	// +kubebuilder:validation:items:MaxLength=512
	Prefixes []string `json:"prefixes,omitempty"`
}

// TenantParameters are the parameters of Tenants.
type TenantParameters struct {
	// egress shapes the tenants' default-deny policy.
	// +optional
	Egress *TenantEgress `json:"egress,omitempty"`
}

// TenantEgress shapes the tenants' default-deny policy.
type TenantEgress struct {
	// http says who may reach TCP 80 and 443 anywhere: importers (built-in: CDI's importer pods only) or all (every pod, and a rule of topic egress fails).
	// +optional
	HTTP TenantHTTP `json:"http,omitempty"`
}

// TenantHTTP says which pods of a tenant may reach TCP 80 and 443 anywhere.
//
// +kubebuilder:validation:Enum=importers;all
type TenantHTTP string

// The choices for TCP 80 and 443.
const (
	// HTTPImporters lets CDI's importer pods out only.
	HTTPImporters TenantHTTP = "importers"
	// HTTPAll lets every pod out.
	HTTPAll TenantHTTP = "all"
)

// NetworkPolicyEnforcement says whether the cluster's network enforces NetworkPolicy.
//
// +kubebuilder:validation:Enum=assumed;verified;none
type NetworkPolicyEnforcement string

// The states of NetworkPolicy enforcement.
const (
	// EnforcementAssumed: nobody looked; printed as an assumption in every document.
	EnforcementAssumed NetworkPolicyEnforcement = "assumed"
	// EnforcementVerified: an administrator tested it and answers for it.
	EnforcementVerified NetworkPolicyEnforcement = "verified"
	// EnforcementNone: policies have no effect, so isolation fails.
	EnforcementNone NetworkPolicyEnforcement = "none"
)

// DNSPeer selects the pods that answer DNS.
type DNSPeer struct {
	// namespace is the namespace of the pods.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	Namespace string `json:"namespace"`

	// podLabels are the labels of the pods; all must match, and at least one must be given.
	// +required
	// +kubebuilder:validation:MinProperties=1
	// +kubebuilder:validation:MaxProperties=16
	PodLabels map[string]string `json:"podLabels"`
}

// MemoryBounds bounds the memory of a VM.
type MemoryBounds struct {
	// min is the least memory, for example 64Mi.
	// +optional
	Min quantity.Text `json:"min,omitempty"`

	// max is the most memory, for example 1Ti.
	// +optional
	Max quantity.Text `json:"max,omitempty"`
}

// CPUBounds bounds the cores of a VM.
type CPUBounds struct {
	// max is the most cores, at most 256.
	// +optional
	// +kubebuilder:validation:XValidation:rule="self >= 1 && self <= 256",messageExpression="'max %d is out of bounds: use 1 to 256'.format([self])",message="max must be 1 to 256"
	Max *int32 `json:"max,omitempty"`
}

// QuotaParameters replaces entries of the tenants' ResourceQuota.
type QuotaParameters struct {
	// hard are entries of ResourceQuota.spec.hard, for example requests.cpu: 20; an entry given here replaces the built-in one.
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	Hard map[string]quantity.Text `json:"hard,omitempty"`
}

// LimitRangeParameters replaces entries of the Container item of the tenants' LimitRange.
type LimitRangeParameters struct {
	// default are the limits of a container that names none. Built-in: cpu 1, memory 1Gi.
	// +optional
	// +kubebuilder:validation:MaxProperties=16
	Default map[string]quantity.Text `json:"default,omitempty"`

	// defaultRequest are the requests of a container that names none. Built-in: cpu 100m, memory 128Mi.
	// +optional
	// +kubebuilder:validation:MaxProperties=16
	DefaultRequest map[string]quantity.Text `json:"defaultRequest,omitempty"`

	// max are the most that a container may have. Built-in: cpu 8, memory 16Gi.
	// +optional
	// +kubebuilder:validation:MaxProperties=16
	Max map[string]quantity.Text `json:"max,omitempty"`
}

// Mode says what happens when a rule fails.
//
// +kubebuilder:validation:Enum=enforce;warn;audit
type Mode string

// The modes of a rule.
const (
	// ModeEnforce denies.
	ModeEnforce Mode = "enforce"
	// ModeWarn lets pass with a warning to the user.
	ModeWarn Mode = "warn"
	// ModeAudit lets pass; the verdict is shown in the posture only.
	ModeAudit Mode = "audit"
)

// RuleMode sets the mode of one rule.
type RuleMode struct {
	// id is the rule's id, for example NET-001.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	ID string `json:"id"`

	// mode is enforce, warn or audit.
	// +required
	Mode Mode `json:"mode"`
}
