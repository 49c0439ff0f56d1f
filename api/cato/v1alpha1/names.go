package v1alpha1

// Names that Cato gives to things in the cluster.
const (
	// LabelVMNamespace with value `true` is how a cluster administrator lets UDSVirtualMachines into a namespace; the operator cannot set it.
	LabelVMNamespace = "cato.dev/vm-namespace"
	// FieldManager owns the fields that Cato applies.
	FieldManager = "cato"
	// ReportName is the name of the one ComplianceReport of a namespace.
	ReportName = "posture"
)
