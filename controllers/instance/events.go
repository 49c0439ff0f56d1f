package instance

import (
	corev1 "k8s.io/api/core/v1"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/outcome"
)

// The reasons of an Instance's events.
const (
	// EventPolicyDenied: a rule or grant refused; the note names it and what to do.
	EventPolicyDenied = "PolicyDenied"
	// EventOwnedByOther: an object of a name that the Instance needs is not its own and is left alone.
	EventOwnedByOther = "OwnedByOther"
	// EventForbidden: the API server refused a write for lack of a right; the note says which.
	EventForbidden = "Forbidden"
	// EventAdopted: a VirtualMachine that another made was taken over, by the grant.
	EventAdopted = "Adopted"
	// EventRepaired: an object that Cato made was found changed or gone and was put right.
	EventRepaired = "Repaired"
	// EventPowerRestored: somebody switched the guest past its Instance.
	EventPowerRestored = "PowerRestored"
	// EventUnpinned: dedicated processors are asked for and not granted, so that the guest runs without.
	EventUnpinned = "Unpinned"
	// EventRestartRequired: the guest runs otherwise than it is to, until it is restarted.
	EventRestartRequired = "RestartRequired"
)

// The action of an Instance's events: what the reconciler was doing.
const actionReconcile = "Reconcile"

func (r *Reconciler) warn(instance *virtfoundryv1alpha1.Instance, reason, note string) {
	r.deps.Events.Eventf(instance, nil, corev1.EventTypeWarning, reason, actionReconcile, "%s", outcome.Clip(note))
}

func (r *Reconciler) tell(instance *virtfoundryv1alpha1.Instance, reason, note string) {
	r.deps.Events.Eventf(instance, nil, corev1.EventTypeNormal, reason, actionReconcile, "%s", outcome.Clip(note))
}
