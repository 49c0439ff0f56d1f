package facts

import (
	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
)

// The kinds of subjects that are keys and accounts.
const (
	KindSSHKey = "SSHKey"
	KindUser   = "User"
	KindRole   = "Role"
	KindAPIKey = "APIKey"
)

// AccountObjects are a key or an account and what it names. At most one of the
// first four is set: the subject.
type AccountObjects struct {
	SSHKey *virtfoundryv1alpha1.SSHKey
	User   *virtfoundryv1alpha1.User
	Role   *virtfoundryv1alpha1.Role
	APIKey *virtfoundryv1alpha1.APIKey

	Roles   []virtfoundryv1alpha1.Role   // of the name that a User gives, where it may lie
	Tenants []virtfoundryv1alpha1.Tenant // that a User names
	Users   []virtfoundryv1alpha1.User   // that an APIKey names
	Secrets []Secret                     // that the subject names; none when it does not exist
}

// Accounts is what lies around a User or an APIKey. All of it is empty for
// other subjects.
type Accounts struct {
	Roles   []AccountRole   `json:"roles"`   // of the name that a User gives
	Tenants []TenantRef     `json:"tenants"` // that a User names
	Users   []AccountUser   `json:"users"`   // that an APIKey names
	Secrets []AccountSecret `json:"secrets"` // that the subject names: none or one
}

// AccountRole is a Role seen from a User.
type AccountRole struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Deleting  bool   `json:"deleting"`
}

// AccountUser is a User seen from an APIKey.
type AccountUser struct {
	Name     string `json:"name"`
	Tenant   string `json:"tenant"` // empty for one of the platform
	Deleting bool   `json:"deleting"`
}

// AccountSecret tells of the Secret that holds a hash what can be told without its value.
type AccountSecret struct {
	Namespace string   `json:"namespace"`
	Name      string   `json:"name"`
	Keys      []string `json:"keys"` // those that are not empty
}

// SSHKeyWish is a public key, taken apart.
type SSHKeyWish struct {
	Type        string `json:"type"`        // as OpenSSH names it, such as ssh-ed25519; empty when it cannot be read
	Bits        *int64 `json:"bits"`        // of the modulus or the curve; null where the type alone tells the strength
	Fingerprint string `json:"fingerprint"` // SHA256:… as ssh-keygen prints it
	Valid       bool   `json:"valid"`       // it is one key that authorized_keys takes
	Problem     string `json:"problem"`     // why it is not
}

// UserWish is an account of the REST API.
type UserWish struct {
	Role   string        `json:"role"`
	Tenant string        `json:"tenant"` // empty for one of the platform
	Places []string      `json:"places"` // the namespaces in which the Role may lie
	Secret SecretRefWish `json:"secret"`
}

// RoleWish is a set of permissions.
type RoleWish struct {
	System      bool         `json:"system"`
	Permissions []Permission `json:"permissions"`
}

// APIKeyWish is a key to the REST API.
type APIKeyWish struct {
	User      string        `json:"user"`
	Scopes    []Permission  `json:"scopes"`
	Lifetime  *int64        `json:"lifetime"`  // seconds from when it was made, or now for one that is not stored, to its end; null without an end
	Left      *int64        `json:"left"`      // seconds until its end, negative afterwards; null without an end
	ExpiresAt string        `json:"expiresAt"` // RFC 3339, UTC; empty for never and for what is no time
	Expires   bool          `json:"expires"`   // spec.expiresAt is set
	Valid     bool          `json:"valid"`     // it is empty or a time
	Secret    SecretRefWish `json:"secret"`
}

// Permission is one word of the REST API, taken apart: <resource>:<verb>.
type Permission struct {
	Path  string   `json:"path"`
	Text  string   `json:"text"`
	Parts []string `json:"parts"` // lower case, without white space; none for an empty text
}

// SecretRefWish names the key of a Secret, its default filled in.
type SecretRefWish struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Key       string `json:"key"`
}
