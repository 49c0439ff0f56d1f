package account

import (
	"time"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
	"cato.dev/cato/controllers/lifecycle"
	"cato.dev/cato/policy/facts"
)

// +kubebuilder:rbac:groups=virtfoundry.io,resources=sshkeys;users;roles;apikeys;tenants,verbs=get;list;watch
// +kubebuilder:rbac:groups=virtfoundry.io,resources=sshkeys/status;users/status;roles/status;apikeys/status,verbs=get;update;patch
// +kubebuilder:rbac:groups="",resources=namespaces,verbs=get;list;watch
// +kubebuilder:rbac:groups=cato.dev,resources=complianceprofiles,verbs=get;list;watch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// NewSSHKeys returns the Reconciler of SSHKeys.
func NewSSHKeys(deps lifecycle.Deps) *Reconciler[*virtfoundryv1alpha1.SSHKey] {
	return &Reconciler[*virtfoundryv1alpha1.SSHKey]{
		Deps: deps, gather: deps.Gatherer.SSHKey,
		empty: func() *virtfoundryv1alpha1.SSHKey { return &virtfoundryv1alpha1.SSHKey{} },
		status: func(k *virtfoundryv1alpha1.SSHKey) (*virtfoundryv1alpha1.Phase, *virtfoundryv1alpha1.Observation) {
			return &k.Status.Phase, &k.Status.Observation
		},
		fill: func(k *virtfoundryv1alpha1.SSHKey) {
			k.Status.Fingerprint = facts.ReadSSHKey(k.Spec.PublicKey).Fingerprint
		},
	}
}

// NewUsers returns the Reconciler of Users.
func NewUsers(deps lifecycle.Deps) *Reconciler[*virtfoundryv1alpha1.User] {
	return &Reconciler[*virtfoundryv1alpha1.User]{
		Deps: deps, gather: deps.Gatherer.User,
		empty: func() *virtfoundryv1alpha1.User { return &virtfoundryv1alpha1.User{} },
		status: func(u *virtfoundryv1alpha1.User) (*virtfoundryv1alpha1.Phase, *virtfoundryv1alpha1.Observation) {
			return &u.Status.Phase, &u.Status.Observation
		},
	}
}

// NewRoles returns the Reconciler of Roles.
func NewRoles(deps lifecycle.Deps) *Reconciler[*virtfoundryv1alpha1.Role] {
	return &Reconciler[*virtfoundryv1alpha1.Role]{
		Deps: deps, gather: deps.Gatherer.Role,
		empty: func() *virtfoundryv1alpha1.Role { return &virtfoundryv1alpha1.Role{} },
		status: func(r *virtfoundryv1alpha1.Role) (*virtfoundryv1alpha1.Phase, *virtfoundryv1alpha1.Observation) {
			return &r.Status.Phase, &r.Status.Observation
		},
	}
}

// NewAPIKeys returns the Reconciler of APIKeys. Of their status it leaves alone
// what the REST API writes there.
func NewAPIKeys(deps lifecycle.Deps) *Reconciler[*virtfoundryv1alpha1.APIKey] {
	return &Reconciler[*virtfoundryv1alpha1.APIKey]{
		Deps: deps, gather: deps.Gatherer.APIKey, next: untilExpiry,
		empty: func() *virtfoundryv1alpha1.APIKey { return &virtfoundryv1alpha1.APIKey{} },
		status: func(k *virtfoundryv1alpha1.APIKey) (*virtfoundryv1alpha1.Phase, *virtfoundryv1alpha1.Observation) {
			return &k.Status.Phase, &k.Status.Observation
		},
	}
}

// untilExpiry is how long a key is still good; zero for one that does not end
// or has ended.
func untilExpiry(k *virtfoundryv1alpha1.APIKey, now time.Time) time.Duration {
	at, err := time.Parse(time.RFC3339, string(k.Spec.ExpiresAt))
	if err != nil || !at.After(now) {
		return 0
	}
	return at.Sub(now) + time.Second // the next second: the end itself is still good
}
