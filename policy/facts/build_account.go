package facts

import (
	"crypto/rsa"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
)

// The keys of Secrets where a reference names none (VirtFoundry sheet, section 1.3).
const (
	defaultUserKey   = "password_hash"
	defaultAPIKeyKey = "secret_hash"
)

func accountSubject(a *AccountObjects) (kind string, meta *metav1.ObjectMeta) {
	switch {
	case a.SSHKey != nil:
		return KindSSHKey, &a.SSHKey.ObjectMeta
	case a.User != nil:
		return KindUser, &a.User.ObjectMeta
	case a.Role != nil:
		return KindRole, &a.Role.ObjectMeta
	case a.APIKey != nil:
		return KindAPIKey, &a.APIKey.ObjectMeta
	default:
		return "", nil
	}
}

// buildAccounts fills in what a key or an account says and what it names.
func buildAccounts(a *AccountObjects, now time.Time, object *Object) Accounts {
	accounts := Accounts{Roles: []AccountRole{}, Tenants: tenantRefs(a.Tenants), Users: []AccountUser{}, Secrets: []AccountSecret{}}
	object.SSHKey, object.User, object.Role, object.APIKey = []SSHKeyWish{}, []UserWish{}, []RoleWish{}, []APIKeyWish{}
	for i := range a.Roles {
		r := &a.Roles[i]
		accounts.Roles = append(accounts.Roles, AccountRole{Namespace: r.Namespace, Name: r.Name, Deleting: r.DeletionTimestamp != nil})
	}
	for i := range a.Users {
		u := &a.Users[i]
		accounts.Users = append(accounts.Users, AccountUser{Name: u.Name, Tenant: tenantOf(u), Deleting: u.DeletionTimestamp != nil})
	}
	for i := range a.Secrets {
		accounts.Secrets = append(accounts.Secrets, accountSecret(&a.Secrets[i]))
	}
	switch {
	case a.SSHKey != nil:
		object.SSHKey = []SSHKeyWish{ReadSSHKey(a.SSHKey.Spec.PublicKey)}
	case a.User != nil:
		object.User = []UserWish{userWish(a.User, a.Tenants)}
	case a.Role != nil:
		object.Role = []RoleWish{{System: a.Role.Spec.IsSystem, Permissions: permissions("spec.permissions", a.Role.Spec.Permissions)}}
	case a.APIKey != nil:
		object.APIKey = []APIKeyWish{apiKeyWish(a.APIKey, now)}
	}
	return accounts
}

func tenantRefs(tenants []virtfoundryv1alpha1.Tenant) []TenantRef {
	all := []TenantRef{}
	for i := range tenants {
		t := &tenants[i]
		all = append(all, TenantRef{Name: t.Name, UID: string(t.UID), Slug: bounded(t.Spec.Slug), Deleting: t.DeletionTimestamp != nil})
	}
	return all
}

// accountSecret keeps of a Secret the names of its keys that hold something.
func accountSecret(s *Secret) AccountSecret {
	nothing := sha256.Sum256(nil)
	secret := AccountSecret{Namespace: s.Namespace, Name: s.Name, Keys: []string{}}
	for _, key := range s.Keys {
		if key.SHA256 != hex.EncodeToString(nothing[:]) {
			secret.Keys = append(secret.Keys, key.Name)
		}
	}
	return secret
}

// ReadSSHKey takes one public key apart. The key itself is no part of a problem:
// somebody may have stored a private one.
func ReadSSHKey(text string) SSHKeyWish {
	line := strings.TrimSpace(text)
	if strings.ContainsAny(line, "\r\n") {
		return SSHKeyWish{Problem: "has more than one line"}
	}
	key, _, _, rest, err := ssh.ParseAuthorizedKey([]byte(line))
	switch {
	case err != nil, len(rest) > 0:
		return SSHKeyWish{Problem: "is no public key as OpenSSH writes it"}
	case strings.Contains(key.Type(), "-cert-v"):
		return SSHKeyWish{Problem: "is a certificate, which stands for no key by itself"}
	}
	wish := SSHKeyWish{Type: key.Type(), Fingerprint: ssh.FingerprintSHA256(key), Valid: true}
	if holder, ok := key.(ssh.CryptoPublicKey); ok {
		if public, isRSA := holder.CryptoPublicKey().(*rsa.PublicKey); isRSA {
			bits := int64(public.N.BitLen())
			wish.Bits = &bits
		}
	}
	return wish
}

// RoleNamespaces are where the Role of a User may lie: in the namespace of the
// User's tenant, and in that of the platform.
func RoleNamespaces(user *virtfoundryv1alpha1.User, tenants []virtfoundryv1alpha1.Tenant) []string {
	places := []string{}
	for i := range tenants {
		if t := &tenants[i]; t.Name == tenantOf(user) {
			places = append(places, virtfoundryv1alpha1.NamespacePrefix+t.Spec.Slug)
		}
	}
	return append(places, virtfoundryv1alpha1.SystemNamespace)
}

func tenantOf(user *virtfoundryv1alpha1.User) string {
	if user.Spec.TenantRef == nil {
		return ""
	}
	return user.Spec.TenantRef.Name
}

func userWish(u *virtfoundryv1alpha1.User, tenants []virtfoundryv1alpha1.Tenant) UserWish {
	return UserWish{
		Role: u.Spec.RoleRef.Name, Tenant: tenantOf(u), Places: RoleNamespaces(u, tenants),
		Secret: secretRef(virtfoundryv1alpha1.SystemNamespace, u.Spec.SecretRef, defaultUserKey),
	}
}

func apiKeyWish(k *virtfoundryv1alpha1.APIKey, now time.Time) APIKeyWish {
	wish := APIKeyWish{
		User: k.Spec.UserRef.Name, Scopes: permissions("spec.scopes", k.Spec.Scopes),
		Expires: k.Spec.ExpiresAt != "", Valid: k.Spec.ExpiresAt == "", Secret: secretRef(k.Namespace, k.Spec.SecretRef, defaultAPIKeyKey),
	}
	if at, err := time.Parse(time.RFC3339, string(k.Spec.ExpiresAt)); err == nil {
		made := k.CreationTimestamp.Time
		if made.IsZero() {
			made = now
		}
		left, lifetime := at.Unix()-now.Unix(), at.Unix()-made.Unix()
		wish.ExpiresAt, wish.Valid, wish.Left, wish.Lifetime = at.UTC().Format(time.RFC3339), true, &left, &lifetime
	}
	return wish
}

func secretRef(namespace string, ref virtfoundryv1alpha1.SecretKeyRef, key string) SecretRefWish {
	return SecretRefWish{Namespace: namespace, Name: ref.Name, Key: orDefault(ref.Key, key)}
}

func permissions(field string, words []string) []Permission {
	all := []Permission{}
	for i, word := range words {
		parts := strings.FieldsFunc(strings.ToLower(strings.TrimSpace(word)), func(r rune) bool { return strings.ContainsRune(":./ \t", r) })
		all = append(all, Permission{Path: fmt.Sprintf("%s[%d]", field, i), Text: bounded(word), Parts: append([]string{}, parts...)})
	}
	return all
}
