package v1alpha1

// Names that users of uds.dev know and that must not change.
const (
	// LabelVM carries the VM's name on its children and on its virt-launcher pod.
	LabelVM = "uds.dev/vm"
	// LabelDataDisk carries a data disk's name on its claim, so that a retained claim is attached again only to the disk it was.
	LabelDataDisk = "uds.dev/data-disk"
	// Finalizer holds a VM until its guest is off and its children are gone.
	Finalizer = "uds.dev/finalizer"
	// ReconciledBy is what status.reconciledBy says of this operator.
	ReconciledBy = "controller-go"

	// DataVolumeSuffix and the VM's name make the name of the root disk's DataVolume.
	DataVolumeSuffix = "-dv"
	// NetworkPolicySuffix and the VM's name make the name of its NetworkPolicy.
	NetworkPolicySuffix = "-netpol"
	// CloudInitSuffix and the VM's name make the name of its cloud-init Secret.
	CloudInitSuffix = "-cloudinit"
	// SysprepSuffix and the VM's name make the name of its sysprep Secret.
	SysprepSuffix = "-sysprep"
	// VerifySuffix and the VM's name make the name of the pod that verifies its disk.
	VerifySuffix = "-verify"
)
