package v1alpha1

// Names that users of virtfoundry.io know and that must not change.
const (
	// Finalizer holds a Tenant until its namespace is gone or proven to be someone else's.
	Finalizer = "virtfoundry.io/finalizer"

	// LabelTenant carries the tenant's slug on its namespace and on every object made for it.
	LabelTenant = "virtfoundry.io/tenant"
	// LabelPartOf with value PartOf marks what belongs to this product; a namespace without it is never adopted.
	LabelPartOf = "app.kubernetes.io/part-of"
	// LabelManagedBy with value ManagedBy marks what this operator writes.
	LabelManagedBy = "app.kubernetes.io/managed-by"
	// LabelPlatformOwned with value `true` marks an object of the platform's own catalogue.
	LabelPlatformOwned = "virtfoundry.io/platform-owned"
	// PartOf is the value of LabelPartOf.
	PartOf = "virtfoundry"
	// ManagedBy is the value of LabelManagedBy.
	ManagedBy = "virtfoundry-operator"

	// NamespacePrefix and the slug make the name of a tenant's namespace.
	NamespacePrefix = "virtfoundry-tenant-"
	// MaxSlugLength is what a namespace name of 63 characters leaves beside NamespacePrefix.
	MaxSlugLength = 63 - len(NamespacePrefix)
	// SystemNamespace is where the operator runs and where the platform's catalogue lies.
	SystemNamespace = "virtfoundry-system"

	// NetworkPolicyName is the tenant's default-deny policy.
	NetworkPolicyName = "virtfoundry-default-deny"
	// QuotaName is the tenant's ResourceQuota.
	QuotaName = "virtfoundry-default"
	// LimitRangeName is the tenant's LimitRange.
	LimitRangeName = "virtfoundry-default"
	// MutateRoleName is the ClusterRole that may write KubeVirt objects, and the RoleBinding to it in a tenant's namespace.
	MutateRoleName = "virtfoundry-operator-kubevirt-mutate"
	// ServiceAccountName is the operator's account in SystemNamespace.
	ServiceAccountName = "virtfoundry-operator"
)

// Names of what an Instance is made of.
const (
	// LabelInstance carries the Instance's name on its VirtualMachine.
	LabelInstance = "virtfoundry.io/instance"
	// LabelVM carries the VirtualMachine's name on the guest and its launcher pod.
	LabelVM = "virtfoundry.io/vm"
	// InstanceManagedBy is the value of LabelManagedBy on a VirtualMachine: not ManagedBy, as users know it.
	InstanceManagedBy = "virtfoundry"
	// AnnotationAllowPodNetwork with one of the values true, 1 and yes asks for a NIC on the pod network.
	AnnotationAllowPodNetwork = "virtfoundry.io/allow-pod-network"
	// UserDataKey is the key of a Secret that a reference without a key means.
	UserDataKey = "userData"
	// AnnotationSeed records on a VirtualMachine's template, and so on the guest that is started by it, short digests of what cloud-init is told.
	AnnotationSeed = "virtfoundry.io/seed"
	// CloudInitSuffix and the Instance's name make the name of the Secret with the user data of its guest.
	CloudInitSuffix = "-cloudinit"
)

// Names of the tenants' networks.
const (
	// LabelNIC carries, on an IPAddress that an Instance controls, the name of the NIC that the address is for.
	LabelNIC = "virtfoundry.io/nic"
	// LabelClaim carries, on the IPAddress that holds an address for one of another name, the uid of that one.
	LabelClaim = "virtfoundry.io/claim"
	// LabelSecurityGroupPrefix and eight characters make the key of the label, with value true, by which a SecurityGroup selects pods.
	LabelSecurityGroupPrefix = "virtfoundry.io/sg-"
	// LabelSecurityGroupName carries the name of a SecurityGroup on its NetworkPolicy.
	LabelSecurityGroupName = "virtfoundry.io/sg-name"
	// AnnotationLegacyID carries the id that an object had in the product's REST API.
	AnnotationLegacyID = "virtfoundry.io/legacy-id"
	// AnnotationSegment records on a NetworkAttachmentDefinition the bridge and VLAN that were chosen for it, as <bridge>/<vlan>.
	AnnotationSegment = "virtfoundry.io/segment"
	// IsolatedBridge is the bridge of each node that carries the isolated Networks, each in a VLAN of its own.
	IsolatedBridge = "virtfoundry-br0"
)
