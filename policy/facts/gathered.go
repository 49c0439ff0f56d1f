package facts

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	instancetypev1beta1 "kubevirt.io/api/instancetype/v1beta1"
	cdiv1beta1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"

	catov1alpha1 "cato.dev/cato/api/cato/v1alpha1"
	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/policy/facts/cloudinit"
)

// Gathered is everything that one subject consists of, as typed objects: what
// Build turns into the document. It is filled by gather from a cluster's cache
// or from files, and overlaid with the planned children before a write.
type Gathered struct {
	Moment  Moment
	Now     time.Time
	Request *Request

	// The subject: a Tenant, a UDSVirtualMachine, an Instance, a Template, an
	// Offering, or (all nil) the VirtualMachine below, which then has no custom
	// resource.
	Tenant   *virtfoundryv1alpha1.Tenant
	Machine  *udsv1alpha1.UDSVirtualMachine
	Instance *virtfoundryv1alpha1.Instance
	Template *virtfoundryv1alpha1.Template
	Offering *virtfoundryv1alpha1.Offering
	Named    Named // what an Instance or Template refers to

	Namespace *corev1.Namespace // lived in, or owned by the Tenant; nil when it does not exist
	// SourceNamespaces are those of SourceNamespaces that exist.
	SourceNamespaces []corev1.Namespace
	Rivals           []virtfoundryv1alpha1.Tenant // other Tenants with the same slug

	NetworkPolicies []networkingv1.NetworkPolicy
	ResourceQuotas  []corev1.ResourceQuota
	LimitRanges     []corev1.LimitRange
	RoleBindings    []rbacv1.RoleBinding

	VirtualMachine         *kubevirtv1.VirtualMachine
	VirtualMachineInstance *kubevirtv1.VirtualMachineInstance
	Launchers              []corev1.Pod                                        // the instance's virt-launcher pods that have not ended; metadata only
	Instancetype           *instancetypev1beta1.VirtualMachineInstancetypeSpec // resolved spec.instancetype

	DataVolumes []cdiv1beta1.DataVolume // those behind the machine's disks and what they were cloned from
	DataSources []cdiv1beta1.DataSource
	Claims      []corev1.PersistentVolumeClaim
	Secrets     []Secret // those that the machine's cloud-init names
	CDIConfig   *cdiv1beta1.CDIConfig
	Cluster     Capabilities

	Fabric   FabricObjects
	Volume   VolumeObjects
	Accounts AccountObjects
	Host     HostObjects

	Profile  Profile
	Platform Platform

	Gaps        map[string]string // dotted path of Input -> why it could not be determined
	Unseen      map[string]string // those gaps where objects may not be read at all, so that they look absent
	Assumptions []string          // defaults that stand in for facts of the cluster, in sentences
}

// Capabilities is what was found out about the cluster at run time.
type Capabilities struct {
	CDIUploadChecksum bool
	VolumeSnapshots   bool // VolumeSnapshots and their classes are served
}

// Named are the objects that an Instance names, as found, and the Tenant that
// controls its namespace. What is not there does not exist, or is a gap.
type Named struct {
	Tenant    *virtfoundryv1alpha1.Tenant
	Offering  *virtfoundryv1alpha1.Offering
	Templates []virtfoundryv1alpha1.Template // of the one name: that of the own namespace first, then the platform's
	SSHKeys   []virtfoundryv1alpha1.SSHKey
	Networks  []virtfoundryv1alpha1.Network
	Addresses []virtfoundryv1alpha1.IPAddress // of the names that its NICs need, those that it controls, and what holds their addresses
}

// Profile is the ComplianceProfile in force, or a built-in one.
type Profile struct {
	Name       string // uds, virtfoundry, or the ComplianceProfile's name
	BuiltIn    bool
	Parameters catov1alpha1.ComplianceProfileParameters
}

// Platform is what the platform's configuration says and no profile can. Empty means its defaults.
type Platform struct {
	DefaultClass   string // a StorageClass, or auto
	SnapshotClass  string // a VolumeSnapshotClass
	IsolatedBridge string // the bridge of each node that carries the isolated Networks
}

// String names the profile for people.
func (p Profile) String() string {
	if p.BuiltIn {
		return p.Name + " (built-in)"
	}
	return p.Name
}

// Secret is a Secret reduced to what a judge needs: what it decodes to and
// never a value.
type Secret struct {
	Namespace, Name, UID, ResourceVersion string
	Owners                                []Owner
	Keys                                  []Key
}

// Key is one key of a Secret.
type Key struct {
	Name    string
	SHA256  string            // of the value, hexadecimal
	Decoded []cloudinit.Guest // one for a key that cloud-init reads (userdata, userData), else none
}
