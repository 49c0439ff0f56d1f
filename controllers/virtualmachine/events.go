package virtualmachine

import (
	corev1 "k8s.io/api/core/v1"

	udsv1alpha1 "cato.dev/cato/api/uds/v1alpha1"
	"cato.dev/cato/controllers/outcome"
)

// The reasons of a UDSVirtualMachine's events.
const (
	// EventPolicyDenied: a rule or grant refused; the note names it and what to do.
	EventPolicyDenied = "PolicyDenied"
	// EventOwnedByOther: an object of a name that the machine needs is not its own and is left alone.
	EventOwnedByOther = "OwnedByOther"
	// EventForbidden: the API server refused a write for lack of a right; the note says how to enable the namespace.
	EventForbidden = "Forbidden"
	// EventSourceChanged: the disk that exists was made from another source than the spec names; nothing is imported again.
	EventSourceChanged = "SourceChanged"
	// EventChecksumMismatch: the disk is not what its checksum says; the guest never starts.
	EventChecksumMismatch = "ChecksumMismatch"
	// EventImportFailed: CDI gave up importing the disk.
	EventImportFailed = "ImportFailed"
	// EventRepaired: an object that Cato made was found changed or gone and was put right.
	EventRepaired = "Repaired"
	// EventPowerRestored: somebody switched the guest past its custom resource; the note says how to do it.
	EventPowerRestored = "PowerRestored"
	// EventStarted: the disk is verified, or need not be, and the guest was started.
	EventStarted = "Started"
)

// The actions of a UDSVirtualMachine's events: what the reconciler was doing.
const actionReconcile = "Reconcile"

func (r *Reconciler) warn(machine *udsv1alpha1.UDSVirtualMachine, reason, note string) {
	r.deps.Events.Eventf(machine, nil, corev1.EventTypeWarning, reason, actionReconcile, "%s", outcome.Clip(note))
}

func (r *Reconciler) tell(machine *udsv1alpha1.UDSVirtualMachine, reason, note string) {
	r.deps.Events.Eventf(machine, nil, corev1.EventTypeNormal, reason, actionReconcile, "%s", outcome.Clip(note))
}
