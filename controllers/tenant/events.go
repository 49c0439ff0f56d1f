package tenant

import (
	corev1 "k8s.io/api/core/v1"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/outcome"
)

// The reasons of a Tenant's events.
const (
	// EventPolicyDenied: a rule or grant refused; the note names it and what to do.
	EventPolicyDenied = "PolicyDenied"
	// EventOwnedByOther: an object of a name that the Tenant needs is not its own and is left alone.
	EventOwnedByOther = "OwnedByOther"
	// EventForbidden: the API server refused a write for lack of a right that the note names.
	EventForbidden = "Forbidden"
	// EventNamespaceAdopted: a namespace that carried the Tenant's name and labels and that nobody controlled was taken over.
	EventNamespaceAdopted = "NamespaceAdopted"
	// EventRepaired: an object that Cato made was found changed or gone and was put right.
	EventRepaired = "Repaired"
	// EventNamespaceDeleted: the Tenant is being deleted and its namespace with it.
	EventNamespaceDeleted = "NamespaceDeleted"
	// EventNamespaceLeft: the Tenant was deleted and a namespace of its name, which is not proven to be its own, was left alone.
	EventNamespaceLeft = "NamespaceLeft"
)

// The actions of a Tenant's events: what the reconciler was doing.
const (
	actionReconcile = "Reconcile"
	actionDelete    = "Delete"
)

func (r *Reconciler) warn(tenant *virtfoundryv1alpha1.Tenant, reason, action, note string) {
	r.deps.Events.Eventf(tenant, nil, corev1.EventTypeWarning, reason, action, "%s", outcome.Clip(note))
}

func (r *Reconciler) tell(tenant *virtfoundryv1alpha1.Tenant, reason, action, note string) {
	r.deps.Events.Eventf(tenant, nil, corev1.EventTypeNormal, reason, action, "%s", outcome.Clip(note))
}
