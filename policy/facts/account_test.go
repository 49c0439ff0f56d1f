package facts

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	virtfoundryv1alpha1 "cato.dev/cato/api/virtfoundry/v1alpha1"
)

var keyMade = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

func builtAPIKey(expiresAt string, scopes ...string) APIKeyWish {
	key := &virtfoundryv1alpha1.APIKey{ObjectMeta: metav1.ObjectMeta{Namespace: "virtfoundry-tenant-acme", Name: "k"}}
	key.Spec = virtfoundryv1alpha1.APIKeySpec{ExpiresAt: virtfoundryv1alpha1.Timestamp(expiresAt), Scopes: scopes}
	in := Build(&Gathered{Now: keyMade, Accounts: AccountObjects{APIKey: key}})
	return in.Object.APIKey[0]
}

func TestTheEndOfAKeyIsMeasuredInSeconds(t *testing.T) {
	for text, want := range map[string]APIKeyWish{
		"":                          {Valid: true},
		"2026-12-01T12:00:10Z":      {Valid: true, Expires: true, ExpiresAt: "2026-12-01T12:00:10Z", Left: size(10), Lifetime: size(10)},
		"2026-12-01T13:00:00+02:00": {Valid: true, Expires: true, ExpiresAt: "2026-12-01T11:00:00Z", Left: size(-3600), Lifetime: size(-3600)},
		"9999-12-31T23:59:59Z":      {Valid: true, Expires: true, ExpiresAt: "9999-12-31T23:59:59Z", Left: size(251606174399), Lifetime: size(251606174399)},
		"2026-12-01t12:00:10z":      {Expires: true},
		"2026-02-30T12:00:10Z":      {Expires: true},
	} {
		want.Scopes, want.Secret = []Permission{}, SecretRefWish{Namespace: "virtfoundry-tenant-acme", Key: "secret_hash"}
		if diff := cmp.Diff(want, builtAPIKey(text)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

func TestAPermissionIsTakenApart(t *testing.T) {
	want := []Permission{
		{Path: "spec.scopes[0]", Text: " Instances:READ ", Parts: []string{"instances", "read"}},
		{Path: "spec.scopes[1]", Text: "*", Parts: []string{"*"}},
		{Path: "spec.scopes[2]", Text: "", Parts: []string{}},
		{Path: "spec.scopes[3]", Text: "a.b/c", Parts: []string{"a", "b", "c"}},
	}
	if diff := cmp.Diff(want, builtAPIKey("", " Instances:READ ", "*", "", "a.b/c").Scopes); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestOfASecretOnlyTheNamesOfItsKeysAreTold(t *testing.T) {
	secret := DecodeSecret(&corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: "virtfoundry-system", Name: "vf-user-alice"},
		Data:       map[string][]byte{"password_hash": []byte("hunter2"), "empty": {}},
	})
	user := &virtfoundryv1alpha1.User{Spec: virtfoundryv1alpha1.UserSpec{TenantRef: &virtfoundryv1alpha1.LocalObjectRef{Name: "acme-corp"}}}
	tenant := virtfoundryv1alpha1.Tenant{ObjectMeta: metav1.ObjectMeta{Name: "acme-corp"}, Spec: virtfoundryv1alpha1.TenantSpec{Slug: "acme"}}
	in := Build(&Gathered{Now: keyMade, Accounts: AccountObjects{User: user, Secrets: []Secret{secret}, Tenants: []virtfoundryv1alpha1.Tenant{tenant}}})
	want := []AccountSecret{{Namespace: "virtfoundry-system", Name: "vf-user-alice", Keys: []string{"password_hash"}}}
	if diff := cmp.Diff(want, in.Accounts.Secrets); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"virtfoundry-tenant-acme", "virtfoundry-system"}, in.Object.User[0].Places); diff != "" {
		t.Errorf("places (-want +got):\n%s", diff)
	}
	encoder, err := NewEncoder()
	if err != nil {
		t.Fatal(err)
	}
	if text := encoder.Encode(&in).String(); strings.Contains(text, "hunter2") || strings.Contains(text, secret.Keys[1].SHA256) {
		t.Error("the document holds the hash or a digest of it")
	}
}
